"""Finds the variables that a configuration declares, without running terraform, and those that it does not.

Strings, comments and heredocs are skipped, so that what only looks like a declaration is none.

Source: Terraform language, "Declaring an input variable", "JSON configuration syntax"; HCL native syntax.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.model.bounded_json import load_json
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TOKEN: Final = re.compile(
    r"""
    (?P<comment> \#[^\n]* | //[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<heredoc> <<-?(?P<tag>[^\W\d][\w-]*)[^\n]*\n .*? (?:^[ \t]*(?P=tag)[ \t]*$|\Z) )
    | (?<![\w.-]) variable \s+ (?: "(?P<quoted>[^"\\\n]*)" | (?P<bare>[^\W\d][\w-]*) ) \s* \{
    | (?P<string> "(?:\\.|[^"\\\n])*" )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_NATIVE: Final = ("*.tf", "*.tofu")
_JSON: Final = ("*.tf.json", "*.tofu.json")


def undeclared(variables: Iterable[str], folder: str) -> dict[str, str]:
    """Return what is wrong with each variable that a configuration does not declare, by its name.

    Args:
        variables: the names of those that get a value.
        folder: the folder of the configuration.
    """
    given = sorted(variables)
    declared = frozenset(declared_variables(Path(folder)) if given else ())
    return {
        name: f"the configuration declares no variable {name!r}{near(name, declared)}; its value is not used"
        for name in given
        if name not in declared
    }


def declared_variables(folder: Path) -> Iterator[str]:
    """Yield the variables that the files of a folder declare.

    Args:
        folder: the folder; terraform reads no folder in it.
    """
    for pattern in _NATIVE:
        for path in sorted(folder.glob(pattern)):
            for token in _TOKEN.finditer(path.read_text("utf-8", "replace")):
                if name := token["quoted"] or token["bare"]:
                    yield name
    for pattern in _JSON:
        for path in sorted(folder.glob(pattern)):
            yield from _in_json(path)


def _in_json(path: Path) -> Iterator[str]:
    try:
        content = load_json(path.read_bytes())
    except ValueError:
        return  # Terraform reports it.
    blocks = content if is_list(content) else [content]
    for block in blocks:
        named = block.get("variable") if is_mapping(block) else None
        for mapping in named if is_list(named) else [named]:
            yield from map(str, mapping if is_mapping(mapping) else ())
