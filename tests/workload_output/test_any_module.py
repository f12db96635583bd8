"""Modules of any content: what is wrong is a diagnostic, and secrets come out where they belong alone."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import kubernetes_validate
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.sensitive_paths import hide_paths
from ensue.workload_output import Manifest, RenderedWorkload, render

if TYPE_CHECKING:
    from ensue.workload_output import Format

WORDS = """
id profile spec containers service ports labels annotations volumes pod deployment replicas main web
image command args variables files resources limits cpu before ready started env name value
volume_mounts source id target liveness_probe readinessProbe type http httpGet port service_port
container_port protocol mode content binaryContent serviceAccountName initContainers tolerations
securityContext /a /b:c volumeMounts
"""
KEYS = st.sampled_from(WORDS.split())
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 90000),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["web", "", ".", "0644", "complete", "tcp", "500m", "a$b", "/a"]),
    st.text(max_size=4),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=30,
)
CONTAINERS = st.dictionaries(KEYS, st.dictionaries(KEYS, ANYTHING, max_size=6), max_size=3)
MODULES = st.one_of(
    ANYTHING,
    st.builds(
        lambda spec, containers: {"spec": {**spec, "containers": containers}},
        st.dictionaries(KEYS, ANYTHING, max_size=6),
        CONTAINERS,
    ),
)
MANIFESTS = st.lists(
    st.builds(
        lambda name, location, data: Manifest(name=name, location=location, data=data),
        st.text(max_size=4),
        st.sampled_from(["namespace", "cluster", "volumes", "containers", "moon"]),
        ANYTHING,
    ),
    max_size=2,
).map(tuple)
SECRET = st.just("correct-horse")
FORMATS: tuple[Format, ...] = ("kubernetes", "compose", "values")
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@given(st.text(max_size=6), MODULES, MANIFESTS)
def test_any_module(name: str, module: Any, manifests: tuple[Manifest, ...]) -> None:
    """A module is rendered, or what is wrong with it is reported."""
    before = json.dumps(module)
    for format_ in FORMATS:
        rendering = render([RenderedWorkload(name=name, module=module, manifests=manifests)], format_)
        assert bool(rendering.documents) is not rendering.has_errors
        assert all(
            diagnostic.summary and diagnostic.code.startswith("E083") for diagnostic in rendering.diagnostics
        )
        assert len({document.name for document in rendering.documents}) == len(rendering.documents)
    assert json.dumps(module) == before


@given(
    variables=st.dictionaries(TEXTS.filter(lambda name: "=" not in name), SECRET, min_size=1, max_size=4),
    files=st.dictionaries(TEXTS.map(lambda name: f"/x{name}x".replace(":", ".")), SECRET, max_size=4),
    is_whole=st.booleans(),
)
def test_secrets_are_in_secrets_alone(
    variables: dict[str, str], files: dict[str, str], *, is_whole: bool
) -> None:
    """No manifest but a Secret has a secret in it, and hiding the document's secret paths hides them all."""
    module = {
        "spec": {
            "containers": {
                "main": {
                    "image": "nginx",
                    "variables": variables,
                    "files": {path: {"content": f"password={file}"} for path, file in files.items()},
                }
            }
        }
    }
    above = "spec:containers:main"
    paths = [f"{above}:variables:{name}" for name in variables]
    paths += [f"{above}:files:{path}:content" for path in files]
    if is_whole:
        paths = [f"{above}:variables", f"{above}:files"]
    workload = RenderedWorkload(name="w", module=module, secret_paths=tuple(paths))
    rendering = render([workload], "kubernetes")
    assert not rendering.has_errors
    encoded = base64.b64encode(b"correct-horse").decode()
    for document in rendering.documents:
        kubernetes_validate.validate(document.data, "1.31", strict=True)
        hidden = json.dumps(hide_paths(document.data, document.secret_paths))
        assert "correct-horse" not in hidden
        assert encoded not in hidden
        assert document.is_secret is (document.data["kind"] == "Secret")
    (compose,) = render([workload], "compose").documents
    assert compose.is_secret
