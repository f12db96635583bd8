"""Update operations do what JSON Patch says, but that `add` makes missing parents."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any

import jsonpatch
import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.diagnostics import Span
from ensue.core.errors import DiagnosticError
from ensue.core.model.data_bounds import MOST_LEVELS
from ensue.workload_output import PatchError, apply_patch

WEB = {"id": "web", "spec": {"containers": {"main": {"image": "nginx", "args": ["a", "b"]}}, "service": None}}
ARGS = "/spec/containers/main/args"

# The operations, and the value that is then under a path.
DONE: list[tuple[list[dict[str, Any]], str, Any]] = [
    ([{"op": "add", "path": "/spec/serviceAccountName", "value": "sa"}], "/spec/serviceAccountName", "sa"),
    ([{"op": "add", "path": "/spec/pod/labels/a~1b", "value": 1}], "/spec/pod/labels", {"a/b": 1}),
    ([{"op": "add", "path": "/spec/service/labels/x", "value": 1}], "/spec/service", {"labels": {"x": 1}}),
    ([{"op": "add", "path": f"{ARGS}/1", "value": "x"}], ARGS, ["a", "x", "b"]),
    ([{"op": "add", "path": f"{ARGS}/-", "value": "x"}], ARGS, ["a", "b", "x"]),
    ([{"op": "add", "path": f"{ARGS}/2", "value": "x"}], ARGS, ["a", "b", "x"]),
    ([{"op": "add", "path": "/id", "value": "shop"}], "/id", "shop"),
    ([{"op": "add", "path": "/~0x", "value": None}], "/~0x", None),
    ([{"op": "add", "path": "", "value": {"id": "new"}}], "", {"id": "new"}),
    ([{"op": "replace", "path": "", "value": [1]}], "", [1]),
    ([{"op": "replace", "path": f"{ARGS}/0", "value": "x"}], ARGS, ["x", "b"]),
    ([{"op": "remove", "path": f"{ARGS}/0"}], ARGS, ["b"]),
    ([{"op": "remove", "path": "/spec/containers/main"}], "/spec/containers", {}),
    ([{"op": "move", "from": f"{ARGS}/0", "path": f"{ARGS}/1"}], ARGS, ["b", "a"]),
    ([{"op": "move", "from": "/id", "path": "/id"}], "/id", "web"),
    ([{"op": "move", "from": "/id", "path": "/meta/name"}], "/meta", {"name": "web"}),
    ([{"op": "copy", "from": "/spec/containers/main", "path": "/x"}], "/x/image", "nginx"),
    ([{"op": "test", "path": ARGS, "value": ["a", "b"]}], "/spec/service", None),
    ([], "/id", "web"),
]  # fmt: skip

BROKEN: list[tuple[Any, str]] = [
    ({"op": "replace", "path": "/spec/pod", "value": 1}, "(replace /spec/pod) cannot be carried out: /spec"),
    ({"op": "remove", "path": "/nothing"}, "the document has no key 'nothing'"),
    ({"op": "remove", "path": ""}, "cannot be carried out: the whole document cannot be removed"),
    ({"op": "add", "path": "spec/x", "value": 1}, "the path does not begin with a slash (write /spec/x)"),
    ({"op": "add", "path": "/a~2", "value": 1}, "a tilde in the path has to be followed by 0 or 1"),
    ({"op": "add", "path": 5, "value": 1}, "the path is not a text"),
    ({"op": "add", "path": f"{ARGS}/9", "value": 1}, f"{ARGS} has 2 items, so that it has no place 9"),
    ({"op": "add", "path": f"{ARGS}/01", "value": 1}, f"{ARGS} is a list, and '01' is no index of it"),
    ({"op": "replace", "path": f"{ARGS}/-", "value": 1}, f"{ARGS} is a list, and '-' is no index of it"),
    ({"op": "remove", "path": f"{ARGS}/2"}, f"{ARGS} has 2 items, so that it has no place 2"),
    ({"op": "add", "path": "/id/x", "value": 1}, "/id is neither a mapping nor a list"),
    ({"op": "add", "path": "/id/x/y", "value": 1}, "/id is neither a mapping nor a list"),
    ({"op": "add", "path": f"{ARGS}/x/y", "value": 1}, f"{ARGS} is a list, and 'x' is no index of it"),
    ({"op": "test", "path": "/id", "value": "other"}, "the value is not the one that the test expects"),
    ({"op": "test", "path": "/spec/x", "value": 1}, "/spec has no key 'x'"),
    ({"op": "move", "from": "/spec", "path": "/spec/x"}, "a value cannot be moved into itself"),
    ({"op": "copy", "from": "/nothing", "path": "/x"}, "the document has no key 'nothing'"),
    ({"op": "add", "path": "/x"}, "it has no 'value' (`add` needs 'path' and 'value')"),
    ({"op": "move", "path": "/x"}, "it has no 'from' (`move` needs 'path' and 'from')"),
    ({"path": "/x"}, "its 'op' is missing or unknown (there are add, "),
    ({"op": ["add"], "path": "/x"}, "its 'op' is missing or unknown"),
    ("add", "it is not a mapping (write {op: add, path: /spec/…, value: …})"),
    ({"op": "add", "path": "/x" * (MOST_LEVELS + 1), "value": 1}, "the path has more than"),
]  # fmt: skip


@pytest.mark.parametrize(("operations", "path", "expected"), DONE)
def test_an_operation_is_carried_out(operations: list[dict[str, Any]], path: str, expected: Any) -> None:
    """An operation does what RFC 6902 says; `add` makes parent mappings that are missing or null."""
    before = deepcopy(WEB)
    after = apply_patch(WEB, operations)
    assert before == WEB
    assert jsonpointer.resolve_pointer(after, path) == expected


@pytest.mark.parametrize(("operation", "reason"), BROKEN)
def test_a_broken_operation_is_an_error(operation: Any, reason: str) -> None:
    """The error has the operation's number and path and the reason, and the document stays as it is."""
    before = deepcopy(WEB)
    good = {"op": "add", "path": "/added", "value": 1}
    with pytest.raises(PatchError) as raised:
        apply_patch(WEB, [good, operation, {"op": "zap"}], place=Span("web.yaml", 7))
    assert before == WEB
    assert raised.value.number == 2
    assert isinstance(raised.value, DiagnosticError)
    assert str(raised.value).startswith("web.yaml:7: the update operation 2 ")
    assert reason in str(raised.value)
    path = operation.get("path") if isinstance(operation, dict) else ""
    assert raised.value.path == (path if isinstance(path, str) else "")


