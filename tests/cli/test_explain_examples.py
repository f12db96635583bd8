"""The examples of docs/diagnostics.md, which `ensue explain` prints, cause their code; mended, they do not.

Each code has one example: what causes it, a file or commands, and what to write instead. It is tried in a
small project, in which it replaces one file. An example after `<!-- not run -->` needs what this test does
not have: a full disk, a killed run, another program.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from ensue.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "diagnostics.md"

FILES = {
    "ensue.yaml": "id: m1\n",
    "states/top.sls": "base:\n  '*': [web]\n",
    "states/web.sls": "web: test.nop\n",
    "states/a.sls": "a: test.nop\n",
    "states/map.jinja": "{% set port = 80 %}\n",
    "pillar/top.sls": "base:\n  '*': [data]\n",
    "pillar/data.sls": "db: {password: hunter2-of-the-database}\n",
    "definitions/db.yaml": (
        "kind: Definition\nmetadata: {id: db}\nentity: {type: postgres, driver_type: echo, criteria: [{}]}\n"
    ),
    "score.yaml": (
        "apiVersion: score.dev/v1b1\n"
        "metadata: {name: web}\n"
        "containers: {main: {image: nginx}}\n"
        "resources: {db: {type: postgres}}\n"
    ),
}
"""The project of every example."""

BOX = "resources: {dummy: {box: {}}}\n"

MORE: dict[str, dict[str, str]] = {
    "E0405": {"states/a.sls": "a: mine.done\n"},
    "E0609": {"states/a.sls": "#!mine|yaml\na: test.nop\n"},
    "E0707": {"pillar/data.sls": BOX},
    "E0708": {"ensue.yaml": "id: m1\nnodegroups: {web: 'web-*'}\n"},
    "E0888": {"ensue.yaml": "id: m1\nnodegroups: {web: 'm*', db: 'db-*'}\n"},
    "E0411": {"pillar/data.sls": "resources: {minion: {web-01: {root: /}}}\n"},
    "E0709": {"states/a.sls": "a:\n  test.nop:\n    - tgt: N@web\n"},
    "E0710": {"pillar/data.sls": "resources: {mine: {}}\n"},
    "E0711": {"pillar/data.sls": "resources: {mine: {}}\n"},
    "E0712": {"pillar/data.sls": "resources: {mine: {}}\n"},
    "E0716": {"pillar/data.sls": BOX},
    "E0721": {"states/a.sls": "a:\n  cmd.run:\n    - name: printf %0200d 7\n"},
    "E0827": {
        "score.yaml": (
            "apiVersion: score.dev/v1b1\n"
            "metadata: {name: web}\n"
            "containers: {main: {image: nginx, variables: {LEVEL: '${resources.env.LEVEL}'}}}\n"
            "resources: {env: {type: environment}}\n"
        )
    },
    "E0832": {
        "definitions/db.yaml": (
            "kind: Definition\n"
            "metadata: {id: db}\n"
            "entity:\n"
            "  type: postgres\n"
            "  driver_type: echo\n"
            "  driver_inputs: {secrets: {password: hunter2-of-the-database}}\n"
            "  criteria: [{}]\n"
        )
    },
    "E0908": {
        "score.yaml": (
            "apiVersion: score.dev/v1b1\n"
            "metadata: {name: web}\n"
            "containers: {main: {image: nginx}}\n"
            "resources: {first: {type: page}, second: {type: page}}\n"
        )
    },
    "E0884": {"states/app.conf.j2": "port 80\n"},
    "E0883": {
        "states/web.sls": (
            "#!stateconf yaml . jinja\n"
            ".params:\n  stateconf.set: [port: 80]\n"
            "# --- end of state config ---\n"
            ".port-{{ params.port }}: test.nop\n"
        )
    },
    "E0895": {"states/a.sls": "motd: {test.nop: [comment: {{ pillar.get('region', 'eu') }}]}\n"},
    "E0913": {
        "pillar/dev/top.sls": "dev: {'*': [size]}\n",
        "pillar/dev/size.sls": "size: 1\n",
        "pillar/prod/top.sls": "prod: {'*': [size]}\n",
        "pillar/prod/size.sls": "size: 8\n",
    },
    "E0914": {"pillar/data.sls": "db: {port: 5432}\n"},
    "E0915": {
        "pillar/data.sls": "vhosts: {old: {port: 80}}\n",
        "states/a.sls": "motd: {test.nop: [comment: {{ pillar.vhosts | length }}]}\n",
    },
    "E0892": {"pillar/data.sls": "resources: {minion: {web-01: {root: /}}}\n"},
    "E0868": {
        "pillar/data.sls": "resources: {minion: {box: {root: /}}}\n",
        "states/a.sls": "a: {file.exists: [name: \"{{ opts['root_dir'] }}/release\"]}\n",
    },
    "E0870": {"states/web.sls": "web: test.nop\nother: test.nop\n"},
    **{
        code: {"ensue.yaml": "id: m1\nsecret_stores: {environment: {kind: env}}\n"}
        for code in ("E0835", "E0836", "E0837")
    },
}
"""Further files of one example."""

ABSENT = {"E0604": "states/top.sls"}
"""A file that the project of one example lacks."""

COMPILE = "ensue show low a"
GRAPH = "ensue graph score.yaml --app shop --env dev --env-type development"
DEPLOY = GRAPH.replace("graph", "deploy")
RENDER = f"{DEPLOY} --render kubernetes --to out"
BY_FILE = {
    "states/top.sls": "ensue apply --test",
    "definitions/db.yaml": GRAPH,
    "score.yaml": GRAPH,
    "states/_grains/mine.py": "ensue call m1 grains.items",
    "states/_resources/mine/__init__.py": "ensue call '*' test.ping",
}
BY_CODE = {
    "E0102": "ensue plan a",
    "E0110": "ensue plan a",
    "E0220": "ensue apply a",
    "E0315": "ensue plan a",
    "E0407": "ensue plan a",
    "E0408": "ensue plan a",
    "E0411": "ensue plan web",
    "E0412": "ensue plan a",
    "E0413": "ensue plan a",
    "E0416": "ensue plan a",
    "E0414": "ensue plan a",
    "E0415": "ensue plan a",
    "E0716": "ensue plan a",
    "E0740": "ensue plan a",
    "E0721": "ensue apply a",
    "E0725": "ensue apply a",
    "E0805": "ensue apply a",
    "E0872": "ensue plan a",
    "E0890": "ensue plan a",
    "E0884": "ensue plan a",
    "E0913": "ensue plan a",
    "E0914": "ensue plan a",
    "E0889": "ensue plan a",
    "E0917": "ensue plan a",
    "E0887": "ensue plan a",
    "E0891": "ensue plan a",
    "E0892": "ensue resources list",
    "E0826": f"{DEPLOY} --plan",
    "E0857": "ensue apply --test",
    "E0830": RENDER,
    "E0831": RENDER,
    "E0832": RENDER,
    "E0833": RENDER,
    "E0834": f"{DEPLOY} --render compose --to out",
    "E0835": f"{DEPLOY} --plan",
    "E0836": f"{DEPLOY} --plan",
    "E0837": f"{DEPLOY} --plan",
    "E0905": "ensue apply a",
    "E0908": f"{DEPLOY} --plan",
}

AS_COMMENT = {
    "E0220": "would change what the file says",
    "E0805": "names a state in another scope",
    "E0830": "cannot be carried out",
    "E0905": "is called for the 2nd time in this run",
}
"""What the comment of a state says where it has no code: of a delayed block that is not rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example of the page.

    Args:
        code: what its wrong part causes.
        path: the file that it is; empty: it is commands.
        wrong: the file or the commands that cause the code.
        right: the same without the error.
        is_run: whether it is tried.
    """

    code: str
    path: str
    wrong: str
    right: str
    is_run: bool


_SECTION = re.compile(r"^### (?P<code>[EW]\d{4}): (?P<body>(?:(?!#{2,3} ).*\n?)*)", re.MULTILINE)
_EXAMPLE = re.compile(
    r"(?P<unrun><!-- not run -->\n)?Causes it(?:, in `(?P<path>[^`]+)`)?:\n\n"
    r"```\w+\n(?P<wrong>.*?)```\n\nInstead:\n\n```\w+\n(?P<right>.*?)```\n*\Z",
    re.DOTALL,
)


def _examples() -> list[Example]:
    examples: list[Example] = []
    for section in _SECTION.finditer(PAGE.read_text(encoding="utf-8")):
        example = _EXAMPLE.search(section["body"])
        assert example is not None, f"{section['code']} has no example"
        examples.append(
            Example(
                code=section["code"],
                path=example["path"] or "",
                wrong=example["wrong"],
                right=example["right"],
                is_run=example["unrun"] is None,
            )
        )
    return examples


@pytest.mark.parametrize(
    "example", [pytest.param(example, id=example.code) for example in _examples() if example.is_run]
)
def test_an_example_does_what_the_page_says(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The wrong part causes its code, the right part does not and is accepted."""
    for text, is_wrong in ((example.wrong, True), (example.right, False)):
        folder = tmp_path / ("wrong" if is_wrong else "right")
        _write_project(folder, example, text)
        monkeypatch.chdir(folder)
        lines = [BY_CODE.get(example.code) or BY_FILE.get(example.path, COMPILE)]
        code = [_run(line) for line in (lines if example.path else text.splitlines())][-1]
        captured = capfd.readouterr()
        output = captured.out + captured.err
        assert (AS_COMMENT.get(example.code, example.code) in output) is is_wrong, output
        assert is_wrong or code == 0, output


def _write_project(folder: Path, example: Example, text: str) -> None:
    files = FILES | MORE.get(example.code, {})
    files.pop(ABSENT.get(example.code, ""), None)
    if example.path:
        files[example.path] = ("id: m1\n" if example.path == "ensue.yaml" else "") + text
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def _run(line: str) -> int:
    if line.startswith("ensue "):
        return main(shlex.split(line)[1:])
    return subprocess.run(["/bin/sh", "-c", line], check=True).returncode
