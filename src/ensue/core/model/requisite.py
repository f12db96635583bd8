"""Requisites: the relations of a chunk to other chunks.

Source: Salt's requisites; kinds and meanings as in Salt 3008.
"""

from __future__ import annotations

import enum

import msgspec


class RequisiteKind(enum.Enum):
    """The relation between a chunk and the chunks it names. `use` and `extend` are gone after compilation."""

    REQUIRE = "require"
    WATCH = "watch"
    ONCHANGES = "onchanges"
    ONFAIL = "onfail"
    PREREQ = "prereq"
    LISTEN = "listen"
    LISTEN_IN = "listen_in"
    """The named chunks listen to this one; they fire in the order in which they are named."""
    ARG_BIND = "arg_bind"


class Requisite(msgspec.Struct, frozen=True):
    """One resolved requisite of a chunk.

    Args:
        kind: the relation.
        chunks: indices into the plan's chunks, in the order the user named them; empty for
            what triggers a chunk (`onchanges`, `listen`) if a part of a run leaves all of it out.
        any: one of them is enough (`require_any`, and `onfail`, which is any unless `onfail_all`).
    """

    kind: RequisiteKind
    chunks: tuple[int, ...]
    any: bool = False
