"""Reading and rewriting spec cases: Markdown files in which code fences are input and expectation.

A case begins with a heading of level two, a chapter with one of level one. The fences of a case:

    ```sls NAME        a file states/NAME.sls (`a/b`), the default NAME is `t`
    ```file PATH       any file of the project
    ```tgt             the target of the run
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
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEPLOYMENTS = ("deployplan", "deployed", "redeployed", "merged", "alone", "destroyed")
EXPECTATIONS = (
    "chunks", "results", "plan", "diagnostics", "warnings", "exit", "again", "graph", "picture", "rendered",
    *DEPLOYMENTS,
)  # fmt: skip
_FOLDERS = {
    "definitions": ("definitions/", "d"),
    "score": ("", "score"),
    "set": ("", "set"),
    "later": ("later/", "api"),
}
_FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(slots=True, kw_only=True)
class Case:
    """One case.

    Args:
        path: the Markdown file.
        title: its heading.
        files: path in the project to content.
        expected: kind of expectation to text.
        tgt: the target of the run; None: this machine.
        drop: what a later deployment takes out of the environment, each a kind and a name.
    """

    path: Path
    title: str
    tgt: str | None = None
    drop: tuple[tuple[str, str], ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.path.stem}: {self.title}"


def read_cases(path: Path) -> Iterator[Case]:
    for section in re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        case = Case(path=path, title=title.strip())
        for kind, word, content in _FENCE.findall(body):
            if kind == "sls":
                case.files[f"states/{word or 't'}.sls"] = content
            elif kind in _FOLDERS:
                folder, default = _FOLDERS[kind]
                case.files[f"{folder}{word or default}.yaml"] = content
            elif kind == "file":
                case.files[word] = content
            elif kind == "drop":
                case.drop = tuple(line.partition(" ")[::2] for line in content.splitlines())
            elif kind == "tgt":
                case.tgt = content.strip()
            elif kind in EXPECTATIONS:
                case.expected[kind] = content
            else:
                message = f"{path.name}: {title}: there is no fence {kind!r}"
                raise ValueError(message)
        yield case


def rewrite(case: Case, kind: str, actual: str) -> None:
    """Put what is true now in the place of an expectation."""
    text = case.path.read_text()
    start = text.index(f"## {case.title}\n")
    following = text.find("\n## ", start)
    end = len(text) if following < 0 else following
    section = re.sub(
        rf"^```{kind}\n.*?^```$",
        lambda _: f"```{kind}\n{actual}```",
        text[start:end],
        flags=re.MULTILINE | re.DOTALL,
    )
    case.path.write_text(text[:start] + section + text[end:])
