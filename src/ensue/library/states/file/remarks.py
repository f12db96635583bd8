"""Warns of arguments of Salt's functions that have no effect, and refuses those that check signatures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_REFUSED: Final = frozenset({"signature", "source_hash_sig", "signed_by_any", "signed_by_all"})
"""These are refused: a state that requests a signature check must not succeed without one."""

_WORD: Final = re.compile(r"\w+")
_TAKES_IN: Final = re.compile(r"\b(?:extends|from|import|include)\b|<%")
"""Tags that take in other templates, and those of renderers other than Jinja."""

_SILENT: Final = frozenset({
    "keep_source", "saltenv", "verify_ssl", "use_etag", "keyring", "gnupghome", "sig_backend",
    "win_owner", "win_perms", "win_deny_perms", "win_inheritance", "win_perms_reset",
})  # fmt: skip
"""These concern only Salt's cache, Windows, or arguments that are refused."""

_UNMANAGED: Final = frozenset({
    "attrs", "selinux", "ignore_ordering", "ignore_whitespace", "ignore_comment_characters",
    "include_empty", "atomic", "disallow_copy_and_unlink", "inherit_user_and_group",
})  # fmt: skip

KNOWN: Final = (
    _REFUSED
    | _SILENT
    | {"attrs", "selinux", "ignore_ordering", "ignore_whitespace", "ignore_comment_characters"}
)
"""Arguments of Salt's `file.managed` that have no effect in ensue."""

OUTDATED: Final = {"show_diff": "show_changes", "env": "saltenv", "force": "", "backup_mode": "backup"}
"""Arguments of earlier releases of Salt."""


def remarks(function: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return a warning for each argument that has no effect.

    Args:
        function: the state function, for the text.
        given: names of further arguments.

    Raises:
        StateFailedError: one of them requests a signature check.
    """
    words = [word for word in given if word not in _SILENT]
    if not words:
        return ()
    refused = sorted(_REFUSED.intersection(words))
    if refused:
        raise StateFailedError(
            f"{function}: {', '.join(refused)}: signatures are not checked by ensue "
            "(use source_hash with a checksum from a place you trust)"
        )
    return tuple(
        f"{function}: `{word}` has no effect "
        + ("(ensue does not manage it)" if word in _UNMANAGED else "(there is no such argument)")
        for word in words
    )


def further_variables(given: Mapping[str, Any], template: str | None) -> dict[str, Any]:
    """Return the arguments that Salt's function does not have, which become variables of the template.

    Formulas rely on this: they write `- context:` followed by variables that are not indented below it.

    Args:
        given: the function's further arguments.
        template: the renderer; None if nothing is rendered.
    """
    known = KNOWN | _UNMANAGED
    return {word: value for word, value in given.items() if word not in known} if template else {}


def unread_variables(function: str, further: Iterable[str], text: str) -> tuple[str, ...]:
    """Return a warning for each further argument that is no variable of the template, such as a misspelt one.

    A template that takes in others says nothing about what they read.

    Args:
        function: the state function, for the text.
        further: the arguments that become variables.
        text: the template.
    """
    if _TAKES_IN.search(text):
        return ()
    words = set(_WORD.findall(text))
    return tuple(
        f"{function}: `{word}` has no effect (there is no such argument, and the template does not read it)"
        for word in further
        if word not in words
    )
