"""Renderers beyond templates and YAML: `gpg` with real keys, and those of installed distributions."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterator

needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="needs gpg: apt-get install gpg gpg-agent")

PLUGIN = """\
def shouted(source):
    if source.data is not None:
        return {key.upper(): value for key, value in source.data.items()}
    return source.text.replace("WORD", source.arguments[0])

def broken(source):
    raise ValueError("no such word")
"""


@pytest.fixture(scope="module")
def keys() -> Iterator[Path]:
    """A folder of keys in which one can decrypt; its agent ends with the test."""
    # The path of a socket is short, so pytest's own folders will not do.
    with tempfile.TemporaryDirectory(prefix="gpg") as folder:
        home = ["--homedir", folder]
        make = ["gpg", *home, "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "u@example.org"]
        subprocess.run([*make, "future-default", "default", "never"], check=True, capture_output=True)
        yield Path(folder)
        subprocess.run(["gpgconf", *home, "--kill", "all"], check=True, capture_output=True)


def encrypted(keys: Path, text: str) -> str:
    command = ["gpg", "--homedir", str(keys), "--batch", "--quiet", "--armor", "--trust-model", "always"]
    command += ["--recipient", "u@example.org", "--encrypt"]
    return subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def project(root: Path, keys: Path, pillar: str, *, options: str = "") -> None:
    write(root, pillar__top="base:\n  '*': [p]\n", pillar__p=pillar)
    (root / "ensue.yaml").write_text(f"gpg_keydir: {keys}\n{options}")


def shown(root: Path) -> object:
    async def show() -> object:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as opened:
            return await opened.show("pillar", [])

    return asyncio.run(show())


@needs_gpg
def test_messages_in_pillar_are_decrypted_and_are_secrets(tmp_path: Path, keys: Path) -> None:
    """Behind YAML each message becomes its content, data whatever signs it holds, shown to nobody."""
    secret = "correct ${test:a:b} horse"
    project(tmp_path, keys, f"#!yaml|gpg\nword: |\n{indented(encrypted(keys, secret))}list: [1, x]\n")
    write(
        tmp_path,
        states__t="a:\n  test.present:\n    - new_state: {{ pillar['word'] | tojson }}\n"
        'check:\n  cmd.run:\n    - name: \'[ "$WORD" = "$OTHER" ]\'\n    - shell: /bin/sh\n'
        "    - env: {WORD: {{ pillar['word'] | tojson }}, OTHER: 'correct $${test:a:b} horse'}\n",
    )
    report = apply(tmp_path, "t")
    decrypted, displayed = report.returns.values()
    assert (displayed.result, decrypted.result) == (True, True), displayed.comment
    assert decrypted.new_state == secret
    assert "horse" not in repr(shown(tmp_path))


@needs_gpg
def test_messages_in_text_become_text_of_the_file(tmp_path: Path, keys: Path) -> None:
    """Before Jinja and YAML a message may be lines of the file, and later lines keep their places."""
    message = encrypted(keys, "a: {{ 1 + 1 }}\nb: two\n")
    project(tmp_path, keys, f"#!gpg|jinja|yaml\n{message}c: 3\n")
    write(tmp_path, states__t="a:\n  test.present:\n    - new_state: {{ pillar | tojson }}\n")
    (returned,) = apply(tmp_path, "t").returns.values()
    assert returned.new_state == {"a": 2, "b": "two", "c": 3}
    message = encrypted(keys, "a: 1\nb: two\n")
    (tmp_path / "pillar/p.sls").write_text(f"#!gpg|yaml\n{message.rstrip()}\nc: 3\nc: 4\n")
    lines = 1 + len(message.rstrip().splitlines())
    with pytest.raises(CompileError) as raised:
        shown(tmp_path)
    places = {span.line for diagnostic in raised.value.diagnostics if (span := diagnostic.span)}
    assert places & {lines + 1, lines + 2}, raised.value


@needs_gpg
def test_what_cannot_be_decrypted_is_refused_with_its_place(tmp_path: Path, keys: Path) -> None:
    """A message for which there is no key is an error, or stays as it is where an option says so."""
    message = indented(encrypted(keys, "x"))
    project(tmp_path, tmp_path / "none", f"#!yaml|gpg\nplain: 1\nword: |\n{message}")
    with pytest.raises(CompileError) as raised:
        shown(tmp_path)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.span and diagnostic.span.line) == ("E0222", 3)
    assert "has no passphrase, or one that gpg's agent knows" in diagnostic.help
    project(
        tmp_path,
        tmp_path / "none",
        f"#!yaml|gpg\nword: |\n{message}",
        options="gpg_decrypt_must_succeed: false",
    )
    assert "BEGIN PGP MESSAGE" in repr(shown(tmp_path))


@needs_gpg
@pytest.mark.parametrize("pipe", ["yaml|gpg", "gpg|yaml"])
def test_a_message_that_is_cut_short_is_refused(tmp_path: Path, keys: Path, pipe: str) -> None:
    """Without its last line it is no text: it is refused with its place, also before a whole message."""
    whole = encrypted(keys, "x")
    lost = "".join(whole.splitlines(keepends=True)[:3])
    for text, places in (
        (f"a: 1\nword: |\n{indented(lost)}", {2, 3}),
        (f"word: |\n{indented(lost)}next: |\n{indented(whole)}", {1, 2}),
    ):
        project(tmp_path, keys, f"#!{pipe}\n{text}")
        with pytest.raises(CompileError) as raised:
            shown(tmp_path)
        (diagnostic,) = raised.value.diagnostics
        assert (diagnostic.code, "-----END PGP MESSAGE-----" in diagnostic.detail) == ("E0222", True)
        assert "keys encrypt" in diagnostic.help
        assert diagnostic.span
        assert diagnostic.span.line - 1 in places


@needs_gpg
def test_a_text_that_mentions_a_message_is_a_text(tmp_path: Path, keys: Path) -> None:
    """Only a whole line begins a message."""
    project(tmp_path, keys, "#!yaml|gpg\nabout: look for -----BEGIN PGP MESSAGE----- in it\n")
    assert "look for" in repr(shown(tmp_path))


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "shouting.py").write_text(PLUGIN)
    info = folder / "shouting-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[ensue.renderers]\nshout = shouting:shouted\nmute = shouting:broken\n"
    )
    monkeypatch.syspath_prepend(str(folder))


def test_an_installed_renderer_is_a_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renderer of a distribution makes text or data, in a first line or as the option `renderer`."""
    (tmp_path / "site").mkdir()
    install(tmp_path / "site", monkeypatch)
    root = tmp_path / "project"
    write(root, states__t="#!shout thing|yaml|shout\nWORD: test.nop\n", states__u="{{ 'x' }}WORD: test.nop\n")
    (root / "ensue.yaml").write_text("renderer: jinja|shout y|yaml\n")
    assert [returned.id for returned in apply(root, "t", "u").returns.values()] == ["THING", "xy"]


def test_a_renderer_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a renderer raises is an error of the file, with the distribution that it comes from."""
    (tmp_path / "site").mkdir()
    install(tmp_path / "site", monkeypatch)
    write(tmp_path, states__t="#!mute|yaml\na: test.nop\n")
    with pytest.raises(CompileError, match=r"'mute' failed.*shouting:broken of shouting") as raised:
        apply(tmp_path, "t")
    assert [diagnostic.code for diagnostic in raised.value.diagnostics] == ["E0223"]
