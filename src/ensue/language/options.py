"""State options: what a declaration says about its own execution."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.argument_types import ArgumentType
from ensue.core.model.chunk import NO_OPTIONS, Retry, StateOptions
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near_question
from ensue.core.model.numbers import finite
from ensue.language.conditions import read_conditions, read_texts
from ensue.language.option_faults import OptionFaults
from ensue.language.option_words import OPTION_WORDS, PASSED_ON, TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

_OCTAL: Final = 8
_SHARED: Final = frozenset({"runas", "umask", "timeout", "creates", "check_cmd", "unless", "onlyif", TAGS})
_OWN_IF_ACCEPTED: Final = frozenset({"timeout", "check_cmd", TAGS})
_RELOADS: Final = frozenset({"reload_modules", "reload_grains", "reload_pillar"})
_FLAG: Final = ArgumentType(kinds=("bool",), choices=(), certain=frozenset({bool}))
_SECONDS: Final = ArgumentType(kinds=("seconds",), choices=(), certain=frozenset())
_COUNT: Final = ArgumentType(kinds=("number",), choices=(), certain=frozenset())
_AGGREGATE: Final = ArgumentType(kinds=("bool", "list"), choices=(), certain=frozenset({bool, list, str}))
_EVENT: Final = ArgumentType(kinds=("bool", "text"), choices=(), certain=frozenset({bool, str}))
_RETRY_KEYS: Final = frozenset({"attempts", "until", "interval", "splay"})
_BETWEEN_TAGS: Final = re.compile(r"[\s,]")


def read_options(
    declaration: Declaration,
    arguments: dict[str, Any],
    accepts: Callable[[str], bool],
    collector: Collector,
    *,
    ignores: bool,
) -> StateOptions:
    """Take the options out of a declaration's arguments.

    Args:
        declaration: for messages.
        arguments: the arguments; options are removed from it, except those that the function takes itself.
        accepts: whether the function takes an argument of that name.
        collector: collects the errors.
        ignores: whether a boolean that is no condition is ignored, as in Salt.
    """
    reader = _OptionReader(declaration, collector, ignores=ignores)
    if "order" in arguments:
        reader.order(arguments["order"])
    if "aggregate" in arguments and not accepts("aggregate"):
        reader.judge("aggregate", arguments["aggregate"], _AGGREGATE)
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
    for word in given.keys() & _RELOADS:
        given[word] = reader.flag(given, word)
    reader.judge("fire_event", given.get("fire_event"), _EVENT)
    faults = reader.faults
    return StateOptions(
        unless=read_conditions("unless", given.get("unless"), faults),
        onlyif=read_conditions("onlyif", given.get("onlyif"), faults),
        creates=read_texts("creates", given.get("creates"), faults),
        check_cmd=read_texts("check_cmd", given.get("check_cmd"), faults),
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
        other=tuple(sorted((word, given[word]) for word in given.keys() & PASSED_ON)),
    )


def has_conditions(options: StateOptions) -> bool:
    """Return whether a state has commands that the engine runs, as the user of `runas`."""
    return bool(options.unless or options.onlyif or options.check_cmd)


def _meant_key(value: Any) -> str:
    """Return the key of `retry` that an unknown key may mean, as a question."""
    unknown = [str(key) for key in value if key not in _RETRY_KEYS] if is_mapping(value) else []
    return next(filter(None, (near_question(key, _RETRY_KEYS) for key in unknown)), "")


def _without_quotes(value: Any) -> str:
    """Return what to do with a number that is a text."""
    is_number = isinstance(value, str) and value.lstrip("-").isdecimal()
    return "write it without quotes" if is_number else ""


class _OptionReader:
    """Reads single options and reports what is wrong with them."""

    def __init__(self, declaration: Declaration, collector: Collector, *, ignores: bool) -> None:
        self._declaration = declaration
        self._collector = collector
        self.faults = OptionFaults(declaration, collector, ignores=ignores)
        self._refuse = self.faults.refuse

    def judge(self, word: str, value: Any, kind: ArgumentType, *above: str) -> bool:
        """Return whether a value is of a kind; refuse it if it is not."""
        if kind.accepts(value) and not (kind is _FLAG and value in ([], {})):
            return True
        self._refuse(word, value, kind.expected, *above, word, meant=kind.meant(value))
        return False

    def flag(self, given: Mapping[str, Any], word: str, *above: str) -> bool | None:
        """Return a boolean, or the one that a word such as `yes` means."""
        value = given.get(word)
        if value is None or isinstance(value, bool) or not self.judge(word, value, _FLAG, *above):
            return value if isinstance(value, bool) else None
        return bool(_FLAG.converted(value) if isinstance(value, str) else value)

    def seconds(self, given: Mapping[str, Any], word: str, *above: str) -> float | None:
        value = given.get(word)
        if value is None:
            return None
        try:
            seconds = -1.0 if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            seconds = -1.0
        if seconds < 0 or not math.isfinite(seconds):
            self._refuse(word, value, "a number of seconds", *above, word, meant=_SECONDS.meant(value))
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
            value = {name: option for item in value for name, option in item.items()}
        if not is_mapping(value) or value.keys() - _RETRY_KEYS:
            meant = _meant_key(value)
            self._refuse(
                "retry", value, "true, or a mapping of attempts, until, interval and splay", meant=meant
            )
            return None
        attempts, until = value.get("attempts", 2), self.flag({"until": True, **value}, "until", "retry")
        if isinstance(attempts, bool) or not isinstance(attempts, int):
            meant = _COUNT.meant(attempts) or _without_quotes(attempts)
            self._refuse("attempts", attempts, "a number", "retry", "attempts", meant=meant)
            return None
        if until is None:
            return None
        interval_s = self.seconds(value, "interval", "retry")
        retry = Retry(
            attempts=attempts,
            until=until,
            interval_s=Retry().interval_s if interval_s is None else interval_s,
            splay_s=self.seconds(value, "splay", "retry") or 0.0,
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
            meant = near_question(value, ("first", "last")) if isinstance(value, str) else ""
            meant = meant or _without_quotes(value)
            self._refuse("order", value, "a number below 1e308, first or last", meant=meant)

    def registers(self, value: Any) -> tuple[tuple[str, Any], ...]:
        if value is None:
            return ()
        pairs: list[tuple[str, Any]] = []
        for place, item in enumerate(value if is_list(value) else [value]):
            if not is_mapping(item):
                keys = ("registers", place) if is_list(value) else ("registers",)
                expected = "a list of `type:id: {configuration}`"
                self._refuse("registers", item, expected, *keys, is_part=is_list(value))
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
            keys = (TAGS, place) if is_list(value) else (TAGS,)
            expected = "a tag or a list of tags; a tag is text without blanks and commas"
            self._refuse(TAGS, tag, expected, *keys, is_part=is_list(value))
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
        self._collector.error(
            "E0312",
            f"`delayed_render` of {self._declaration.id!r} holds {item!r}",
            self._declaration.span("delayed_render", place),
            help=help_,
        )
