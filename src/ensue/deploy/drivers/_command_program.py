"""The program of a resource of the driver `command`, and checks of the inputs that name it.

This module runs nothing.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.files.regular_files import is_regular
from ensue.core.model.data import is_mapping
from ensue.deploy.drivers._inputs import SECONDS, SWITCH, TEXT, TEXT_OR_WORDS, VARIABLES, wrong_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.option_kinds import OptionKind

DEFAULT_TIMEOUT_S: Final = 3600.0
"""How long a program may run unless `timeout_s` says otherwise."""

_KINDS: Final[Mapping[str, OptionKind]] = {
    "command": TEXT_OR_WORDS,
    "environment": VARIABLES,
    "cwd": TEXT,
    "timeout_s": SECONDS,
    "acknowledge": SWITCH,
}


class DriverProgram(msgspec.Struct, frozen=True, kw_only=True):
    """A program and everything that it is started with.

    Args:
        argv: the program and its arguments.
        environment: variables on top of those of this process.
        secret_environment: further ones, whose values are secrets.
        cwd: the folder it starts in, relative to the project's.
        timeout_s: it is ended after so many seconds.
        acknowledge: whether its `keep` lines are answered on its standard input, which then stays open.
    """

    argv: list[str]
    environment: dict[str, str]
    secret_environment: dict[str, str]
    cwd: str
    timeout_s: float
    acknowledge: bool = False

    @property
    def name(self) -> str:
        """The program without its arguments, for messages."""
        return self.argv[0]


def wrong_program(request: DriverRequest) -> Iterator[str]:
    """Yield one sentence per error in the inputs that name the program."""
    values: Any = request.values
    if is_mapping(values):
        if "command" not in values:
            yield "values.command is missing (a list of words: a program and its arguments)"
        for key, kind in _KINDS.items():
            if values.get(key) is not None:
                yield from wrong_inputs(kind, values[key], f"values.{key}")
        yield from _wrong_words(values.get("command"))
        yield from _wrong_folder(values.get("cwd"), request.root)
    if is_mapping(request.secrets) and request.secrets.get("environment") is not None:
        yield from wrong_inputs(
            VARIABLES, request.secrets["environment"], "secrets.environment", is_secret=True
        )


def program_of(request: DriverRequest) -> DriverProgram:
    """Return the program of a resource.

    Args:
        request: the resource; its inputs are valid.
    """
    values: Any = request.values
    secrets: Any = request.secrets
    return DriverProgram(
        argv=_words(values["command"]),
        environment=_variables(values),
        secret_environment=_variables(secrets),
        cwd=values.get("cwd") or ".",
        timeout_s=float(values.get("timeout_s") or DEFAULT_TIMEOUT_S),
        acknowledge=values.get("acknowledge") is True,
    )


def is_there(program: DriverProgram, root: Path) -> bool:
    """Return whether the file of a program can be found and executed, as the start of the program finds it.

    Args:
        program: the program.
        root: the project's folder.
    """
    variables = {**os.environ, **program.environment, **program.secret_environment}
    name = str(root / program.cwd / program.name) if "/" in program.name else program.name
    try:
        return shutil.which(name, path=variables.get("PATH", os.defpath)) is not None
    except ValueError:  # Nothing has a NUL in its name.
        return False


def is_below(path: Path, root: Path) -> bool:
    """Return whether a path is a folder or below it, links followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError):
        return False


def fingerprint_of(request: DriverRequest) -> str:
    """Return a hash of the files below the project's folder that the words of the command name."""
    values: Any = request.values
    digest = hashlib.sha256()
    if not is_mapping(values) or next(_wrong_words(values.get("command")), ""):
        return digest.hexdigest()
    root = request.root
    for word in _words(values.get("command") or []):
        path = root / str(values.get("cwd") or ".") / word
        if is_below(path, root) and is_regular(path):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _wrong_words(command: Any) -> Iterator[str]:
    try:
        if isinstance(command, str | list) and not _words(command):
            yield "values.command: it takes at least one word, the program"
    except ValueError as error:
        yield f"values.command: {str(error).lower()} (a list of words needs no quotes)"


def _wrong_folder(folder: Any, root: Path) -> Iterator[str]:
    if isinstance(folder, str) and not is_below(root / folder, root):
        yield f"values.cwd: {folder!r} is not a folder below the project's"


def _variables(inputs: Any) -> dict[str, str]:
    given: Any = inputs.get("environment") if is_mapping(inputs) else None
    return {name: str(value) for name, value in given.items()} if is_mapping(given) else {}


def _words(command: Any) -> list[str]:
    return shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
