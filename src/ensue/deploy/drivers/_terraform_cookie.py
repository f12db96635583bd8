"""What the driver `terraform` keeps of a resource, and what it says about what was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.contracts.deadlines import TERRAFORM_S
from ensue.core.contracts.managed_objects import ManagedObject

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap


class TerraformCookie(msgspec.Struct, frozen=True, kw_only=True):
    """The cookie: what a delete needs.

    Args:
        path: the configuration's own folder below the copy.
        files: files that exist only while terraform runs.
        variables: values of its variables.
        environment: environment variables for terraform.
        binary: the name or path of the binary.
        commit: the copied commit; empty: not from Git.
        source: the fingerprint of the source that was copied; empty: there is none.
        timeout_s: how long a delete may take.
        has_state: whether the state is kept below the driver's directory.
        providers: those of what the state has, as it names them, since the last successful apply; None: none
            has succeeded.
        addresses: what the state had after the last successful apply.
        lineage: the id of the state, wherever it is; empty: no apply has succeeded.
        attempted: the same of an apply since, which has not succeeded; None: there is none.
    """

    path: str
    files: dict[str, str]
    variables: dict[str, Any]
    environment: dict[str, str]
    binary: str = ""
    commit: str = ""
    source: str = ""
    timeout_s: float = TERRAFORM_S
    has_state: bool = False
    providers: list[str] | None = None
    addresses: list[str] = []
    lineage: str = ""
    attempted: TerraformCookie | None = None


def managed(cookie: DataMap | None) -> list[ManagedObject]:
    """Return what the state has; two resources that share a state, in a backend of theirs, have the same."""
    if cookie is None:
        return []
    former = msgspec.convert(cookie, TerraformCookie)
    place = ("terraform", former.lineage)
    named = [ManagedObject(place=(*place, address), name=address) for address in former.addresses]
    return named if former.lineage else []


destroys = managed
