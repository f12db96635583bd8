"""The examples in README.md, CONTRIBUTING.md and docs/ run.

Each page has one empty project of its own, in which its examples run from top to bottom. How a
fenced block takes part:

- `<!-- file: states/hello.sls -->` before a block: the block is written to that file.
- `<!-- run -->` before a block: each line that begins with `$ ` is a command; the lines after it, up
  to the next command, are lines of its output, in their order, where `...` stands for anything.
  `<!-- run: exit 2 -->` says which exit code the block's last command ends with.
- A block of the language `sls` without such a comment compiles by itself.

Any other block is for reading only. The `ensue` of the commands is forked from a process that has loaded it
(`tests/support/forked_commands.py`).
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.cli.shell import command, command_server, environment

ROOT = Path(__file__).resolve().parent.parent
LONGEST_COMMAND_S = 300

_BLOCK = re.compile(
    r"^(?:<!-- *(?P<verb>file|run) *(?:: *(?P<rest>[^\n]*?))? *-->\n+)?"
    r"^(?P<fence>```+)(?P<language>[\w-]*)[^\n]*\n(?P<body>.*?)^(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page.

    Args:
        line: where it begins.
        verb: `file`, `run` or empty.
        rest: what follows the verb.
        language: the word after the fence.
        body: its text.
    """

    line: int
    verb: str
    rest: str
    language: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command of a block, and the lines of output that the page shows for it."""

    command: str
    shown: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    return [
        Block(
            line=text.count("\n", 0, match.start("fence")) + 1,
            verb=match["verb"] or "",
            rest=(match["rest"] or "").strip(),
            language=match["language"],
            body=match["body"],
        )
        for match in _BLOCK.finditer(text)
    ]


def steps(body: str) -> list[Step]:
    """Return the commands of a block."""
    commands: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1] = (f"{commands[-1][0]}\n{line}", [])
        elif commands and line.strip():
            commands[-1][1].append(line)
    return [Step(command=command, shown=tuple(shown)) for command, shown in commands]


def _pages() -> list[Path]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    # The examples of the generated pages are tested where they are written: tests/library/test_examples.py.
    generated = (ROOT / "docs" / "_build", ROOT / "docs" / "reference")
    return [page for page in pages if not any(page.is_relative_to(folder) for folder in generated)]


def _takes_part(page: Path) -> bool:
    page_blocks = blocks(page.read_text(encoding="utf-8"))
    return any(block.verb or block.language == "sls" for block in page_blocks)


@pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in _pages() if _takes_part(page)])
def test_examples_run(page: Path, tmp_path: Path) -> None:
    """Every example of the page does what the page says."""
    project = tmp_path / "project"
    project.mkdir()
    run_examples(page, project)


def run_examples(page: Path, project: Path) -> None:
    """Run the examples of a page, from top to bottom, in a folder.

    Args:
        page: the page.
        project: where its files are written and its commands run.
    """
    alone = project.parent / "alone"
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page.name}:{block.line}"
        if block.verb == "file":
            _write(project / block.rest, block.body)
        elif block.verb == "run":
            _run_block(block, project, where)
        elif block.language == "sls":
            _write(alone / "example.sls", block.body)
            shown = _run("ensue show low example.sls", alone)
            assert shown.returncode == 0, f"{where}: does not compile\n{shown.stdout}"


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def _run_block(block: Block, project: Path, where: str) -> None:
    listed = steps(block.body)
    assert listed, f"{where}: a block to run without a command"
    for number, step in enumerate(listed, 1):
        finished = _run(step.command, project)
        last = number == len(listed)
        expected = int(block.rest.removeprefix("exit")) if last and block.rest else 0
        transcript = f"{where}: $ {step.command}\n{finished.stdout}"
        assert finished.returncode == expected, (
            f"exit code {finished.returncode}, not {expected}\n{transcript}"
        )
        missing = _first_missing(step.shown, finished.stdout)
        assert missing is None, f"the page shows a line that is not there: {missing!r}\n{transcript}"


@cache
def _programs() -> Path:
    """Return a folder with an `ensue` that is forked from a process that has loaded it."""
    folder = Path(tempfile.mkdtemp(prefix="ensue-programs-"))
    atexit.register(shutil.rmtree, folder)
    command_server().script(folder / "ensue", command()[0])
    return folder


def _run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    given = environment(
        PATH=f"{_programs()}:{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
        HOME=str(folder),
        COLUMNS="110",
        NO_COLOR="1",
    )
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env=given,
        pass_fds=[command_server().file],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_COMMAND_S,
        check=False,
    )


def _first_missing(shown: tuple[str, ...], output: str) -> str | None:
    """Return the first shown line that the output does not have after the earlier shown lines.

    The widths of a table's columns depend on the machine.
    """
    rest = iter(output.splitlines())
    for line in shown:
        if line.strip() == "...":
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in _narrow(line).split("...")))
        if not any(pattern.fullmatch(_narrow(candidate)) for candidate in rest):
            return line
    return None


def _narrow(line: str) -> str:
    """Return a line with two blanks between the columns of a table."""
    return re.sub(" {2,}", "  ", line.strip())


def test_blocks_are_found_with_what_stands_before_them() -> None:
    """A comment belongs to the block right after it; a block without a comment is returned, too."""
    page = (
        "<!-- file: a/b.sls -->\n```sls\nx: 1\n```\n\n"
        "```sh\nls\n```\n\n"
        "<!-- run: exit 2 -->\n\n```console\n$ no\n```\n"
    )
    assert [(block.line, block.verb, block.rest, block.language) for block in blocks(page)] == [
        (2, "file", "a/b.sls", "sls"),
        (6, "", "", "sh"),
        (12, "run", "exit 2", "console"),
    ]


def test_output_is_compared_in_order() -> None:
    """Shown lines follow each other in the output, `...` matches anything, and other lines may be between."""
    output = "one\n  two 2.5 ms\nthree\nA      B\n"
    assert _first_missing(("A   B",), output) is None
    assert _first_missing(("A B",), output) == "A B"
    assert _first_missing(("one", "two ... ms"), output) is None
    assert _first_missing(("three", "one"), output) == "one"
    assert _first_missing(("two",), output) == "two"


def test_commands_take_the_lines_below_them_as_output() -> None:
    """A backslash continues a command; blank lines are no output."""
    assert steps("$ a \\\n  b\nsays\n\n$ c\n") == [
        Step(command="a \\\n  b", shown=("says",)),
        Step(command="c", shown=()),
    ]


def test_built_pages_keep_the_names_of_files() -> None:
    """The name in a comment, which nobody sees in a built page, becomes the caption of the block."""
    spec = importlib.util.spec_from_file_location("docs_conf", ROOT / "docs" / "conf.py")
    assert spec is not None
    assert spec.loader is not None
    conf = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conf)
    page = "a\n<!-- file: states/a.sls -->\n```sls\nb: test.nop\n```\n<!-- run -->\n```console\n$ x\n```\n"
    assert conf.with_captions(page) == (
        "a\n```{code-block} sls\n:caption: states/a.sls\n\nb: test.nop\n```\n"
        "<!-- run -->\n```console\n$ x\n```\n"
    )
