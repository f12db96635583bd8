"""Signing policies: named arguments for certificates, defined in options or pillar.

Source: Salt's execution module `x509_v2`, 3008: `x509_signing_policies`, and their precedence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.reach.certificates.names import ATTRIBUTES, with_short_names

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_OPTION: Final = "x509_signing_policies"


async def policy_named(ctx: FunctionContext, name: str | None) -> dict[str, Any]:
    """Return the arguments of a policy, by their short names; an empty mapping without a name.

    Args:
        ctx: the target.
        name: a key of `x509_signing_policies` in pillar or options.

    Raises:
        StateFailedError: there is no such policy.
    """
    if not name:
        return {}
    policies: Any = await ctx.call("config.get", _OPTION, {})
    policy: Any = policies.get(name) if is_mapping(policies) else None
    entries: list[Any] = policy if is_list(policy) else [policy]
    if not policy or not all(is_mapping(entry) for entry in entries):
        raise StateFailedError(f"{_OPTION}, in options or pillar, has no policy {name}")
    whole = with_short_names({word: value for entry in entries for word, value in entry.items()})
    if passphrase := whole.get("signing_private_key_passphrase"):
        ctx.masker.add(str(passphrase))
    return whole


def merged(policy: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for a certificate; those of a policy take precedence.

    Name attributes of the policy replace the whole given `subject`. The policy's `subject` is merged with the
    given one if both are mappings or both are lists.

    Args:
        policy: the arguments of the policy.
        given: the user's arguments, by their short names.
    """
    rest = {word: value for word, value in policy.items() if word != "minions"}
    fields = dict(given)
    if "subject" in fields and any(word in rest for word in ATTRIBUTES):
        del fields["subject"]
    theirs, ours = rest.get("subject"), fields.get("subject")
    if is_mapping(theirs) and is_mapping(ours):
        rest["subject"] = {**ours, **theirs}
    elif is_list(theirs) and is_list(ours):
        rest["subject"] = [*theirs, *ours]
    return {**fields, **rest}
