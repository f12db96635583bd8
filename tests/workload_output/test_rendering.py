"""What one case file does not show: values, bounds, conflicts between workloads, names and quantities."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.workload_output import (
    Document,
    Manifest,
    RenderedWorkload,
    apply_patch,
    manifests_of,
    render,
)
from ensue.workload_output.names import file_name, key, label
from ensue.workload_output.quantities import quantity


def workload(name: str, spec: dict[str, Any], **further: Any) -> RenderedWorkload:
    containers = {"main": {"image": "nginx", **spec.pop("main", {})}}
    module = {"id": name, "spec": {"containers": containers, **spec}}
    return RenderedWorkload(name=name, module=module, **further)


def codes(*workloads: RenderedWorkload) -> list[str]:
    return [diagnostic.code for diagnostic in render(workloads, "kubernetes").diagnostics]


def test_values_are_the_module() -> None:
    """As values a workload is its module, whatever is in it, with its secrets marked."""
    module = {"id": "web", "profile": "humanitec/default-job", "spec": {"anything": ["correct-horse"]}}
    web = RenderedWorkload(name="web", module=module, secret_paths=("spec:anything:0",))
    rendering = render([web], "values")
    assert rendering.diagnostics == ()
    assert rendering.documents == (Document(name="web", data=module, secret_paths=("spec:anything:0",)),)


def test_the_service_account_of_an_update() -> None:
    """What an update operation sets is in the manifest of the pod."""
    given_ = workload("web", {})
    update = [{"op": "add", "path": "/spec/serviceAccountName", "value": "web-sa"}]
    updated = RenderedWorkload(name="web", module=apply_patch(given_.module, update))
    (deployment,) = render([updated], "kubernetes").documents
    assert deployment.data["spec"]["template"]["spec"]["serviceAccountName"] == "web-sa"


@pytest.mark.parametrize(("size", "expected"), [(1024 * 1024, []), (1024 * 1024 + 1, ["E0831"])])
@pytest.mark.parametrize("is_secret", [True, False])
def test_the_largest_object(size: int, expected: list[str], *, is_secret: bool) -> None:
    """Files of more than 1 MiB are refused, because Kubernetes would refuse them."""
    paths = ("spec:containers:main:files:/a:content",) if is_secret else ()
    web = workload("web", {"main": {"files": {"/a": {"content": "x" * size}}}}, secret_paths=paths)
    assert codes(web) == expected


def test_pods_restart_with_their_files() -> None:
    """The pod's template changes with a file, and with a secret when the caller says so; else it stays."""

    def template(content: str, secret: str, revision: str = "") -> Any:
        main = {"files": {"/a": {"content": content}}, "variables": {"PW": secret}}
        path = ("spec:containers:main:variables:PW",)
        web = workload("web", {"main": main}, secret_paths=path, secrets_revision=revision)
        return render([web], "kubernetes").documents[-1].data["spec"]["template"]

    assert template("a", "p") == template("a", "p")
    assert template("a", "p") != template("b", "p")
    assert template("a", "p") == template("a", "q")
    assert template("a", "p", "1") != template("a", "p", "2")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("b.yaml:data:data:password", ("data:password",)),
        ("b.yaml:data", ("",)),
        ("b.yaml", ("",)),
        ("", ("",)),
        ("a.yaml:data:data", ()),
        ("b.yaml:location", ()),
    ],
)
def test_what_a_driver_puts_out(path: str, expected: tuple[str, ...]) -> None:
    """The manifests of a driver are read in the order of their names, each with its own secret paths."""
    brought = {
        "b.yaml": {"location": "namespace", "data": {"data": {"password": "correct-horse"}}},
        "a.yaml": {"location": "volumes", "data": {"name": "a"}},
    }
    first, second = manifests_of(brought, resource="shared.x", secret_paths=[path])
    assert first == Manifest(
        name="a.yaml",
        location="volumes",
        data={"name": "a"},
        resource="shared.x",
        secret_paths=first.secret_paths,
    )
    assert second.location == "namespace"
    assert second.secret_paths == expected


def test_two_objects_of_one_name() -> None:
    """Two different manifests for one object are refused; in two namespaces they are two objects."""

    def claim(size: str) -> tuple[Manifest, ...]:
        data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"size": size}}
        return (Manifest(name="c.yaml", location="namespace", data=data, resource="shared.c"),)

    assert codes(workload("a", {}, manifests=claim("1")), workload("b", {}, manifests=claim("1"))) == []
    assert codes(workload("a", {}, manifests=claim("1")), workload("b", {}, manifests=claim("2"))) == [
        "E0831"
    ]
    apart = [workload(name, {}, manifests=claim(name), namespace=name) for name in ("a", "b")]
    assert codes(*apart) == []
    assert len({document.name for document in render(apart, "kubernetes").documents}) == 4


def test_two_services_of_one_name() -> None:
    """A compose file with two services of the same name is refused."""
    both = {"main": {"image": "a"}, "side": {"image": "b"}}
    pair = RenderedWorkload(name="web", module={"spec": {"containers": both}})
    rendering = render([pair, workload("web-side", {})], "compose")
    assert [diagnostic.code for diagnostic in rendering.diagnostics] == ["E0831"]
    assert rendering.documents == ()


def test_secrets_as_a_whole() -> None:
    """A module that is secret as a whole cannot be manifests, but it can be a compose file and values."""
    web = workload("web", {}, secret_paths=("",))
    assert codes(web) == ["E0832"]
    assert [doc.is_secret for doc in render([web], "compose").documents] == [True]
    assert [doc.is_secret for doc in render([web], "values").documents] == [True]


@given(st.lists(st.text(max_size=80), unique=True, max_size=6), st.sampled_from([20, 52, 63]))
def test_labels(names: list[str], longest: int) -> None:
    """Every name becomes a label of DNS, and two names never the same one."""
    labels = [label(name, longest) for name in names]
    assert all(re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", text) and len(text) <= longest for text in labels)
    assert len(set(labels)) == len(names)


@given(st.lists(st.tuples(st.text(max_size=130), st.text(max_size=130)), unique=True, max_size=6))
def test_keys(paths: list[tuple[str, str]]) -> None:
    """Every path becomes a key of a ConfigMap, and two paths never the same one."""
    keys = [key(*path) for path in paths]
    assert all(re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", text) and not text.startswith("..") for text in keys)
    assert len(set(keys)) == len(paths)


@given(st.text(max_size=120))
def test_file_names(name: str) -> None:
    """A document's name is one of a file in its folder, whatever it was made from."""
    assert re.fullmatch(r"[_A-Za-z0-9][-_.A-Za-z0-9]*", file_name(name))
    assert len(file_name(name)) < 120


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500m", "0.5"), ("1", "1"), ("0.24", "0.24"), (2, "2"), (0.25, "0.25"), ("10u", "0.00001"),
        ("128Mi", str(128 * 1024**2)), ("128M", "128000000"), ("1Ki", "1024"), ("1K", "1000"), ("1k", "1000"),
        ("2e3", "2000"), ("1E", str(10**18)), ("1Ei", str(1024**6)), (".5", "0.5"),
        ("", None), ("fast", None), ("1Q", None), ("-1", None), ("1.2.3", None), (None, None), ([1], None),
        (True, None), ("9" * 40, None),
    ],
)  # fmt: skip
def test_quantities(text: Any, number: str | None) -> None:
    """A quantity means what it means to Kubernetes; anything else is none."""
    assert quantity(text) == (None if number is None else Decimal(number))
