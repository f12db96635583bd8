"""What is wrong with the `nodegroups` of `ensue.yaml`.

A nodegroup that does not parse, names another one that does not exist, or contains itself is an error with
its place before anything runs, used or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.diagnostics import Diagnostic
from ensue.targeting import read_nodegroups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.yaml import YamlDocument


def nodegroup_errors(given: Mapping[str, Any], document: YamlDocument | None) -> list[Diagnostic]:
    """Return everything that is wrong with nodegroups.

    Args:
        given: expressions, or lists of words, by name.
        document: the file that they are written in, None for those that were given by a program.
    """
    return [
        Diagnostic(
            code=error.code,
            summary=f"the nodegroup {error.name!r}: {error.problem}",
            span=document.locate(("nodegroups", error.name)) if document else None,
        )
        for error in read_nodegroups(given)[1]
    ]
