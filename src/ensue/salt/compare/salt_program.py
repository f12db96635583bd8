"""The installed Salt: its interpreter, and what it makes of a tree.

Salt runs in its own process and folder, with our script (`salt_side`). Its output is data: it is decoded into
a fixed shape and bounded before anything uses it.

Source: where Salt's packages install it, and how the commands of its environments name their interpreter.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.reach.processes.runner import Launch, OutputBoundError, run_once
from ensue.salt.compare import salt_side
from ensue.salt.compare.sides import CompileRefusal, PlannedState, SaltSide, compiled_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.contracts.connection import Completed

COMMAND: Final = "salt-call"
_ONEDIR: Final = Path("/opt/saltstack/salt")
_SHEBANG: Final = b"#!"
_FIRST_LINE_BYTES: Final = 512
_MOST_BYTES: Final = 1 << 29
_SHOWN_LINES: Final = 15
_SUMMARY_CHARS: Final = 160
_UNSET: Final = frozenset({"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"})
_PLANNING: Final = b'{"stage": "planning"'


class SaltOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What Salt compiles, and with which options.

    Args:
        folder: an empty folder, for its cache and whatever else it writes.
        options: the options of its minion, including file and pillar roots.
        mods: SLS names; none: the highstate.
        pillar: pillar that overrides that of the pillar roots.
        plan: whether to plan as well.
    """

    folder: str
    options: Mapping[str, Any]
    mods: tuple[str, ...]
    pillar: Mapping[str, Any]
    plan: bool


class _Message(msgspec.Struct, frozen=True, kw_only=True):
    stage: str
    why: str = ""
    version: str = ""
    low: list[dict[str, Any]] = []
    errors: list[str] = []
    log: list[str] = []
    pillar: dict[str, Any] = {}
    asked: dict[str, dict[str, int]] = {}
    unknown: list[str] = []
    returns: dict[str, _Return] = {}
    done: int = 0
    total: int = 0


class _Return(msgspec.Struct, frozen=True, kw_only=True):
    result: bool | None
    changes: Any = None
    comment: Any = ""
    ran: bool = True


def salt_python(given: Path | None) -> Path:
    """Return the interpreter of the Salt that is given, or of the first that is found.

    Args:
        given: a Python, a command of Salt's such as `salt-call`, or an environment that has them.

    Raises:
        ConfigurationError: no Salt was found.
    """
    if given is not None:
        path = _interpreter(given.expanduser())
        if path is None:
            raise ConfigurationError(
                [_not_found(f"there is no Salt at {given}", "no interpreter was found there")]
            )
        return path
    for candidate in _usual_places():
        if (path := _interpreter(candidate)) is not None:
            return path
    why = f"no {COMMAND} in PATH, none beside ensue, and none in {_ONEDIR}"
    raise ConfigurationError([_not_found("there is no Salt to compare with", why)])


async def ask_salt(python: Path, order: SaltOrder, on_progress: Callable[[int, int], None]) -> SaltSide:
    """Have Salt compile a tree, and plan it if requested.

    Args:
        python: the interpreter of Salt's environment.
        order: what Salt compiles.
        on_progress: called with how many states have been planned, and their total.

    Raises:
        ConfigurationError: the interpreter does not start, has no Salt, or gives no answer.
    """
    script = await asyncio.to_thread(_copied_script, Path(order.folder))
    launch = Launch(
        argv=[os.fsencode(python), os.fsencode(script)],
        cwd=order.folder,
        env=_environment(),
        stdin=msgspec.json.encode(salt_side.plain(msgspec.structs.asdict(order))),
        on_output=_SaltProgress(on_progress),
        most_bytes=_MOST_BYTES,
    )
    try:
        done = await run_once(launch)
    except (OSError, OutputBoundError) as error:
        raise ConfigurationError([_no_answer(python, str(error))]) from None
    return _side(python, done)


def _copied_script(folder: Path) -> Path:
    """Copy the script to its own folder, because Python would find ensue's modules in the one it is in."""
    script = folder / "salt_side.py"
    script.write_bytes(Path(salt_side.__file__).read_bytes())
    return script


