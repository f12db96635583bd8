"""Warns of a file whose whole content one state writes, and that another state writes or edits.

Each undoes what the other has done, so that both report a change in every apply. It is reported unless
something decides whether one of them runs, such as a condition, and unless the first only creates the file
(`replace: false`).

Source: Salt runs such states without a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector

_RENDERING: Final = ("template", "context", "defaults")
"""Arguments on which the content depends, beside those that are the content."""

_DECIDING: Final = ("onchanges", "onchanges_any", "onfail", "onfail_any", "onfail_all", "prereq")


def warn_of_edited_contents(drafts: Sequence[Draft], collector: Collector) -> None:
    """Warn of each state that edits a file whose whole content another state writes, or writes other content.

    Args:
        drafts: the states of a scope.
        collector: collects the warnings.
    """
    whole: dict[tuple[str, str], Draft] = {}
    for draft in drafts:
        if draft.signature.writes.whole and _writes_all(draft) and not _is_conditional(draft):
            first = whole.setdefault(_place(draft), draft)
            if _content(first) != _content(draft):
                _warn_of_other_content(draft, first, collector)
    for draft in drafts if whole else ():
        declaration = draft.declaration
        writer = whole.get(_place(draft))
        if writer is None or writer is draft or _is_conditional(draft) or not draft.signature.edits_part:
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


def _warn_of_other_content(draft: Draft, writer: Draft, collector: Collector) -> None:
    declaration, other = draft.declaration, writer.declaration
    collector.warning(
        "E0413",
        f"{declaration.id!r} and {other.id!r} ({other.span()}) write different content to {draft.name}",
        declaration.span(),
        detail="each undoes what the other has done, so both change the file in every apply",
        help="write the file in one state, or decide between the two with a condition or {% if %}; if the "
        "first only creates the file, add `- replace: false` to it",
    )


def _content(draft: Draft) -> dict[str, object]:
    """Return the arguments that are the content of a file, or on which it depends."""
    names = (*draft.signature.writes.whole, *_RENDERING)
    return {name: draft.arguments[name] for name in names if name in draft.arguments}


def _writes_all(draft: Draft) -> bool:
    whole, arguments = draft.signature.writes.whole, draft.arguments
    return any(name in arguments for name in whole) and arguments.get("replace") is not False


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
