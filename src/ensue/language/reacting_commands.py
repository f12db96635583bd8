"""Warns of a command that is meant to react to changes and runs in every apply.

`watch` and `listen` add a reaction to what a state does anyway, and a `cmd.run` runs its command anyway. It
is reported unless something else decides whether it runs: a condition, another requisite, or an argument by
which it says that it only reads or what it has changed.

Source: Salt runs such a command in every apply, without a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.requested import Requested, Words

_RUN_ANYWAY: Final = {("cmd", "run"): "cmd.wait", ("cmd", "script"): "cmd.wait_script"}
_REACTING: Final = {"watch": "onchanges", "watch_any": "onchanges_any", "listen": "onchanges"}
"""Words that add a reaction, and those by which a state does nothing else."""
_DECIDING: Final = frozenset({
    "onchanges", "onchanges_any", "onfail", "onfail_any", "onfail_all", "prereq",
})  # fmt: skip
_OF_ITSELF: Final = frozenset({"read_only", "stateful"})


def warn_of_reacting_commands(drafts: list[Draft], requested: Requested, collector: Collector) -> None:
    """Warn once per command with `watch` or `listen`, its own or another state's, that runs in every apply.

    Args:
        drafts: the states of a scope.
        requested: for each of them, its requisite words and the states they name.
        collector: collects the warnings.
    """
    for number, word in dict(_additions(requested)).items():
        draft = drafts[number]
        declaration = draft.declaration
        instead = _RUN_ANYWAY.get((declaration.module, declaration.function))
        if instead is None or _is_conditional(draft, requested[number]):
            continue
        where = declaration.span(word) if word in declaration.arguments else declaration.span()
        function = f"{declaration.module}.{declaration.function}"
        at_the_end = ", and once more at the end of a run that changes something" if word == "listen" else ""
        collector.warning(
            "E0889",
            f"{declaration.id!r} has `{word}` and runs its command in every apply",
            where,
            detail=f"`{word}` adds a reaction to what a state does anyway, and {function} "
            f"runs its command anyway{at_the_end}",
            help=f"to run it only after changes, write {instead} in place of {function}, or "
            f"`{_REACTING[word]}` in place of `{word}`; to run it in every apply, write `require`",
        )


def _additions(requested: Requested) -> Iterator[tuple[int, str]]:
    """Yield the number of each state that is to react, and the word by which."""
    for number, words in enumerate(requested):
        yield from ((number, word) for word in _REACTING if word in words)
        yield from ((listener, "listen") for listener in words.get("listen_in", ()))


def _is_conditional(draft: Draft, words: Words) -> bool:
    options = draft.options
    return bool(
        options.unless
        or options.onlyif
        or options.creates
        or not _DECIDING.isdisjoint(words)
        or any(draft.arguments.get(word) for word in _OF_ITSELF)
    )
