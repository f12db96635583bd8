"""The words that are options of a state instead of arguments of its function.

Source: Salt's requisites and state options.
"""

from __future__ import annotations

from typing import Final

from ensue.core.model.requisite import RequisiteKind

REQUISITES: Final[dict[str, tuple[RequisiteKind, bool]]] = {
    "require": (RequisiteKind.REQUIRE, False),
    "require_any": (RequisiteKind.REQUIRE, True),
    "watch": (RequisiteKind.WATCH, False),
    "watch_any": (RequisiteKind.WATCH, True),
    "onchanges": (RequisiteKind.ONCHANGES, False),
    "onchanges_any": (RequisiteKind.ONCHANGES, True),
    "onfail": (RequisiteKind.ONFAIL, True),
    "onfail_any": (RequisiteKind.ONFAIL, True),
    "onfail_all": (RequisiteKind.ONFAIL, False),
    "prereq": (RequisiteKind.PREREQ, False),
    "listen": (RequisiteKind.LISTEN, False),
}
"""Requisite words, with the relation and whether one of the named states is enough.

`onchanges` is met by any of its states in Salt too; the engine decides that by the kind.
"""

MEANINGS: Final = {
    **REQUISITES,
    "listen_in": (RequisiteKind.LISTEN_IN, False),
    "arg_bind": (RequisiteKind.ARG_BIND, False),
}
"""All words of chunks: `arg_bind` is what references become, and a chunk keeps `listen_in` as it is."""

REQUISITES_IN: Final[dict[str, tuple[RequisiteKind, bool]]] = {
    f"{word}_in": meaning for word, meaning in REQUISITES.items()
}
"""Requisite words that are written in the other state (`require_in`)."""

REQUISITE_OPTIONS: Final = frozenset({*REQUISITES, *REQUISITES_IN, "use", "use_in", "onfail_stop"})

ADDED_UP: Final = frozenset({*REQUISITES_IN, "use", "use_in"})
"""Lists that are joined if a state has several; of other words, the last one counts."""

MERGED_BY_EXTEND: Final = frozenset({*REQUISITES, *REQUISITES_IN, "use", "use_in"})
"""Lists that `extend` adds to instead of replacing."""

DROPPED: Final = frozenset({"order", "state", "fun", "saltenv", "aggregate", "__env__", "__sls__"})
"""Words that the compiler consumes, or accepts without effect."""
