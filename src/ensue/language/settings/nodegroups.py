"""Validates the `nodegroups` of `ensue.yaml`.

A nodegroup that does not parse, names a missing nodegroup, or contains itself is an error with its position
before anything runs, whether it is used or not. One that has another's name without `N@` is a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.language.targeting import read_nodegroups
from ensue.language.targeting.nodegroups import groups_taken_for_ids

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.diagnostics import Span
    from ensue.language.yaml import YamlDocument


def nodegroup_errors(given: Mapping[str, Any], document: YamlDocument | None) -> list[Diagnostic]:
    """Return the errors in nodegroups, and the warnings if there is none.

    Args:
        given: expressions, or lists of words, by name.
        document: the file that contains them, None for nodegroups from a program.
    """
    groups, errors = read_nodegroups(given)
    if not errors:
        return [_taken_for_id(name, word, document) for name, word in groups_taken_for_ids(groups)]
    return [
        Diagnostic(
            code=error.code,
            summary=f"the nodegroup {error.name!r}: {error.problem}",
            help=error.help,
            span=_place(error.name, document),
        )
        for error in errors
    ]


def _taken_for_id(name: str, word: str, document: YamlDocument | None) -> Diagnostic:
    return Diagnostic(
        code="E0888",
        summary=f"{word!r} in the nodegroup {name!r} is taken for the id of a machine",
        span=_place(name, document),
        detail="a word without an engine is a glob of ids",
        help=f"the nodegroup is N@{word}; if a machine has that id, it is L@{word}",
        severity=Severity.WARNING,
    )


def _place(name: str, document: YamlDocument | None) -> Span | None:
    return document.locate(("nodegroups", name)) if document else None
