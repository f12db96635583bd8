"""Manifests, in each form in which they may be written."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.model.unknown import Unknown
from ensue.deploy.kubernetes.manifests import ObjectKey, key_of, read_manifests


def manifest(kind: str = "ConfigMap", name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}}


TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
LIST: dict[str, Any] = {"apiVersion": "v1", "kind": "List", "items": [manifest(), manifest(name="b")]}


@pytest.mark.parametrize(
    ("written", "names"),
    [
        (None, []),
        ([], []),
        ("", []),
        ("---\n---\n", []),
        (Unknown("${x}"), []),
        (manifest(), ["a"]),
        ([manifest(), manifest(name="b")], ["a", "b"]),
        ({"one": manifest(), "two": [manifest(name="b")]}, ["a", "b"]),
        (TEXT, ["a"]),
        (f"{TEXT}---\n---\n{TEXT}", ["a", "a"]),
        ([TEXT, Unknown("${x}"), manifest(name="b")], ["a", "b"]),
        (LIST, ["a", "b"]),
        ([LIST, manifest(name="c")], ["a", "b", "c"]),
    ],
)
def test_manifests_may_be_written_in_several_ways(written: Any, names: list[str]) -> None:
    """As a list, a mapping, a text of several documents, and a List; what is not known yet is left out."""
    manifests, problems = read_manifests(written)
    assert problems == []
    assert [each["metadata"]["name"] for each in manifests] == names


def test_what_others_depend_on_comes_first() -> None:
    """Namespaces, then kinds, then the rest as it is written; what is given stays as it is."""
    kinds = ("Service", "CustomResourceDefinition", "ConfigMap", "Namespace")
    written = [manifest(kind) for kind in kinds]
    manifests, _ = read_manifests(written)
    assert [each["kind"] for each in manifests] == [
        "Namespace", "CustomResourceDefinition", "Service", "ConfigMap",
    ]  # fmt: skip
    manifests[0]["metadata"]["name"] = "b"
    assert [each["metadata"]["name"] for each in written] == ["a"] * 4


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (5, "manifests is not a mapping"),
        ("text", "manifests, document 1 is not a mapping"),
        ([5], "manifests[0] is not a mapping"),
        ("a: [", "manifests is not YAML: "),
        ({"web": "a: ["}, "manifests.web is not YAML: "),
        ([{"kind": "X"}], "manifests[0].kind, document 1 is not a mapping"),
        ([{"apiVersion": "", "kind": "X"}], "manifests[0]: apiVersion is missing"),
        ([{"apiVersion": "v1", "kind": 5}], "manifests[0]: kind is missing"),
        ("kind: X", "manifests, document 1: apiVersion is missing"),
        ([{"apiVersion": "v1", "kind": "X"}], "manifests[0]: metadata.name is missing (generateName would "),
        ([{**manifest(), "metadata": {"generateName": "a-"}}], "manifests[0]: metadata.name is missing"),
        ([{**manifest(), "metadata": 5}], "manifests[0]: metadata.name is missing"),
        ({**LIST, "items": [5]}, "manifests, items[0] is not a mapping"),
        ({**LIST, "items": 5}, "manifests: metadata.name is missing"),
    ],
)
def test_what_is_wrong_is_named(written: Any, problem: str) -> None:
    """By its place, one sentence each."""
    manifests, problems = read_manifests(written)
    assert manifests == []
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_what_is_not_known_yet_is_no_problem() -> None:
    """A part of a manifest may be known after apply only."""
    unknown: Any = Unknown("${x}")
    for fields in ({"metadata": unknown}, {"metadata": {"name": unknown}}, {"apiVersion": unknown}):
        manifests, problems = read_manifests([{**manifest(), **fields}])
        assert (len(manifests), problems) == (1, [])


def test_a_key_names_its_object() -> None:
    """With the namespace of the manifest before the given one, and none for a kind without one."""
    own = {**manifest(), "metadata": {"name": "a", "namespace": "own"}}
    assert str(key_of(own, "given")) == "ConfigMap own/a"
    assert str(key_of(manifest(), "given")) == "ConfigMap given/a"
    assert str(key_of(own, "")) == "ConfigMap a"
    first = ObjectKey(api_version="apps/v1", kind="Deployment", namespace="", name="b")
    assert sorted([key_of(own, ""), first]) == [first, key_of(own, "")]
