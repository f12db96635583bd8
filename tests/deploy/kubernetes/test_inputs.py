"""The inputs of a resource of Kubernetes objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ensue.core.model.unknown import Unknown
from ensue.deploy.kubernetes.cluster import ClusterAccess
from ensue.deploy.kubernetes.inputs import KubernetesInputs, read_inputs

ROOT = Path("/project")
KUBECONFIG: dict[str, Any] = {"clusters": []}
MANIFEST: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
UNKNOWN: Any = Unknown("${x}")


def read(values: Any, secrets: Any = None, account: Any = None) -> tuple[KubernetesInputs, list[str]]:
    return read_inputs(values, secrets, account, ROOT)


def test_the_inputs_are_read() -> None:
    """Plain and secret manifests, and how to apply them."""
    values = {
        "manifests": [MANIFEST],
        "namespace": "shop",
        "wait_s": 5,
        "force_conflicts": True,
        "context": "c",
    }
    secrets = {"manifests": {**MANIFEST, "kind": "Secret"}, "kubeconfig": KUBECONFIG}
    inputs, problems = read(values, secrets)
    assert problems == []
    assert [each["kind"] for each in inputs.manifests] == ["ConfigMap", "Secret"]
    assert (inputs.namespace, inputs.wait_s, inputs.forces) == ("shop", 5.0, True)
    assert inputs.access == ClusterAccess(kubeconfig=KUBECONFIG, context="c")
    plain, _ = read(
        {"manifests": MANIFEST, "wait_s": -1, "force_conflicts": "yes"}, {"kubeconfig": KUBECONFIG}
    )
    assert (plain.namespace, plain.wait_s, plain.forces) == ("", 0.0, False)


@pytest.mark.parametrize(
    ("values", "secrets", "account", "access"),
    [
        ({"kubeconfig_path": "a/b"}, {"kubeconfig": KUBECONFIG}, None, ClusterAccess(path="/project/a/b")),
        ({"kubeconfig_path": "/a/b", "context": "c"}, None, None, ClusterAccess(path="/a/b", context="c")),
        ({}, {"kubeconfig": "clusters: []"}, None, ClusterAccess(kubeconfig=KUBECONFIG)),
        ({}, None, {"kubeconfig": KUBECONFIG}, ClusterAccess(kubeconfig=KUBECONFIG)),
        (
            {},
            {"kubeconfig": KUBECONFIG},
            {"kubeconfig": {"clusters": [1]}},
            ClusterAccess(kubeconfig=KUBECONFIG),
        ),
        ({}, {"kubeconfig": UNKNOWN}, None, ClusterAccess()),
        ({}, None, UNKNOWN, ClusterAccess()),
        ({"kubeconfig_path": UNKNOWN}, None, None, ClusterAccess()),
    ],
)
def test_a_cluster_is_named(values: Any, secrets: Any, account: Any, access: ClusterAccess) -> None:
    """By a path of the project, a secret or the account; it may be known after apply only."""
    inputs, problems = read({"manifests": MANIFEST, **values}, secrets, account)
    assert (inputs.access, problems) == (access, [])


def test_what_is_not_known_yet_is_no_problem() -> None:
    """Not for any of the inputs."""
    names = ("manifests", "namespace", "wait_s", "force_conflicts", "context", "kubeconfig_path")
    inputs, problems = read(dict.fromkeys(names, UNKNOWN), {"manifests": UNKNOWN})
    assert problems == []
    assert inputs == KubernetesInputs(manifests=[], access=ClusterAccess())
    assert read(UNKNOWN, UNKNOWN, UNKNOWN)[1] == ["there are no manifests"]


@pytest.mark.parametrize(
    ("values", "secrets", "expected"),
    [
        ({"manifest": []}, {}, "manifest is not an input (did you mean manifests?)"),
        ({"xyz": 1}, {}, "xyz is not an input (there are: manifests, namespace, wait_s, force_conflicts, "),
        ({}, {"kubeconfg": 1}, "kubeconfg is not an input (did you mean kubeconfig?)"),
        (5, {}, "values is not a mapping"),
        ({}, ["a"], "secrets is not a mapping"),
        ({"manifests": []}, {}, "there are no manifests"),
        ({"wait_s": "soon"}, {}, "wait_s is not a number of seconds"),
        ({"wait_s": True}, {}, "wait_s is not a number of seconds"),
        ({"namespace": 5}, {}, "namespace is not a text"),
        ({"context": ["a"]}, {}, "context is not a text"),
        ({"kubeconfig_path": 5}, {}, "kubeconfig_path is not a text"),
        ({}, {}, "no cluster is named: write values.kubeconfig_path or secrets.kubeconfig"),
        ({}, {"kubeconfig": "secret-value: ["}, "kubeconfig is not a kubeconfig: it has no `clusters`"),
        ({}, {"kubeconfig": "secret-value"}, "kubeconfig is not a kubeconfig: it has no `clusters`"),
        ({}, {"kubeconfig": 5}, "kubeconfig is not a kubeconfig: it has no `clusters`"),
        ({"manifests": 5}, {}, "manifests is not a mapping"),
    ],
)
def test_what_is_wrong_is_named(values: Any, secrets: Any, expected: str) -> None:
    """A sentence each, and no secret in it."""
    _, problems = read(values, secrets)
    assert any(problem.startswith(expected) for problem in problems), problems
    assert "secret-value" not in str(problems)
