"""State options: what a declaration says about its own execution."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ensue.model.chunk import NO_OPTIONS, Retry, StateOptions
from ensue.model.data import is_list, is_mapping
from ensue.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

_PASSED_ON: Final = frozenset({"umask", "reload_modules", "reload_grains", "reload_pillar", "fire_event"})
OPTION_WORDS: Final = frozenset({
    "unless", "onlyif", "creates", "check_cmd", "failhard", "retry", "timeout", "parallel", "runas",
    "onfail_stop", "registers", "delayed_render", *_PASSED_ON,
})  # fmt: skip
"""Words that are options; `runas`, `timeout`, `creates` and `umask` go to functions that take them, too."""

_OCTAL: Final = 8
_SHARED: Final = frozenset({"runas", "umask", "timeout", "creates", "check_cmd", "unless", "onlyif"})
_OWN_IF_ACCEPTED: Final = frozenset({"timeout", "check_cmd"})


def read_options(
    declaration: Declaration, arguments: dict[str, Any], accepts: Callable[[str], bool], found: Collector
) -> StateOptions:
    """Take the options out of a declaration's arguments.

    Args:
        declaration: for messages.
        arguments: the arguments; options are removed from it, but for those that the function takes itself.
        accepts: whether the function has a parameter of that name.
        found: where faults go.
    """
    words = arguments.keys() & OPTION_WORDS
    if not words:
        return NO_OPTIONS
    given: dict[str, Any] = {}
    for word in words:
        taken = word in _SHARED and accepts(word)
        if taken and word in _OWN_IF_ACCEPTED:
            # The function does itself what the engine would do for others (file.managed's check_cmd).
            continue
        given[word] = arguments[word] if taken else arguments.pop(word)
    reader = _Reader(declaration, found)
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
        runas=None if given.get("runas") is None else str(given["runas"]),
        onfail_stop=reader.flag(given, "onfail_stop") is not False,
        registers=reader.registers(given.get("registers")),
        delayed_render=reader.delayed(given.get("delayed_render")),
        other=tuple(sorted((word, given[word]) for word in given.keys() & _PASSED_ON)),
    )


def _is_srn(name: Any) -> bool:
    try:
        Srn.parse(name)
    except (ValueError, AttributeError):
        return False
    return True


def _listed(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return tuple(value) if is_list(value) else (value,)


class _Reader:
    """Reads single options and says what is wrong with them."""

    def __init__(self, declaration: Declaration, found: Collector) -> None:
        self._declaration = declaration
        self._found = found

    def _refuse(self, word: str, value: Any, wanted: str, *below: str | int) -> None:
        verb = "holds" if below else "is"
        self._found.error(
            "E0312",
            f"`{word}` of {self._declaration.id!r} {verb} {value!r}",
            self._declaration.span(word, *below),
            help=f"it takes {wanted}",
        )

    def flag(self, given: Mapping[str, Any], word: str) -> bool | None:
        value = given.get(word)
        if value is None or isinstance(value, bool):
            return value
        self._refuse(word, value, "true or false")
        return None

    def seconds(self, given: Mapping[str, Any], word: str, *, option: str = "") -> float | None:
        """Return a number of seconds; `option` is the one that it is a part of, where it is none itself."""
        value = given.get(word)
        if value is None:
            return None
        try:
            seconds = float(value)
        except (TypeError, ValueError, OverflowError):
            seconds = -1.0
        if not 0 <= seconds < math.inf:
            place = (option, word) if option else (word,)
            self._found.error(
                "E0312",
                f"`{word}` of {self._declaration.id!r} is {value!r}",
                self._declaration.span(*place),
                help="it takes a number of seconds",
            )
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
        attempts = value.get("attempts", 2)
        if not isinstance(attempts, int) or attempts < 1:
            self._refuse("retry", value, "attempts as a number from 1")
            return None
        return Retry(
            attempts=attempts,
            until=value.get("until", True) is True,
            interval_s=self.seconds(value, "interval", option="retry") if "interval" in value else 30.0,  # type: ignore[arg-type]
            splay_s=self.seconds(value, "splay", option="retry") or 0.0,
        )

    def registers(self, value: Any) -> tuple[tuple[str, Any], ...]:
        if value is None:
            return ()
        pairs: list[tuple[str, Any]] = []
        for place, item in enumerate(value if is_list(value) else [value]):
            below = (place,) if is_list(value) else ()
            if not is_mapping(item):
                self._refuse("registers", item, "a list of `type:id: {configuration}`", *below)
                continue
            for name, config in item.items():
                if _is_srn(name):
                    pairs.append((name, config))
                else:
                    wanted = "names `type:id`, for example ssh_host:web-01"
                    self._refuse("registers", name, wanted, *below, str(name))
        return tuple(pairs)

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
        """Say what is wrong with an entry of `delayed_render`, and what may have been meant."""
        help_ = "write one `- block: NAME` or `- sls: NAME` a line under delayed_render:"
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
