"""State options: what a declaration says about its own execution."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.chunk import NO_OPTIONS, Retry, StateOptions
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.numbers import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

TAGS: Final = "tags"
"""The option that names a state for `--only`, `--exclude` and `--start-at`."""

_PASSED_ON: Final = frozenset({"umask", "reload_modules", "reload_grains", "reload_pillar", "fire_event"})
OPTION_WORDS: Final = frozenset({
    "unless", "onlyif", "creates", "check_cmd", "failhard", "retry", "timeout", "parallel", "runas",
    "onfail_stop", "registers", "delayed_render", TAGS, *_PASSED_ON,
})  # fmt: skip
"""Words that are options; `runas`, `timeout`, `creates` and `umask` go to functions that take them, too."""

_OCTAL: Final = 8
_MOST_SHOWN: Final = 60
"""How many characters of a refused value a message shows."""
_SHARED: Final = frozenset({"runas", "umask", "timeout", "creates", "check_cmd", "unless", "onlyif", TAGS})
_OWN_IF_ACCEPTED: Final = frozenset({"timeout", "check_cmd", TAGS})
_BETWEEN_TAGS: Final = re.compile(r"[\s,]")


def read_options(
    declaration: Declaration, arguments: dict[str, Any], accepts: Callable[[str], bool], found: Collector
) -> StateOptions:
    """Take the options out of a declaration's arguments.

    Args:
        declaration: for messages.
        arguments: the arguments; options are removed from it, except those that the function takes itself.
        accepts: whether the function takes an argument of that name.
        found: collects the errors.
    """
    reader = _OptionReader(declaration, found)
    if "order" in arguments:
        reader.order(arguments["order"])
    words = arguments.keys() & OPTION_WORDS
    if not words:
        return NO_OPTIONS
    given: dict[str, Any] = {}
    for word in words:
        taken = word in _SHARED and accepts(word)
        if taken and word in _OWN_IF_ACCEPTED:
            # The function itself does what the engine does for other functions (file.managed's check_cmd).
            continue
        given[word] = arguments[word] if taken else arguments.pop(word)
    registers = reader.registers(given.get("registers"))
    if "umask" not in arguments:
        reader.umask(given.get("umask"))
    return StateOptions(
        unless=_listed(given.get("unless")),
        onlyif=_listed(given.get("onlyif")),
        creates=tuple(map(str, _listed(given.get("creates")))),
        check_cmd=tuple(map(str, _listed(given.get("check_cmd")))),
        failhard=reader.flag(given, "failhard"),
        retry=reader.retry(given.get("retry")),
        timeout_s=reader.seconds(given, "timeout"),
        parallel=bool(reader.flag(given, "parallel")),
        runas=reader.runas(given.get("runas")),
        onfail_stop=reader.flag(given, "onfail_stop") is not False,
        registers=registers,
        registers_at=tuple(declaration.written_at("registers", srn) for srn, _ in registers),
        delayed_render=reader.delayed(given.get("delayed_render")),
        tags=reader.tags(given.get(TAGS)),
        other=tuple(sorted((word, given[word]) for word in given.keys() & _PASSED_ON)),
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _listed(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return tuple(value) if is_list(value) else (value,)


class _OptionReader:
    """Reads single options and reports what is wrong with them."""

    def __init__(self, declaration: Declaration, found: Collector) -> None:
        self._declaration = declaration
        self._found = found

    def _refuse(
        self, word: str, value: Any, wanted: str, *below: str | int, above: tuple[str, ...] = ()
    ) -> None:
        verb = "holds" if below else "is"
        self._found.error(
            "E0312",
            f"`{word}` of {self._declaration.id!r} {verb} {_shown(value)}",
            self._declaration.span(*above, word, *below),
            help=f"it takes {wanted}",
        )

    def flag(self, given: Mapping[str, Any], word: str) -> bool | None:
        value = given.get(word)
        if value is None or isinstance(value, bool):
            return value
        self._refuse(word, value, "true or false")
        return None

    def seconds(self, given: Mapping[str, Any], word: str, *, above: tuple[str, ...] = ()) -> float | None:
        value = given.get(word)
        if value is None:
            return None
        try:
            seconds = -1.0 if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            seconds = -1.0
        if seconds < 0 or not math.isfinite(seconds):
            self._refuse(word, value, "a number of seconds", above=above)
            return None
        return seconds

    def umask(self, value: Any) -> None:
        try:
            int(str(value or 0), _OCTAL)
        except ValueError:
            self._refuse("umask", value, "an octal number, such as '027'")

    def retry(self, value: Any) -> Retry | None:
        if value is None or value is False:
            return None
        if value is True:
            return Retry()
        if is_list(value) and all(is_mapping(item) for item in value):
            value = {name: one for item in value for name, one in item.items()}
        if not is_mapping(value) or value.keys() - {"attempts", "until", "interval", "splay"}:
            self._refuse("retry", value, "true, or a mapping of attempts, until, interval and splay")
            return None
        attempts, until = value.get("attempts", 2), value.get("until", True)
        if isinstance(attempts, bool) or not isinstance(attempts, int):
            self._refuse("retry", value, "attempts as a number")
            return None
        if not isinstance(until, bool):
            self._refuse("retry", value, "until as true or false")
            return None
        interval_s = self.seconds(value, "interval", above=("retry",))
        retry = Retry(
            attempts=attempts,
            until=until,
            interval_s=Retry().interval_s if interval_s is None else interval_s,
            splay_s=self.seconds(value, "splay", above=("retry",)) or 0.0,
        )
        return retry if attempts > 0 else None

    def runas(self, value: Any) -> str | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            self._refuse("runas", value, "the name of a user")
            return None
        return str(value)

    def order(self, value: Any) -> None:
        if value is not None and finite(value) is None and value not in ("first", "last"):
            self._refuse("order", value, "a number below 1e308, first or last")

    def registers(self, value: Any) -> tuple[tuple[str, Any], ...]:
        if value is None:
            return ()
        pairs: list[tuple[str, Any]] = []
        for place, item in enumerate(value if is_list(value) else [value]):
            if not is_mapping(item):
                below = (place,) if is_list(value) else ()
                self._refuse("registers", item, "a list of `type:id: {configuration}`", *below)
                continue
            pairs.extend((str(srn), config) for srn, config in item.items())
        return tuple(pairs)

    def tags(self, value: Any) -> tuple[str, ...]:
        if value is None or self._declaration.is_copied_by_use(TAGS):
            return ()
        tags: dict[str, None] = {}
        for place, tag in enumerate(value if is_list(value) else [value]):
            if isinstance(tag, str) and tag and not _BETWEEN_TAGS.search(tag):
                tags[tag] = None
                continue
            below = (place,) if is_list(value) else ()
            self._refuse(
                TAGS, tag, "a tag or a list of tags; a tag is text without blanks and commas", *below
            )
        return tuple(tags)

    def delayed(self, value: Any) -> tuple[tuple[str, str], ...]:
        if value is None:
            return ()
        entries: list[tuple[str, str]] = []
        for place, item in enumerate(value if is_list(value) else [value]):
            match item:
                case {"block": str(name)} if len(item) == 1:
                    entries.append(("block", name))
                case {"sls": str(name)} if len(item) == 1:
                    entries.append(("sls", name))
                case _:
                    self._refuse_entry(item, place)
        return tuple(entries)

    def _refuse_entry(self, item: Any, place: int) -> None:
        """Report what is wrong with an entry of `delayed_render`, and what may have been meant."""
        help_ = "write one `- block: NAME` or `- sls: NAME` per line under delayed_render:"
        match item:
            case str(name):
                help_ = f"write `- block: {name}`, or `- sls: {name}` for a whole SLS"
            case {"block": int() | float()} | {"sls": int() | float()} if len(item) == 1:
                help_ = "a name is text: put it in quotes"
            case _:
                pass
        self._found.error(
            "E0312",
            f"`delayed_render` of {self._declaration.id!r} holds {item!r}",
            self._declaration.span("delayed_render", place),
            help=help_,
        )
