"""The secrets of secret stores that resources require."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.deploy.provisioning.secret_refs import misshapen_references, placed_references

if TYPE_CHECKING:
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.secret_refs import SecretReference


class WantedSecret(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that a definition refers to.

    Args:
        reference: its store and name.
        definition: the id of the definition.
        span: where the definition refers to it, None if unknown.
    """

    reference: SecretReference
    definition: str
    span: Span | None = None


def wanted_secrets(definition: Definition, data: Any) -> tuple[list[WantedSecret], list[Diagnostic]]:
    """Return the secrets that a resource requires, and the errors in the references to them.

    Args:
        definition: the definition of the resource.
        data: its `secret_refs`, evaluated.
    """
    place = definition.inputs.secret_refs.place
    secrets = [
        WantedSecret(reference=reference, definition=definition.id, span=place.below(*keys).span())
        for keys, reference in placed_references(data)
    ]
    wrong = [
        Diagnostic(
            code="E0837",
            summary=f"{'.'.join(map(str, misshapen_reference.keys))} of secret_refs of {definition.id} "
            "is not a secret",
            detail=misshapen_reference.what,
            span=place.below(*misshapen_reference.keys).span(),
            help="write {store: NAME, ref: SECRET} or {value: TEXT}",
        )
        for misshapen_reference in misshapen_references(data)
    ]
    return secrets, wrong
