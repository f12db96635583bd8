"""What earlier applies made and nothing declares any more, and the warning about it with the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.store.registry.enforced_form import EnforcedRow  # noqa: TC001 - msgspec resolves it
from ensue.store.registry.superseded import things_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_MOST_NAMED: Final = 5


class UndeclaredThing(msgspec.Struct, frozen=True, kw_only=True):
    """Something that earlier applies made and that nothing declares any more.

    Args:
        row: the entry of the last state about it.
        removal: the function that removes it.
        named: how the warning names it.
        hint: how to keep it; empty if nothing is known.
        word: what `ensue enforced forget` knows its entry by, and no other that the run does not name.
        is_kept: whether that entry is there; otherwise an apply is going to make it.
    """

    row: EnforcedRow
    removal: str
    named: str
    hint: str
    word: str
    is_kept: bool

    @property
    def place(self) -> tuple[str, str, str]:
        """Its target, its module and its name."""
        return self.row.target, self.row.entry.module, self.row.entry.name


class Undeclared(msgspec.Struct, frozen=True, kw_only=True):
    """The states that a run no longer declares.

    Args:
        things: what they made.
        entries: all entries about these things.
    """

    things: tuple[UndeclaredThing, ...]
    entries: tuple[EnforcedRow, ...]

    def without(self, gone: Collection[UndeclaredThing]) -> Undeclared | None:
        """Return the states whose things are still there; None if there are none.

        Args:
            gone: the things that do not exist any more.
        """
        things = tuple(thing for thing in self.things if thing not in gone)
        left = {(thing.row.target, name) for thing in things for name in things_of(thing.row.entry)}
        entries = [
            row for row in self.entries if any((row.target, name) in left for name in things_of(row.entry))
        ]
        return Undeclared(things=things, entries=tuple(entries)) if things else None

    @property
    def warning(self) -> Diagnostic:
        """The warning about them."""
        return _warning(self.things)


def _warning(things: Sequence[UndeclaredThing]) -> Diagnostic:
    names = list(dict.fromkeys(thing.named for thing in things))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    removals = ", ".join(f"`{name}`" for name in sorted({thing.removal for thing in things})[:_MOST_NAMED])
    hints = [thing.hint for thing in things if thing.hint][:_MOST_NAMED]
    if any(thing.row.entry.by is not None and thing.row.entry.by.pillar_keys for thing in things):
        hints.append(
            "what was applied with `--pillar` or `--pillar-file` may be declared with the values of that "
            "apply"
        )
    states = "a state is" if len(names) == 1 else f"{len(names)} states are"
    named = ", ".join(names[:_MOST_NAMED])
    return Diagnostic(
        code="E0894",
        summary=f"{states} no longer declared, and what earlier applies made stays: {named}{more}",
        help="; ".join(
            [
                *hints,
                f"if it has to go, declare that with {removals} and apply it",
                f"if it may stay, {_forgetting(things)}",
            ]
        ),
        severity=Severity.WARNING,
    )


def _forgetting(things: Sequence[UndeclaredThing]) -> str:
    """Return the commands that forget the entries of things, and when."""
    import shlex  # Only a run with such a warning needs it.

    by_time = {
        when: list(dict.fromkeys(thing.word for thing in things if thing.is_kept is is_kept))
        for when, is_kept in (("", True), ("once this is applied, ", False))
    }
    of_these = " for these" if max(map(len, by_time.values())) > _MOST_NAMED or all(by_time.values()) else ""
    return ", and ".join(
        f"{when}`ensue enforced forget {shlex.join(words[:_MOST_NAMED])}` ends this warning{of_these}"
        for when, words in by_time.items()
        if words
    )
