"""Validates the `nodegroups` of `ensue.yaml`.

A nodegroup that does not parse, names a missing nodegroup, or contains itself is an error with its position
before anything runs, whether it is used or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.language.targeting import read_nodegroups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.yaml import YamlDocument


def nodegroup_errors(given: Mapping[str, Any], document: YamlDocument | None) -> list[Diagnostic]:
    """Return the errors in nodegroups.

    Args:
        given: expressions, or lists of words, by name.
        document: the file that contains them, None for nodegroups from a program.
    """
    return [
        Diagnostic(
            code=error.code,
            summary=f"the nodegroup {error.name!r}: {error.problem}",
            span=document.locate(("nodegroups", error.name)) if document else None,
        )
        for error in read_nodegroups(given)[1]
    ]