def test_operations_are_a_list() -> None:
    """No operations change nothing; anything but a list is an error as a whole."""
    assert apply_patch(WEB, None) == WEB
    with pytest.raises(PatchError, match="the update cannot be carried out: the operations are not a list"):
        apply_patch(WEB, {"op": "add"})


@pytest.mark.parametrize("secret", ["correct-horse", "battery"])
def test_no_message_has_a_value_in_it(secret: str) -> None:
    """An error shows neither a value of the document nor one of an operation."""
    for operation in (
        {"op": "test", "path": "/password", "value": "battery"},
        {"op": "add", "path": "/password/x/y", "value": "battery"},
        {"op": "replace", "path": "/nothing/x", "value": "battery"},
        {"op": "battery"},
    ):
        with pytest.raises(PatchError) as raised:
            apply_patch({"password": "correct-horse"}, [operation])
        assert secret not in str(raised.value)


def test_values_are_not_shared() -> None:
    """Changing the result changes neither the document nor an operation, nor another copy in the result."""
    operations = [
        {"op": "add", "path": "/a", "value": {"list": [1]}},
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "add", "path": "/b/list/-", "value": 2},
    ]
    after = apply_patch({}, operations)
    after["a"]["list"].append(3)
    assert after == {"a": {"list": [1, 3]}, "b": {"list": [1, 2]}}
    assert operations[0]["value"] == {"list": [1]}


def test_copies_are_bounded() -> None:
    """Operations that double the document again and again are refused before memory ends."""
    doubling = [{"op": "copy", "from": "", "path": f"/copy{number}"} for number in range(40)]
    with pytest.raises(PatchError, match="add more than 1,000,000"):
        apply_patch({"a": 1}, doubling)


def test_depth_is_bounded() -> None:
    """Operations that nest a document deeper and deeper are refused."""
    deep = "/x" * (MOST_LEVELS - 1)
    nesting = [
        {"op": "add", "path": f"/a{deep}", "value": 1},
        *({"op": "move", "from": "/a", "path": f"/b{deep}"}, {"op": "move", "from": "/b", "path": "/a"}),
    ]
    with pytest.raises(PatchError, match="levels deep"):
        apply_patch({}, nesting)


@pytest.mark.parametrize(("value", "other"), [(1, True), (0, False), ("1", 1), (None, 0), ([1], [True])])
def test_unlike_values_are_not_equal(value: Any, other: Any) -> None:
    """The operation `test` distinguishes numbers, truth values and texts."""
    with pytest.raises(PatchError):
        apply_patch({"a": value}, [{"op": "test", "path": "/a", "value": other}])


NAMES = st.sampled_from(["a", "b", "c", "a/b", "~", ""])
DOCUMENTS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["x", "y"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
PATHS = st.lists(st.one_of(NAMES, st.sampled_from(["0", "1", "-"])), max_size=4).map(
    lambda parts: "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in parts)
)
OPERATIONS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"op": st.sampled_from(["add", "replace", "test"]), "path": PATHS, "value": DOCUMENTS}
        ),
        st.fixed_dictionaries({"op": st.just("remove"), "path": PATHS}),
        st.fixed_dictionaries({"op": st.sampled_from(["move", "copy"]), "path": PATHS, "from": PATHS}),
    ),
    max_size=4,
)


@given(DOCUMENTS, OPERATIONS)
def test_what_another_implementation_does(document: Any, operations: list[dict[str, Any]]) -> None:
    """Whatever operations `jsonpatch` carries out, they do the same here."""
    try:
        expected = jsonpatch.apply_patch(deepcopy(document), deepcopy(operations))
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, AttributeError):
        # It may be one that only makes parents: it is carried out, or it is an error of ours.
        with suppress(PatchError):
            apply_patch(document, operations)
        return
    before = deepcopy(document)
    assert apply_patch(document, operations) == expected
    assert document == before
