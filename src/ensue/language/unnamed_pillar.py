"""Finds pillar files that no target gets: no top file names them, and no other pillar file includes them.

Nothing is reported if a template decides what the top file or an `include` names, because then the names are
not in the text. Salt says nothing about such files.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.errors import CompileError
from ensue.core.model.data import is_list, is_mapping
from ensue.language.yaml import load_text
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.language.settings.roots import Roots

_TOP: Final = "top"
_MOST_LISTED: Final = 5
_TEMPLATE: Final = ("{{", "{%", "#!")


def unnamed_pillar(roots: Roots, saltenvs: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each environment with pillar files that nothing names.

    Args:
        roots: where pillar is.
        saltenvs: its environments.
    """
    for saltenv in saltenvs:
        names = [name for name in roots.names(saltenv) if name != _TOP]
        if names and (unnamed := _unnamed(roots, saltenv, names)):
            yield _warning(roots, saltenv, unnamed)


def _unnamed(roots: Roots, saltenv: str, names: list[str]) -> list[str]:
    words: set[str] = set()
    for name in (_TOP, *names):
        text = _text(roots, name, saltenv)
        if name != _TOP and "include" not in text:
            continue
        if any(sign in text for sign in _TEMPLATE):
            return []
        try:
            data = load_text(text, name)
        except CompileError:
            return []  # The compilation of pillar reports it.
        if is_mapping(data):
            lists = data.values() if name == _TOP else [{"": data.get("include")}]
            words.update(_entries(lists))
    return [name for name in names if not any(_names(word, name) for word in words)]


def _entries(of_targets: Iterable[Any]) -> Iterator[str]:
    """Yield the SLS in mappings of targets to lists of SLS; an entry of a list may be a mapping."""
    for targets in of_targets:
        for entries in targets.values() if is_mapping(targets) else ():
            for entry in entries if is_list(entries) else [entries]:
                yield from map(str, entry if is_mapping(entry) else [entry])


def _names(word: str, name: str) -> bool:
    """Return whether a word may mean an SLS; one with dots in front of it is relative to its file."""
    word = word.replace("/", ".")
    if word.startswith("."):
        return name == word.lstrip(".") or name.endswith(f".{word.lstrip('.')}")
    return fnmatch.fnmatchcase(name, word)


def _text(roots: Roots, name: str, saltenv: str) -> str:
    file = roots.find(name, saltenv)
    try:
        return "" if file is None else read_text(file.path, roots.shown(file.path))
    except CompileError:
        return _TEMPLATE[0]  # What it says is not known.


def _warning(roots: Roots, saltenv: str, unnamed: list[str]) -> Diagnostic:
    more = f" and {len(unnamed) - _MOST_LISTED} more" if len(unnamed) > _MOST_LISTED else ""
    first = roots.find(unnamed[0], saltenv)
    them = "it" if len(unnamed) == 1 else "them"
    return Diagnostic(
        code="E0887",
        summary=f"no target gets the pillar of {', '.join(unnamed[:_MOST_LISTED])}{more}",
        span=None if first is None else Span(roots.shown(first.path), 1),
        detail=f"the pillar top file names {them} for nobody, and no pillar file includes {them}",
        help=f"name {them} in top.sls of the pillar roots",
        severity=Severity.WARNING,
    )
