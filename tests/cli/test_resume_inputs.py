"""What a call read is compared before a resumed run takes over its return: files, pillar, grains."""

from __future__ import annotations

import hashlib
import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

from ensue.core.model.events import NodeFinished, NodeStarted
from ensue.store.runs.run_history import read_run

if TYPE_CHECKING:
    from pathlib import Path

STATES = '''
"""States that say what they are called with, and end their process where a trap is set."""

import os
import signal
from pathlib import Path

from ensue.core.model.returns import StateReturn


def done(ctx, name, word=""):
    trap = Path(ctx.opts["root_dir"]) / "trap"
    if trap.exists() and trap.read_text() == name:
        trap.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return StateReturn(name=name, result=True, changes={"word": word}, new_state={"word": word})


def reading(ctx, name):
    return StateReturn(name=name, result=True, new_state={"port": ctx.pillar.get("port")})


FUNCTIONS = {"done": done, "reading": reading}
'''

SLS = """
conf:
  file.managed:
    - name: {root}/out/conf
    - source: salt://conf.j2
    - template: jinja
    - makedirs: true
reload:
  step.done:
    - onchanges: [{{file: conf}}]
plain:
  file.managed:
    - name: {root}/out/plain
    - source:
      - salt://newer.txt
      - salt://plain.txt
tree:
  file.recurse:
    - name: {root}/out/tree
    - source: salt://tree
word:
  step.done:
    - word: one
bound:
  step.done:
    - word: ${{step:word:word}}
reading:
  step.reading: []
unread:
  step.done: []
long:
  file.managed:
    - name: {root}/out/long
    - source: salt://long.bin
looked_up:
  module.run:
    - slsutil.file_exists:
      - path: long.bin
last:
  step.done: []
"""

TEMPLATE = """{% import 'macros.j2' as macros %}
{{ pillar.port }} {{ salt['pillar.get']('app:name') }} {{ grains.role }} {{ salt['grains.get']('site') }}
{{ macros.word }} {{ pillar.get('missing', 'none') }} {{ salt['cmd.run']('echo x') }} {{ pillar.written }}
"""

LONG = "long\n" * 250_000
"""More than a megabyte."""

CONFIGURATION = "id: web-01\ngrains: {role: web, site: north, other: 1}\n"
PILLAR = "port: 80\napp: {name: shop}\nother: 1\nwritten: ${step:word:word}\n"


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project whose states read files, pillar and grains; its apply is killed at the last of them."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", CONFIGURATION)
    project.write("pillar/top.sls", "base: {'*': [data]}\n")
    project.write("pillar/data.sls", PILLAR)
    project.write("states/_states/step.py", STATES)
    project.write("states/t.sls", SLS.format(root=tmp_path))
    project.write("states/conf.j2", TEMPLATE)
    project.write("states/macros.j2", "{% set word = 'a' %}")
    project.write("states/plain.txt", "plain\n")
    project.write("states/tree/a", "a\n")
    project.write("states/long.bin", LONG)
    project.write("trap", "last")
    ended = project.run("apply", "t")
    assert ended.code == -signal.SIGKILL, ended.err
    return project


def called_in_resume(project: Shell, **env: str) -> set[str]:
    """Resume; return the IDs of the states whose functions were called."""
    ended = project.run("runs", "resume", **env)
    assert ended.code == 0, ended.err
    events = read_run(project.root / ".ensue", "last")
    return {event.id for event in events if isinstance(event, NodeStarted)}


