"""The outcome of a tree, in the form in which it is recorded and compared.

As JSON and as text an outcome is: the exit code; a line per state, in order of start; a line per file left
behind. An outcome without states (null) is a tree that was refused before anything ran.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.compat.trees import OUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_RESULTS = {True: "yes", False: "NO", None: "would"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a tree.

    Args:
        exit: the exit code.
        states: `tag result` or `tag result changed` of each state in order of start; None: it was refused.
        files: `path mode digest` of everything below the folder that states write to.
        comments: the comment of each state, or the messages of a refusal; for readers, not compared.
    """

    exit: int
    states: list[str] | None
    files: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list, compare=False)

    def as_data(self) -> dict[str, Any]:
        return {"exit": self.exit, "states": self.states, "files": self.files, "comments": self.comments}

    def as_text(self) -> str:
        """Return the form that is in `differs` fences."""
        states = ["refused"] if self.states is None else self.states
        return "\n".join([f"exit {self.exit}", *states, *(f"file {line}" for line in self.files)]) + "\n"


def from_text(text: str) -> Outcome:
    """Read what `as_text` wrote."""
    first, *lines = text.splitlines()
    states = [line for line in lines if not line.startswith("file ")]
    files = [line.removeprefix("file ") for line in lines if line.startswith("file ")]
    return Outcome(exit=int(first.split()[1]), states=None if states == ["refused"] else states, files=files)


def outcome_of(exit_code: int, returned: Mapping[str, Any] | Iterable[str], root: Path) -> Outcome:
    """Return an outcome from the JSON of either program: returns by tag, or a list of messages.

    Args:
        exit_code: the exit code.
        returned: what is under the minion's id.
        root: where the tree was laid out.
    """
    files = _files(root / "out")
    if not isinstance(returned, dict):
        return Outcome(
            exit=exit_code, states=None, files=files, comments=[_comment(line, root) for line in returned]
        )
    ordered = sorted(returned.items(), key=lambda item: item[1].get("__run_num__", len(returned)))
    return Outcome(
        exit=exit_code,
        states=[_line(tag, state, root) for tag, state in ordered],
        files=files,
        comments=[_comment(state.get("comment", ""), root) for _, state in ordered],
    )


def _line(tag: str, returned: Mapping[str, Any], root: Path) -> str:
    changed = " changed" if returned.get("changes") else ""
    return f"{_shown(tag, root)} {_RESULTS[returned['result']]}{changed}"


def _shown(text: Any, root: Path) -> str:
    return str(text).replace(str(root / "out"), OUT).replace(str(root), "@ROOT@")


def _comment(text: Any, root: Path) -> str:
    """Return a comment for readers; a traceback, which depends on the machine, becomes its mention."""
    shown, failed, names = _shown(text, root).partition("One or more requisite failed: ")
    if failed:  # Salt names them in the order of a set
        return f"{shown}{failed}{', '.join(sorted(names.split(', ')))}"[:300]
    shown, traceback, _ = _shown(text, root).partition("Traceback (most recent call last)")
    return f"{shown}{traceback}"[:300]


def _files(folder: Path) -> list[str]:
    return [_described(path, folder) for path in sorted(folder.rglob("*"))]


def _described(path: Path, folder: Path) -> str:
    name = path.relative_to(folder).as_posix()
    if path.is_symlink():
        target = str(path.readlink()).replace(str(folder), OUT)
        return f"{name} -> {target}"
    mode = f"{path.stat().st_mode & 0o7777:04o}"
    if path.is_dir():
        return f"{name}/ {mode}"
    content = path.read_bytes().replace(str(folder).encode(), OUT.encode())
    return f"{name} {mode} {hashlib.sha256(content).hexdigest()[:16]}"
