"""Warns of a file whose whole content one state writes, and that another state edits.

Each undoes what the other has done, so that both report a change in every apply. It is reported unless
something decides whether one of them runs, such as a condition, and unless the first only creates the file
(`replace: false`).

Source: Salt runs such states without a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.functions import Signature
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector

_DECIDING: Final = ("onchanges", "onchanges_any", "onfail", "onfail_any", "onfail_all", "prereq")


def warn_of_edited_contents(
    drafts: Sequence[Draft], signature_of: Callable[[Draft], Signature], collector: Collector
) -> None:
    """Warn of each state that edits a file whose whole content another state writes.

    Args:
        drafts: the states of a scope.
        signature_of: returns what the function of a state accepts.
        collector: collects the warnings.
    """
    whole = {
        _place(draft): draft
        for draft in drafts
        if _writes_all(draft, signature_of(draft)) and not _is_conditional(draft)
    }
    for draft in drafts if whole else ():
        declaration = draft.declaration
        writer = whole.get(_place(draft))
        if writer is None or writer is draft or _is_conditional(draft) or not signature_of(draft).edits_part:
            continue
        collector.warning(
            "E0412",
            f"{declaration.id!r} edits {draft.name}, whose whole content {writer.declaration.id!r} "
            f"({writer.declaration.span()}) writes",
            declaration.span(),
            detail="each undoes what the other has done, so both change the file in every apply, unless the "
            "content already has what the edit makes of it",
            help=f"write it into the content of {writer.declaration.id!r}; if that only creates the file, "
            "add `- replace: false` to it",
        )


def _writes_all(draft: Draft, signature: Signature) -> bool:
    arguments = draft.arguments
    return any(name in arguments for name in signature.writes.whole) and arguments.get("replace") is not False


def _place(draft: Draft) -> tuple[str, str]:
    """Return the path that a state is about, and the machines."""
    return draft.name, str(draft.declaration.arguments.get("tgt", ""))


def _is_conditional(draft: Draft) -> bool:
    options = draft.options
    return bool(
        options.unless
        or options.onlyif
        or options.creates
        or any(word in draft.declaration.arguments for word in _DECIDING)
    )
