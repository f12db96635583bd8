"""Reading the cases of state functions and laying out what they begin with.

A case is one YAML document below `cases/<module.function>/`:

- `case`: what it shows; `state`: the arguments, `name` among them.
- `given`: what is there before: a path to a text, or to a mapping of `content`, `binary` (hex),
  `directory: true` or `link`, with `mode`, `user` and `group`.
- `sources`, `pillar`, `grains`, `opts`, `requires` (pairs of function, name), `commands` (glob to a
  mapping of `stdout stderr returncode`, for the target in memory; `then` has commands that answer otherwise
  once this one was run, `puts` what it makes, in the form of `given`).
- `plan` and `returns`: `result` and `changes` as they are, a part of `comment` (the whole is `comment_is`),
  values of `new_state`, and all of its `keys`.
- `then`: what is there afterwards, in the form of `given`; a path to null is not there.
- `calls`: what the target was asked to change, as `method path`.
- `again`: what the second run returns, where it is not "result true and no changes".
- `where`: `memory` when only the fake target can show it (owners, scripted commands), `real` the other way.
- `salt`: `same`, or why Salt 3008.5 returns something else. `compare_with_salt.py` checks it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parent / "cases"
_KEYS = {
    "case", "state", "given", "sources", "pillar", "grains", "opts", "requires", "commands", "plan",
    "returns", "then", "calls", "again", "where", "salt",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One case: the state function it is about, its title, and the document."""

    function: str
    title: str
    data: dict[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        return {key: value for key, value in self.data["state"].items() if key != "name"}

    @property
    def name(self) -> str | list[str]:
        name = self.data["state"]["name"]
        return [*map(str, name)] if isinstance(name, list) else str(name)

    @property
    def is_in_memory(self) -> bool:
        return self.data.get("where") != "real"

    @property
    def is_real(self) -> bool:
        return self.data.get("where") != "memory"


class _Text(yaml.CSafeLoader):
    """YAML without octal and sexagesimal surprises: modes are written as text in the cases."""


def all_cases() -> list[Case]:
    cases: list[Case] = []
    for path in sorted(CASES.glob("*/*.yaml")):
        for document in yaml.load_all(path.read_text(encoding="utf-8"), _Text):
            unknown = set(document) - _KEYS
            assert not unknown, f"{path}: {sorted(unknown)}"
            cases.append(Case(path.parent.name, f"{path.parent.name}: {document['case']}", document))
    return cases


def content_of(entry: Any) -> bytes:
    if isinstance(entry, str):
        return entry.encode()
    if "binary" in entry:
        return bytes.fromhex(entry["binary"])
    return str(entry.get("content", "")).encode()


def lay_out(root: Path, given: dict[str, Any]) -> None:
    """Make what a case begins with below a real folder; owners stay those of the process."""
    for path, entry in given.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, dict) and entry.get("directory"):
            place.mkdir(exist_ok=True)
        elif isinstance(entry, dict) and "link" in entry:
            place.symlink_to(entry["link"])
            continue
        else:
            place.write_bytes(content_of(entry))
        default = "0755" if place.is_dir() else "0644"
        place.chmod(int((entry.get("mode", default) if isinstance(entry, dict) else default), 8))


def state_of(root: Path) -> dict[str, tuple[str, str, bytes]]:
    """Return everything below a folder: kind, mode and content by path."""
    state: dict[str, tuple[str, str, bytes]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            shown = "/" + path.relative_to(root).as_posix()
            if path.is_symlink():
                state[shown] = ("symlink", "0777", str(path.readlink()).encode())
                continue
            if not path.is_file() and not path.is_dir():
                # Nobody is to read a pipe: that waits for a writer.
                state[shown] = ("special", f"{path.stat().st_mode & 0o7777:04o}", b"")
                continue
            mode = f"{path.stat().st_mode & 0o7777:04o}"
            state[shown] = ("directory", mode, b"") if path.is_dir() else ("file", mode, path.read_bytes())
    return state