@pytest.mark.parametrize(
    ("name", "content", "called"),
    [
        ("states/conf.j2", TEMPLATE + "more\n", {"conf", "reload"}),
        ("states/macros.j2", "{% set word = 'b' %}", {"conf", "reload"}),
        ("states/plain.txt", "other\n", {"plain"}),
        ("states/newer.txt", "newer\n", {"plain"}),
        ("states/tree/a", "b\n", {"tree"}),
        ("states/long.bin", LONG, {"looked_up"}),
        ("states/long.bin", LONG[::-1], {"long", "looked_up"}),
        ("states/tree/b", "b\n", {"tree"}),
        ("pillar/data.sls", PILLAR.replace("80", "8080"), {"conf", "reload", "reading"}),
        ("pillar/data.sls", PILLAR.replace("shop", "bank"), {"conf", "reload"}),
        ("pillar/data.sls", PILLAR + "missing: there\n", {"conf", "reload"}),
        ("pillar/data.sls", PILLAR.replace("other: 1", "other: 2"), set()),
        ("ensue.yaml", CONFIGURATION.replace("web,", "db,"), {"conf", "reload"}),
        ("ensue.yaml", CONFIGURATION.replace("north", "south"), {"conf", "reload"}),
        ("ensue.yaml", CONFIGURATION.replace("other: 1", "other: 2"), set()),
        ("states/unnamed.j2", "x", set()),
    ],
)
def test_what_a_call_read_is_compared(project: Shell, name: str, content: str, called: set[str]) -> None:
    """A state is called again when something that it read has changed, and who watches it; no other is."""
    project.write(name, content)
    assert called_in_resume(project) == {"last"} | called


def test_a_changed_reference_is_noticed(project: Shell) -> None:
    """A state is called again when a reference among its arguments comes to something else."""
    sls = (project.root / "states/t.sls").read_text()
    project.write("states/t.sls", sls.replace("word: one", "word: two"))
    assert called_in_resume(project) == {"word", "bound", "last"}


def test_another_shell_is_no_change(project: Shell) -> None:
    """A run may be resumed from another shell than it was begun from."""
    assert called_in_resume(project, SHELL="/bin/other", PATH="/usr/bin:/bin:/nowhere") == {"last"}


def test_a_new_state_is_heard_by_those_that_watch_it(project: Shell) -> None:
    """What has become new since makes a finished state hear of it."""
    sls = (project.root / "states/t.sls").read_text()
    new = "new:\n  step.done:\n    - onchanges_in: [{step: unread}]\n    - word: x\n    - order: 1\n"
    project.write("states/t.sls", sls + new)
    assert called_in_resume(project) == {"new", "unread", "last"}


def test_what_was_read_cannot_be_guessed_from_the_journal(project: Shell) -> None:
    """Fingerprints are made with the project's key: a rotation keeps them, without the key none is equal."""
    (journal,) = (project.root / ".ensue/runs").iterdir()
    digests = [
        hashlib.sha256(content.encode()).hexdigest()
        for content in (TEMPLATE, "80", '"80"', "shop", '{"name":"shop"}')
    ]
    text = journal.read_text()
    assert not any(digest[:16] in text for digest in digests)
    assert project.run("keys", "rotate").code == 0
    project.write("trap", "last")
    assert project.run("runs", "resume").code == -signal.SIGKILL
    events = read_run(project.root / ".ensue", "last")
    assert {event.id for event in events if isinstance(event, NodeStarted)} == {"last"}
    for key in (project.root / ".ensue").glob("*key*"):
        key.unlink()
    for store in (project.root / ".ensue").glob("*.db*"):
        store.unlink()
    assert called_in_resume(project) == {"conf", "plain", "tree", "long", "looked_up", "reading", "last"}


def test_names_of_what_was_read_are_in_the_journal(project: Shell) -> None:
    """Who reads a journal finds which files, pillar keys and grains a state depends on."""
    events = read_run(project.root / ".ensue", "last")
    (conf,) = (
        event.returned for event in events if isinstance(event, NodeFinished) and event.returned.id == "conf"
    )
    assert set(conf.read) == {
        "file base salt://conf.j2",
        f"template - {project.root}/states/macros.j2",
        "pillar minion:web-01 port",
        "pillar minion:web-01 app",
        "pillar minion:web-01 missing",
        "pillar minion:web-01 written",
        "grains minion:web-01 role",
        "grains minion:web-01 site",
    }
