"""Files of a Salt tree that ensue does not use: a warning names each, so that none is left out silently.

Source: the folders that Salt's `saltutil.sync_all` copies, on a minion and on a master.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.files.regular_files import is_folder
from ensue.language.top import ENGINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.language.custom.folders import CustomFiles

_CODE: Final = "E0865"
_OF_A_DAEMON: Final = "it belongs to a daemon of Salt, and ensue has none"
_INSTEAD: Final = "remove it, or move it out of the file roots; silence_warnings: [E0865] hides this"
UNUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "_auth", "_beacons", "_cache", "_clouds", "_engines", "_executors", "_fileserver", "_netapi",
            "_proxy", "_queues", "_roster", "_thorium", "_tokens", "_wheel",
        ),
        _OF_A_DAEMON,
    ),
    "_log_handlers": "ensue has a log of its own",
    "_output": "`--out` takes ensue's own forms",
    "_returners": "`ensue runs list` has the results of all runs, and `--out json` prints them",
    "_runners": "a runner is a program of Salt's master; `ensue call` calls execution functions",
    "_sdb": "`secret_stores` are plug-ins",
    "_serializers": "templates and SLS have YAML and JSON only",
    "_wrapper": "ensue runs the same functions on hosts over SSH",
}  # fmt: skip
"""The folders of custom code that ensue does not use, each with the reason."""


def unused_files(
    roots: Sequence[Path], matchers: CustomFiles, states: Mapping[str, str], *, aggregates: bool
) -> Iterator[Diagnostic]:
    """Yield a warning for each kind of custom code below the file roots that has no effect.

    Args:
        roots: the file roots of all environments.
        matchers: the project's `_matchers` files.
        states: the texts of the project's `_states` files by name.
        aggregates: whether the option `state_aggregate` is set.
    """
    for name, why in UNUSED.items():
        if any(is_folder(root / name) for root in roots):
            yield _unused(f"{name} below a file root is not used", why)
    for name in matchers.names():
        kind = name.removesuffix("_match")
        if kind == name or kind in ENGINES:
            why = "NAME_match.py is the matcher of `match: NAME` in a top file, unless ensue has that name"
            yield _unused(f"_matchers/{name}.py is not used", why)
    for name, text in states.items() if aggregates else ():
        if "def mod_aggregate(" in text:
            why = "each state does its own work; what would be one call in Salt is one for each state"
            yield _unused(f"mod_aggregate of _states/{name}.py is not called", why)


def _unused(summary: str, why: str) -> Diagnostic:
    return Diagnostic(code=_CODE, summary=summary, detail=why, help=_INSTEAD, severity=Severity.WARNING)