class _SaltProgress:
    """Reads Salt's messages as they arrive, and reports how far the plan is."""

    def __init__(self, on_progress: Callable[[int, int], None]) -> None:
        self._told = on_progress
        self._rest = b""

    def __call__(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in reversed(lines):
            if line.startswith(_PLANNING):
                message = _decoded(line)
                if message is not None:
                    self._told(message.done, message.total)
                return


def _side(python: Path, done: Completed) -> SaltSide:
    messages = {
        message.stage: message for message in map(_decoded, done.stdout.splitlines()) if message is not None
    }
    if (absent := messages.get("absent")) is not None:
        raise ConfigurationError([_not_found(f"{python} has no Salt", absent.why)])
    if (broken := messages.get("broken")) is not None:
        return SaltSide(version="", python=str(python), refusals=(_refusal(broken.why),))
    compiled = messages.get("compiled")
    if compiled is None:
        raise ConfigurationError([_no_answer(python, _last_lines(done.stderr))])
    planned = messages.get("planned")
    return SaltSide(
        version=compiled.version,
        python=str(python),
        states=compiled_states(compiled.low),
        refusals=tuple(map(_refusal, compiled.errors)),
        log=tuple(compiled.log),
        functions=compiled.asked.get("functions", {}),
        renderers=compiled.asked.get("renderers", {}),
        unknown=frozenset(compiled.unknown),
        pillar=compiled.pillar,
        plan=None if planned is None or planned.errors else _plan(planned),
        plan_failed="\n".join(planned.errors) if planned else "",
    )


def _decoded(line: bytes) -> _Message | None:
    """Return a message; None if a line is not one, or is too large."""
    try:
        message = msgspec.json.decode(line, type=_Message)
        check_data(
            [message.low, message.pillar, [state_return.changes for state_return in message.returns.values()]]
        )
    except (msgspec.MsgspecError, DataBoundError, RecursionError, UnicodeDecodeError):
        return None
    return message


def _plan(planned: _Message) -> dict[str, PlannedState]:
    return {
        tag: PlannedState(
            result=state_return.result,
            changes=state_return.changes,
            comment=str(state_return.comment),
            ran=state_return.ran,
        )
        for tag, state_return in planned.returns.items()
    }


def _refusal(message: str) -> CompileRefusal:
    lines = [line.strip() for line in message.splitlines() if line.strip()] or ["(no message)"]
    return CompileRefusal(message=message, summary=lines[0][:_SUMMARY_CHARS])


def _usual_places() -> Iterator[Path]:
    in_path = shutil.which(COMMAND)
    if in_path:
        yield Path(in_path)
    yield Path(sys.executable).with_name(COMMAND)
    if importlib.util.find_spec("salt") is not None:
        yield Path(sys.executable)
    yield _ONEDIR


def _interpreter(path: Path) -> Path | None:
    """Return the Python of an environment or of a command in one; a path that is a Python itself."""
    if path.is_dir():
        return _python_in(path / "bin") or _python_in(path)
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        first = stream.read(_FIRST_LINE_BYTES).partition(b"\n")[0]
    if not first.startswith(_SHEBANG):
        return path.absolute() if os.access(path, os.X_OK) else None
    words = os.fsdecode(first.removeprefix(_SHEBANG)).split()
    if words and Path(words[0]).name.startswith("python") and os.access(words[0], os.X_OK):
        return Path(words[0])
    # A command that a shell starts (`#!/bin/sh`), as Salt's own packages have them: its Python is beside it.
    real = path.resolve()
    return _python_in(real.parent) or _python_in(real.parent / "bin")


def _python_in(folder: Path) -> Path | None:
    paths = (folder / name for name in ("python3", "python"))
    return next((path.absolute() for path in paths if path.is_file() and os.access(path, os.X_OK)), None)


def _environment() -> dict[bytes, bytes]:
    """Return the environment of Salt's process: this one's, without the variables for ensue's Python."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _UNSET and not name.startswith(("ENSUE_", "_ENSUE"))
    }
    kept["PYTHONWARNINGS"] = "ignore"
    return {os.fsencode(name): os.fsencode(value) for name, value in kept.items()}


def _last_lines(text: bytes) -> str:
    lines = text.decode("utf-8", "backslashreplace").strip().splitlines()
    return "\n".join(lines[-_SHOWN_LINES:]) or "it wrote nothing"


def _not_found(summary: str, why: str) -> Diagnostic:
    return Diagnostic(
        code="E0842",
        summary=summary,
        detail=why,
        help="name it with --salt: its salt-call, its Python, or the folder of its environment",
    )


def _no_answer(python: Path, why: str) -> Diagnostic:
    return Diagnostic(
        code="E0843",
        summary=f"Salt ({python}) ended without an answer",
        detail=why,
        help="check whether its `salt-call --local test.ping` works",
    )
