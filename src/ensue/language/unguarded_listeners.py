"""Warns of a listener that does not wait for what its state requires.

The listener of a state runs at the end of the run, without the requisites of the state: it also runs after
what these name has failed, or did not fail (`onfail`). It is reported unless each state that it listens to
needs the same state by `require`, `watch` or a reference, so that it changes nothing after such a failure.

Source: Salt 3008's `listen`, which behaves so without a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.requested import Requested

_REQUIRING: Final = ("require", "require_any")
_ON_FAILURE: Final = ("onfail", "onfail_any", "onfail_all")
_NEEDING: Final = ("require", "watch", "arg_bind")
"""Words by which a state does not run if one of the states that they name has failed."""


def warn_of_unguarded_listeners(drafts: list[Draft], requested: Requested, collector: Collector) -> None:
    """Warn once per state with `listen`, its own or another state's, that requires something else.

    Args:
        drafts: the states of a scope.
        requested: for each of them, its requisite words and the states they name.
        collector: collects the warnings.
    """
    for number, heard in _listening(requested).items():
        words = requested[number]
        for word in (*_REQUIRING, *_ON_FAILURE):
            named = words.get(word)
            if named and (word in _ON_FAILURE or not _is_needed(named, heard, requested)):
                _warn(drafts[number], word, drafts[next(iter(named))].declaration.id, collector)
                break


def _listening(requested: Requested) -> dict[int, dict[int, None]]:
    """Return the states that listen, each with what it listens to."""
    listening: dict[int, dict[int, None]] = {}
    for number, words in enumerate(requested):
        if heard := words.get("listen"):
            listening.setdefault(number, {}).update(heard)
        for listener in words.get("listen_in", ()):
            listening.setdefault(listener, {})[number] = None
    return listening


def _is_needed(named: Iterable[int], heard: Iterable[int], requested: Requested) -> bool:
    """Return whether each state that is listened to needs all of some states, or is one of them."""
    missing = set(named)
    return all(_needs(number, missing, requested) for number in heard)


def _needs(number: int, named: set[int], requested: Requested) -> bool:
    needed, waiting = {number}, [number]
    while waiting and not named <= needed:
        words = requested[waiting.pop()]
        for word in _NEEDING:
            for other in words.get(word, ()):
                if other not in needed:
                    needed.add(other)
                    waiting.append(other)
    return named <= needed


def _warn(draft: Draft, word: str, named: str, collector: Collector) -> None:
    declaration = draft.declaration
    event = "did not fail" if word in _ON_FAILURE else "failed"
    collector.warning(
        "E0917",
        f"{declaration.id!r} listens, and its listener does not wait for its `{word}`",
        declaration.span(word) if word in declaration.arguments else declaration.span(),
        detail="a listener runs at the end of the run, without the requisites of its state: "
        f"also if {named!r} {event}",
        help="`watch` (`watch_in`) in place of `listen` (`listen_in`) does wait, and for a command cmd.run "
        "with `onchanges`; a file is checked before it is written by its own `check_cmd`",
    )
