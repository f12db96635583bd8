"""Reads the inputs of a resource of Kubernetes objects, as written in a resource definition."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.bounded_yaml import load_plain_yaml
from ensue.core.model.data import is_mapping
from ensue.core.model.unknown import Unknown
from ensue.deploy.kubernetes.cluster import ClusterAccess
from ensue.deploy.kubernetes.manifests import read_manifests

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.model.data import Data

_VALUES: Final = ("manifests", "namespace", "wait_s", "force_conflicts", "kubeconfig_path", "context")
_SECRETS: Final = ("kubeconfig", "manifests")


class KubernetesInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The manifests, and where to apply them.

    Args:
        manifests: the manifests, in the order of applying.
        access: how to connect to the cluster.
        namespace: the namespace for objects that name none; empty for the context's.
        wait_s: how long to wait for Deployments to be available, in seconds; 0 for not at all.
        forces: whether to take over fields that another manager has set.
    """

    manifests: list[dict[str, Any]]
    access: ClusterAccess
    namespace: str = ""
    wait_s: float = 0.0
    forces: bool = False


def read_inputs(values: Data, secrets: Data, account: Data, root: Path) -> tuple[KubernetesInputs, list[str]]:
    """Read the inputs of a resource.

    Args:
        values: the plain inputs; they may contain `Unknown`.
        secrets: the secret inputs.
        account: the account; a mapping may contain a `kubeconfig`.
        root: the project's folder.

    Returns:
        The inputs, valid only if there are no problems; and the problems, one sentence each.
    """
    problems: list[str] = []
    plain = _mapping(values, "values", _VALUES, problems)
    secret = _mapping(secrets, "secrets", _SECRETS, problems)
    manifests: list[dict[str, Any]] = []
    for part in (plain, secret):
        read, wrong = read_manifests(part.get("manifests"))
        manifests += read
        problems += wrong
    if not manifests and not problems and not _has_unknown(plain, secret):
        problems.append("there are no manifests")
    wait_s = plain.get("wait_s", 0)
    if isinstance(wait_s, bool) or not isinstance(wait_s, (int, float, Unknown)):
        problems.append("wait_s is not a number of seconds")
        wait_s = 0
    inputs = KubernetesInputs(
        manifests=manifests,
        access=_access(plain, secret, account, root, problems),
        namespace=_text(plain, "namespace", problems),
        wait_s=0.0 if isinstance(wait_s, Unknown) else max(0.0, float(wait_s)),
        forces=plain.get("force_conflicts") is True,
    )
    return inputs, problems


def _access(
    plain: Mapping[str, Any], secret: Mapping[str, Any], account: Any, root: Path, problems: list[str]
) -> ClusterAccess:
    context = _text(plain, "context", problems)
    if path := _text(plain, "kubeconfig_path", problems):
        return ClusterAccess(path=str(root / path), context=context)
    written: Any = secret.get("kubeconfig")
    if written is None and is_mapping(account):
        written = account.get("kubeconfig")
    if any(isinstance(setting, Unknown) for setting in (written, account, plain.get("kubeconfig_path"))):
        return ClusterAccess()
    if written is None:
        problems.append("no cluster is named: write values.kubeconfig_path or secrets.kubeconfig")
        return ClusterAccess()
    if isinstance(written, str):
        try:
            written = load_plain_yaml(written)
        except ValueError:
            # The parser's message may quote it.
            written = None
    if not is_mapping(written) or "clusters" not in written:
        problems.append("kubeconfig is not a kubeconfig: it has no `clusters`")
        return ClusterAccess()
    return ClusterAccess(kubeconfig=written, context=context)


def _mapping(data: Any, name: str, known: tuple[str, ...], problems: list[str]) -> dict[str, Any]:
    if data is None or isinstance(data, Unknown):
        return {}
    if not is_mapping(data):
        problems.append(f"{name} is not a mapping")
        return {}
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            problems.append(f"{key} is not an input ({hint})")
    return data


def _text(inputs: Mapping[str, Any], name: str, problems: list[str]) -> str:
    value = inputs.get(name)
    if value is None or isinstance(value, (str, Unknown)):
        return value if isinstance(value, str) else ""
    problems.append(f"{name} is not a text")
    return ""


def _has_unknown(*inputs: Mapping[str, Any]) -> bool:
    return any(isinstance(input_.get("manifests"), Unknown) for input_ in inputs)
