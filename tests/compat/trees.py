"""Reading the trees: Markdown files in which every heading of level two is one small project.

Its fences:

    ```sls NAME      a file states/NAME.sls (`a/b`), the default NAME is `t`
    ```file PATH     any file of the project; `out/PATH` is there before the run; `out/grains` has the
                     grains that the machine is given
    ```config        options, for `ensue.yaml` and for Salt's minion configuration alike
    ```run           the command line: SLS names, `--test`, `--pillar JSON`, `--saltenv NAME`,
                     `--pillarenv NAME`, `--root` when it takes root; default `t`, `-` is the highstate
    ```differs       ensue's own outcome, where it is meant to be another than Salt's; see `outcome.py`

Text below the heading says what the tree is about, or why ensue differs. `@OUT@` stands for the
folder that states write to.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path(__file__).resolve().parent
MINION_ID = "web-01.example.org"
OUT = "@OUT@"

_FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One tree.

    Args:
        area: the name of its Markdown file.
        title: its heading.
        files: path in the project to content.
        config: options of both programs.
        mods: the SLS asked for; empty for the highstate.
        test: a plan.
        pillar: the pillar of the command line.
        environments: `saltenv` and `pillarenv` of the command line.
        needs_root: only root can run it.
        differs: ensue's own outcome as written; empty where it is Salt's.
        reason: why ensue differs.
    """

    area: str
    title: str
    files: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    mods: tuple[str, ...] = ("t",)
    test: bool = False
    pillar: Mapping[str, Any] = field(default_factory=dict)
    environments: Mapping[str, str] = field(default_factory=dict)
    needs_root: bool = False
    differs: str = ""
    reason: str = ""

    @property
    def id(self) -> str:
        return f"{self.area}: {self.title}"

    def lay_out(self, root: Path) -> None:
        """Write the tree below a folder that is empty."""
        for name in ("states", "pillar", "out"):
            (root / name).mkdir(parents=True)
        for name, content in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(OUT, str(root / "out")))
            path.chmod(0o644)


def all_trees(only: str = "") -> list[Tree]:
    """Return every tree whose area or title holds a text."""
    trees = [tree for path in sorted((FOLDER / "trees").glob("*.md")) for tree in read_trees(path)]
    return [tree for tree in trees if only in tree.id]


def read_trees(path: Path) -> Iterator[Tree]:
    """Read the trees of one Markdown file."""
    for section in re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        yield _tree(path.stem, title.strip(), body)


def _tree(area: str, title: str, body: str) -> Tree:
    files: dict[str, str] = {}
    read: dict[str, Any] = {}
    for kind, word, content in _FENCE.findall(body):
        match kind:
            case "sls":
                files[f"states/{word or 't'}.sls"] = content
            case "file":
                files[word] = content
            case "config":
                read["config"] = yaml.safe_load(content)
            case "run":
                read |= _command_line(content)
            case "differs":
                read["differs"] = content
                read["reason"] = " ".join(_FENCE.sub("", body).split())
            case _:
                message = f"{area}.md: {title}: there is no fence {kind!r}"
                raise ValueError(message)
    return Tree(area=area, title=title, files=files, **read)


def _command_line(text: str) -> dict[str, Any]:
    words = shlex.split(text)
    read: dict[str, Any] = {"mods": (), "environments": {}}
    while words:
        match words.pop(0):
            case "--test":
                read["test"] = True
            case "--root":
                read["needs_root"] = True
            case "--pillar":
                read["pillar"] = json.loads(words.pop(0))
            case "--saltenv" | "--pillarenv" as option:
                read["environments"][option.removeprefix("--")] = words.pop(0)
            case "-":
                pass
            case name:
                read["mods"] = (*read["mods"], name)
    return read
