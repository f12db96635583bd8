"""Values that are written on the command line: pillar, and the arguments of an execution function.

Source: Salt's command line. An argument is read as YAML if that gives a number, a boolean, a list in
brackets or a mapping in braces, and as text otherwise; `name=value` is a keyword argument.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

import click

from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.core.model.data import Data, DataMap

_KEYWORD: Final = r"([^\d\W][\w.-]*)=(?!=)(.*)\Z"
_SEVERAL: Final = re.compile(r"[^\d\W][\w:.-]*=[^\s'\"]*(?:\s+[^\d\W][\w:.-]*=[^\s'\"]*)+")
_HCL: Final = re.compile(r"[A-Za-z_]\w*\s+=\s")
_DIGITS: Final = frozenset("0123456789_")
_STREAMS: Final = frozenset({"/dev/stdin", "/dev/null"})
_STREAM_FOLDERS: Final = frozenset({"/dev/fd", "/proc/self/fd"})
_AT: Final = "@"
_SHOWN_CHARS: Final = 200
_NO_YAML: Final = "E0201"


def call_arguments(words: Sequence[str]) -> tuple[list[Data], dict[str, Data]]:
    """Split the words after an execution function into positional and keyword arguments."""
    positional: list[Data] = []
    keywords: dict[str, Data] = {}
    for word in words:
        match = re.match(_KEYWORD, word)
        if match:
            keywords[match[1]] = argument(match[2])
        else:
            positional.append(argument(word))
    return positional, keywords


def argument(text: str) -> Data:
    """Return the value of one argument."""
    if _is_text(text):
        return text
    if text == "None":
        return None
    try:
        value: Data = _yaml(text)
    except CompileError:
        return text
    if isinstance(value, str | None):
        # A space and a hash begin a comment in YAML; in a command they are part of it.
        return text if "#" in text else value
    if isinstance(value, dict | list):
        # `a: b` and `- a` are text here: a mapping is in braces, a list in brackets.
        return value if text.startswith("{" if isinstance(value, dict) else "[") else text
    return value


def _is_text(text: str) -> bool:
    """Return whether an argument is text, even if YAML would read it as something else."""
    stripped = text.strip()
    if stripped in {"", "---", "..."} or any(blank in text for blank in "\t\r\n"):
        return True
    # 1_000 is a number to YAML, but hardly ever to the person who writes it.
    return "_" in text and _DIGITS.issuperset(stripped)


def _yaml(text: str, name: str = "<text>") -> Any:
    from ensue.language.yaml.load import load_text

    return load_text(text, name)


def merged_pillar(files: Sequence[Path], assignments: Sequence[str]) -> dict[str, Data]:
    """Return the pillar of a command line.

    Args:
        files: YAML or JSON files, later ones override earlier ones.
        assignments: `a:b=value`, or whole mappings; they override the files.

    Raises:
        click.ClickException: a file or an assignment cannot be read as pillar.
    """
    pillar: dict[str, Data] = {}
    for file in files:
        _merge(pillar, mapping_of_file(file, "--pillar-file"))
    for assignment in assignments:
        _merge(pillar, _from_assignment(assignment))
    return pillar


def joined_assignments(assignments: Sequence[str]) -> list[str]:
    """Return the keys of assignments that look like several, as Ansible's `-e "a=1 b=2"`.

    Args:
        assignments: values of `--pillar`.
    """
    return [text.partition("=")[0] for text in assignments if _SEVERAL.fullmatch(text)]


def mapping_of_file(file: Path, option: str) -> DataMap:
    """Return the mapping that a YAML or JSON file holds.

    Args:
        file: the file, or a stream such as /dev/stdin.
        option: the option that names it, for messages.

    Raises:
        click.BadParameter: it cannot be read, or holds no mapping.
    """
    if str(file).startswith(_AT) and not file.exists():
        raise click.BadParameter(_without_at(str(file)), param_hint=option)
    from ensue.core.files.regular_files import LARGEST_BYTES, bounded
    from ensue.language.yaml.input_files import decoded, read_text

    try:
        if _is_stream(file):
            with file.open("rb") as stream:
                text = decoded(bounded(stream.read(LARGEST_BYTES + 1)), str(file))
        else:
            text = read_text(file, str(file))
        value = _yaml(text, str(file))
    except OSError as error:
        raise click.BadParameter(f"{file}: {error.strerror or error}", param_hint=option) from None
    except CompileError as error:
        raise click.BadParameter(error.diagnostics[0].message, param_hint=option) from None
    if value is None:
        return {}
    if isinstance(value, str) and _HCL.match(value):
        message = f"{str(file)!r} is HCL, not YAML or JSON: write `key: value` on each line"
        raise click.BadParameter(message, param_hint=option)
    return _mapping(value, str(file), option)


def _without_at(text: str) -> str:
    """Return what to write instead of a file as Ansible and curl take it, `@values.yml`."""
    return f"{_shortened(text)!r} begins with @: write `--pillar-file {_shortened(text[1:])}`"


def _is_stream(file: Path) -> bool:
    """Return whether a path is a stream from the shell: a pipe (`<(…)`), standard input, or /dev/null."""
    return str(file) in _STREAMS or str(file.parent) in _STREAM_FOLDERS


def _from_assignment(text: str) -> DataMap:
    path, equals, value_text = text.partition("=")
    if text.startswith(_AT) and not equals:
        raise click.BadParameter(_without_at(text), param_hint="--pillar")
    if text.lstrip().startswith("{") or not equals:
        return _mapping(_value(text, text), text, "--pillar")
    value = _value(value_text, text) if value_text.strip() else ""
    for key in reversed(path.split(":")):
        if not key:
            message = f"{_shortened(text)!r} has an empty key; write a:b=value"
            raise click.BadParameter(message, param_hint="--pillar")
        value = {key: value}
    _check_levels(value, text)
    return cast("DataMap", value)


def _check_levels(value: Any, text: str) -> None:
    from ensue.core.model.data_bounds import DataBoundError, check_data

    try:
        check_data(value)
    except DataBoundError as error:
        raise click.BadParameter(f"{_shortened(text)!r}: {error}", param_hint="--pillar") from None


def _value(text: str, assignment: str) -> Any:
    try:
        return _yaml(text)
    except CompileError as error:
        message = f"{_shortened(assignment)!r}: {_reason(error)}"
        raise click.BadParameter(message, param_hint="--pillar") from None


def _reason(error: CompileError) -> str:
    first = error.diagnostics[0]
    why = f"{first.summary}: {first.detail}" if first.detail else first.summary
    return f"{why}; put text in quotes" if first.code == _NO_YAML else why


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _mapping(value: Any, source: str, option: str) -> DataMap:
    if isinstance(value, dict):
        return cast("DataMap", value)
    message = f"{_shortened(source)!r} is not a mapping; write key=value, or {{key: value}}"
    raise click.BadParameter(message, param_hint=option)


def _merge(into: dict[str, Data], more: DataMap) -> None:
    for key, value in more.items():
        present = into.get(key)
        if isinstance(present, dict) and isinstance(value, dict):
            _merge(present, value)
        else:
            into[key] = value
