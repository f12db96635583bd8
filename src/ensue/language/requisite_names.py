"""The words of the language that are options of a state, not arguments of its function.

Source: Salt's requisites and state options.
"""

from __future__ import annotations

from typing import Final

from ensue.model.requisite import RequisiteKind

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
"""Requisite words: the relation, and whether one of the named states is enough.

`onchanges` is met by any of its states in Salt too; the engine decides that by the kind.
"""

MEANINGS: Final = {
    **REQUISITES,
    "listen_in": (RequisiteKind.LISTEN_IN, False),
    "arg_bind": (RequisiteKind.ARG_BIND, False),
}
"""The same with the word that references come to, and the one that is not turned around: its place counts."""

REQUISITES_IN: Final[dict[str, tuple[RequisiteKind, bool]]] = {
    f"{word}_in": meaning for word, meaning in REQUISITES.items()
}
"""The same, written at the other end."""

REQUISITE_OPTIONS: Final = frozenset({*REQUISITES, *REQUISITES_IN, "use", "use_in", "onfail_stop"})

ADDED_UP: Final = frozenset({*REQUISITES_IN, "use", "use_in"})
"""Lists that count together where a state has several of them; of all others the last one counts."""

MERGED_BY_EXTEND: Final = frozenset({*REQUISITES, *REQUISITES_IN, "use", "use_in"})
"""Lists that `extend` adds to instead of replacing."""

DROPPED: Final = frozenset({"order", "state", "fun", "saltenv", "aggregate", "__env__", "__sls__"})
"""Words that are used up by the compiler or accepted without effect."""
