"""The keys of every state function's `new_state`, read from the page docs/new-state.md.

The page is the only place that lists the keys; the wheel carries a copy of it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.function_docs import KeyDoc

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTION: Final = re.compile(r"^##+ ", re.MULTILINE)
_FUNCTIONS: Final = re.compile(r"^Functions: (.*?)\n\n", re.MULTILINE | re.DOTALL)
_ROW: Final = re.compile(r"^\| `([^`]+)` \| ([a-z ]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


@cache
def new_state_keys() -> Mapping[str, tuple[KeyDoc, ...]]:
    """Return the keys by function, `module.function`."""
    keys: dict[str, tuple[KeyDoc, ...]] = {}
    for section in _SECTION.split(_page()):
        listed = _FUNCTIONS.search(f"{section}\n\n")
        rows = tuple(
            KeyDoc(name=name, type=type_, present=present.strip(), meaning=meaning.strip())
            for name, type_, present, meaning in _ROW.findall(section)
        )
        keys |= dict.fromkeys(re.findall(r"`([^`]+)`", listed[1]) if listed else (), rows)
    return keys


def declared_keys(module: str, function: str) -> tuple[str, ...]:
    """Return the keys that the `new_state` of a function of ensue may have; none if the page lists none.

    Args:
        module: its module.
        function: its name in it; the module's `mod_watch` may run in its place.
    """
    keys = new_state_keys()
    own = keys.get(f"{module}.{function}", ())
    watching = keys.get(f"{module}.mod_watch", ()) if own else ()
    return tuple(dict.fromkeys(key_doc.name for key_doc in (*own, *watching)))


def _page() -> str:
    """Read the page from the wheel, or from the checkout that this module is part of."""
    here = Path(__file__).resolve()
    for page in (here.with_name("new-state.md"), here.parents[4] / "docs" / "new-state.md"):
        if page.is_file():
            return page.read_text(encoding="utf-8")
    return ""
