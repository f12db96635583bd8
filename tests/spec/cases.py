"""Reading and rewriting spec cases: Markdown files in which code fences are input and expectation.

A case begins with a heading of level two, a chapter with one of level one. Files before the first case are in
the project of every case of the chapter. The fences of a case:

    ```sls NAME        a file states/NAME.sls (`a/b`), the default NAME is `t`
    ```file PATH       any file of the project
    ```tgt             the target of the run
    ```part            the part of the run, a line a word: `--only WHAT`, `--exclude WHAT`, `--start-at ID`
    ```before          expected: what a run of `t` without the part gives, before the others
    ```chunks          expected: the compiled chunks, in order
    ```results         expected: what a run of `t` gives, a line a state
    ```plan            expected: the same for a plan
    ```diagnostics     expected: what is wrong, a line a fault
    ```warnings        expected: what a run of `t` warns of, a line a warning
    ```exit            expected: the exit code of the run
    ```definitions     a file definitions/NAME.yaml, the default NAME is `d`
    ```score NAME      a Score file NAME.yaml, the default NAME is `score`
    ```set NAME        a deployment set NAME.yaml, the default NAME is `set`
    ```graph           expected: the resource graph of these, of app shop in env dev of type development;
                       a line a resource, or a line a fault
    ```picture         expected: the same graph drawn as a flowchart, without the legend of its lines
    ```deployplan      expected: what a plan of the deployment says, a line a resource with its outputs
    ```deployed        expected: the same for the deployment itself
    ```redeployed      expected: the same for a second one
    ```destroyed       expected: what it says when the environment is destroyed
    ```later NAME      a file later/NAME.yaml of another deployment of the environment, which follows
    ```drop            what else that deployment takes out of the environment, a line `workload NAME` or
                       `shared NAME`
    ```merged          expected: what that deployment says with --merge; warnings first
    ```alone           expected: what a plan of it says without --merge
    ```rendered        expected: the warnings of the deployment, and its workloads as plain values
    ```deploy WORDS    expected: what `ensue deploy WORDS` says, in the form of `deployed`, or is refused;
                       a case may have several: files between them are written before the next one
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ensue.core.model.run_part import WHOLE_RUN, RunPart

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEPLOYMENTS = ("deployplan", "deployed", "redeployed", "merged", "alone", "destroyed")
EXPECTATIONS = (
    "chunks", "before", "results", "plan", "diagnostics", "warnings", "exit", "again", "graph", "picture",
    "rendered", *DEPLOYMENTS,
)  # fmt: skip
_FOLDERS = {
    "definitions": ("definitions/", "d"),
    "score": ("", "score"),
    "set": ("", "set"),
    "later": ("later/", "api"),
}
_FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(slots=True, kw_only=True)
class Step:
    """One of several deployments of a case.

    Args:
        words: the options of the command.
        files: path in the project to content, written before it.
        expected: what it says.
    """

    words: list[str]
    files: dict[str, str]
    expected: str


@dataclass(slots=True, kw_only=True)
class Case:
    """One case.

    Args:
        path: the Markdown file.
        title: its heading.
        files: path in the project to content.
        expected: kind of expectation to text.
        steps: the deployments of the case, in their order.
        tgt: the target of the run; None: this machine.
        part: the part of the run.
        drop: what a later deployment takes out of the environment, each a kind and a name.
    """

    path: Path
    title: str
    tgt: str | None = None
    part: RunPart = WHOLE_RUN
    drop: tuple[tuple[str, str], ...] = ()
    steps: list[Step] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.path.stem}: {self.title}"


def read_cases(path: Path) -> Iterator[Case]:
    preface, *sections = re.split(r"^## ", path.read_text(), flags=re.MULTILINE)
    shared = dict(file for fence in _FENCE.findall(preface) if (file := _file(*fence)) is not None)
    for section in sections:
        title, _, body = section.partition("\n")
        case = Case(path=path, title=title.strip(), files=dict(shared))
        files = case.files
        for kind, word, content in _FENCE.findall(body):
            file = _file(kind, word, content)
            if file is not None:
                files[file[0]] = file[1]
            elif kind == "deploy":
                # The files before the first one are there from the beginning.
                case.steps.append(Step(words=word.split(), files=files, expected=content))
                files = {}
            elif kind == "drop":
                case.drop = tuple(line.partition(" ")[::2] for line in content.splitlines())
            elif kind == "part":
                case.part = _part(content)
            elif kind == "tgt":
                case.tgt = content.strip()
            elif kind in EXPECTATIONS:
                case.expected[kind] = content
            else:
                message = f"{path.name}: {title}: there is no fence {kind!r}"
                raise ValueError(message)
        yield case


def _part(content: str) -> RunPart:
    words = [line.split(maxsplit=1) for line in content.splitlines()]
    return RunPart(
        only=tuple(word for option, word in words if option == "--only"),
        exclude=tuple(word for option, word in words if option == "--exclude"),
        start_at=dict(words).get("--start-at", ""),
    )


def _file(kind: str, word: str, content: str) -> tuple[str, str] | None:
    """Return the path and the content of a fence that is a file."""
    if kind == "sls":
        return f"states/{word or 't'}.sls", content
    if kind in _FOLDERS:
        folder, default = _FOLDERS[kind]
        return f"{folder}{word or default}.yaml", content
    return (word, content) if kind == "file" else None


def rewrite(case: Case, kind: str, actual: str, number: int = 0) -> None:
    """Put what is true now in the place of an expectation.

    Args:
        case: the case.
        kind: its kind.
        actual: what is true now.
        number: which one of several of this kind.
    """
    text = case.path.read_text()
    start = text.index(f"## {case.title}\n")
    following = text.find("\n## ", start)
    end = len(text) if following < 0 else following
    fences = re.finditer(rf"^```{kind}\b[^\n]*\n(.*?)^```$", text[start:end], re.MULTILINE | re.DOTALL)
    fence = list(fences)[number]
    before, after = text[: start + fence.start(1)], text[start + fence.end(1) :]
    case.path.write_text(before + actual + after)
