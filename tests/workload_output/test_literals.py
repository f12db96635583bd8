"""Outputs of resources reach a container as they are; `$(NAME)` of an author is expanded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.driver import ForeignPart
from ensue.workload_output import (
    RenderedWorkload,
    apply_patch,
    render,
    with_data_marked,
    without_marks,
)
from ensue.workload_output.literals import DataText, expandable

VARIABLES = {"NAME": "expanded", "A": "a$(NAME)"}
TEXTS = st.text('$()NAMEA x{}\\"', max_size=8)
WHOLE = (ForeignPart(placeholder="", resource="r"),)


def part(start: int, end: int) -> ForeignPart:
    return ForeignPart(placeholder="", resource="r", start=start, end=end)


def kubelet(text: str) -> str:
    """Expand a text as the kubelet's `expansion.Expand` does."""
    written = ""
    place = 0
    while place < len(text):
        if text[place] != "$" or place + 1 == len(text):
            written += text[place]
            place += 1
        elif text[place + 1] == "$":
            written += "$"
            place += 2
        elif text[place + 1] == "(" and (end := text.find(")", place)) != -1:
            name = text[place + 2 : end]
            written += VARIABLES.get(name, f"$({name})")
            place = end + 1
        else:
            written += text[place : place + 2]
            place += 2
    return written


@given(TEXTS)
def test_any_output_is_what_the_container_has(text: str) -> None:
    """Nothing in an output is expanded, and no `$` of it is lost."""
    assert kubelet(expandable(DataText(text, ((0, len(text)),)))) == text


@given(st.sampled_from(["", "x", "$", "$$", "x$", "$(NAME)", "$(NAME)$", "$x"]), TEXTS, TEXTS)
def test_any_outputs_within_a_text(authored: str, first: str, second: str) -> None:
    """Two outputs between words of an author: the author's words are expanded by themselves alone."""
    text = authored + first + authored + second
    middle = len(authored) + len(first) + len(authored)
    marked = DataText(text, ((len(authored), len(authored) + len(first)), (middle, len(text))))
    alone = kubelet(authored)
    assert kubelet(expandable(marked)) == alone + first + alone + second


@given(st.dictionaries(TEXTS, TEXTS | st.lists(TEXTS) | st.integers()))
def test_any_output_that_is_no_text(value: dict[str, Any]) -> None:
    """An output with structure is its JSON, keys included."""
    marked = with_data_marked({"spec": value}, {("spec",): WHOLE})
    assert kubelet(expandable(marked["spec"])) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert without_marks(marked) == {"spec": value}


def _container(format_: str = "kubernetes") -> Any:
    container = {
        "image": "web",
        "command": ["run", "--at=$(A)", "$(DATA)", "x=$(DATA)"],
        "args": ["$(DATA)"],
        "variables": {"OWN": "$(A)", "DATA": "$(A)$$", "BOTH": "$(A)-$(A)", "MAP": {"$(A)": "$(A)"}},
        "env": [{"name": "E", "value": "$(A)"}],
        "livenessProbe": {"exec": {"command": ["test", "$(DATA)"]}},
        "readiness_probe": {"type": "command", "command": ["$(DATA)"]},
        "volumeMounts": [{"name": "v", "mountPath": "/v", "subPathExpr": "$(DATA)"}],
        "files": {"/f": {"content": "$(A)"}},
    }
    at = ("spec", "containers", "main")
    module = with_data_marked(
        {
            "spec": {
                "labels": {"l": "$(A)"},
                "containers": {"main": container},
                "volumes": {"v": {"emptyDir": {}}},
            }
        },
        {
            (*at, "command", 2): WHOLE,
            (*at, "command", 3): (part(2, 9),),
            (*at, "args"): WHOLE,
            (*at, "variables", "DATA"): WHOLE,
            (*at, "variables", "BOTH"): (part(5, 9),),
            (*at, "variables", "MAP"): WHOLE,
            (*at, "env"): WHOLE,
            (*at, "livenessProbe", "exec", "command", 1): WHOLE,
            (*at, "readiness_probe", "command", 0): WHOLE,
            (*at, "volumeMounts", 0, "subPathExpr"): WHOLE,
            (*at, "files", "/f", "content"): WHOLE,
            ("spec", "labels"): WHOLE,
        },
    )
    module = apply_patch(module, [{"op": "copy", "from": "/spec/containers/main/args/0", "path": "/id"}])
    module = apply_patch(module, [{"op": "move", "from": "/id", "path": "/spec/containers/main/args/1"}])
    return render([RenderedWorkload(name="web", module=module)], format_).documents  # type: ignore[arg-type]


def test_the_places_where_kubernetes_expands() -> None:
    """Outputs are escaped in variables, words, probes and `subPathExpr`, also after update operations."""
    deployment = next(document.data for document in _container() if document.data["kind"] == "Deployment")
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    assert container["command"] == ["run", "--at=$(A)", "$$(DATA)", "x=$$(DATA)"]
    assert container["args"] == ["$$(DATA)", "$$(DATA)"]
    assert {variable["name"]: variable["value"] for variable in container["env"]} == {
        "BOTH": "$(A)-$$(A)",
        "DATA": "$$(A)$$$$",
        "E": "$$(A)",
        "MAP": '{"$$(A)":"$$(A)"}',
        "OWN": "$(A)",
    }
    assert container["livenessProbe"]["exec"]["command"] == ["test", "$$(DATA)"]
    assert container["readinessProbe"]["exec"]["command"] == ["$$(DATA)"]
    assert container["volumeMounts"][-1]["subPathExpr"] == "$$(DATA)"
    assert pod["metadata"]["labels"]["l"] == "$(A)"
    (config,) = (document.data for document in _container() if document.data["kind"] == "ConfigMap")
    assert list(config["data"].values()) == ["$(A)"]


@pytest.mark.parametrize("format_", ["kubernetes", "compose", "values"])
def test_documents_have_no_marks(format_: str) -> None:
    """All texts of documents are plain, so that every YAML library writes them."""

    def check(value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                check(key)
                check(item)
        elif isinstance(value, list):
            for item in value:
                check(item)
        else:
            assert not isinstance(value, str) or type(value) is str

    documents = _container(format_)
    assert documents
    for document in documents:
        check(document.data)
