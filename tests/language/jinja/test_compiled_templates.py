"""Compiled templates that are kept: what is loaded, what is not kept, whose files are believed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

from ensue.core.errors import CompileError
from ensue.core.masking import Masker
from ensue.language.jinja import JinjaRenderer
from ensue.language.jinja import compiled_templates as module
from ensue.language.jinja.compiled_templates import CompiledTemplates

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "{% for x in [1, 2] %}\na{{ x }}\n{% endfor %}\n"
SLS = """\
{% set word = 'first' %}
made:
  test.present:
    - new_state: {word: {{ word }}}
bound:
  test.present:
    - new_state:
        heard: ${test:made:word}
        printed: "{{ '$' }}{test:made:word}"
"""


def kept(tmp_path: Path, *secrets: str) -> CompiledTemplates:
    """A folder that is there or not, as the renderers of two processes would have it."""
    return CompiledTemplates(tmp_path / "templates", Masker(secrets).text)


def rendered(tmp_path: Path, text: str, *secrets: str, options: dict[str, bool] | None = None) -> str:
    """Render with a renderer of its own."""
    store = kept(tmp_path, *secrets)
    renderer = JinjaRenderer([tmp_path], shorten=str, options=options, kept=store)
    try:
        rendering = renderer.render(text, {}, path=str(tmp_path / "t.sls"), is_file=True)
    finally:
        store.write()
    assert {anchor.path for anchor in rendering.anchors} <= {str(tmp_path / "t.sls")}
    return rendering.text


def files(tmp_path: Path) -> list[Path]:
    """What is kept."""
    return sorted((tmp_path / "templates").glob("*"))


def test_a_second_renderer_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text, and its errors with their lines, are the same."""
    text = "a\n{{ 1 }}\n{{ nothing }}\n"
    faults: list[str] = []
    for _ in range(2):
        with pytest.raises(CompileError) as caught:
            rendered(tmp_path, text)
        faults += map(str, caught.value.diagnostics)
        first = rendered(tmp_path, TEXT)
        monkeypatch.setattr("ensue.language.jinja.environment.SaltJinjaEnvironment.compile_part", None)
    assert first == rendered(tmp_path, TEXT) == "\na1\n\na2\n\n"
    assert faults[0] == faults[1]


def test_imported_templates_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jinja asks for what is kept of a template that another one imports."""
    (tmp_path / "m.jinja").write_text("{% macro f() %}x{% endmacro %}")
    text = "{% from 'm.jinja' import f %}{{ f() }}\n"
    assert rendered(tmp_path, text) == "x\n"
    assert len(files(tmp_path)) == 2
    monkeypatch.setattr("ensue.language.jinja.environment.SaltJinjaEnvironment.compile", None)
    assert rendered(tmp_path, text) == "x\n"


def test_other_options_are_other_code(tmp_path: Path) -> None:
    """Options of the environment change what a text compiles to."""
    rendered(tmp_path, TEXT)
    assert rendered(tmp_path, TEXT, options={"trim_blocks": True}) == "a1\na2\n\n"


@pytest.mark.parametrize(
    "text", ["a: hunter2 {{ 1 }}", "password: other {{ 1 }}\n", "- db_token: other\n{{ 1 }}"]
)
def test_a_secret_is_not_kept(tmp_path: Path, text: str) -> None:
    """Neither one that the masker knows nor one that its name tells."""
    rendered(tmp_path, text, "hunter2")
    assert files(tmp_path) == []


def test_a_printed_secret_is_none_of_the_template(tmp_path: Path) -> None:
    """A template that prints a password does not hold it."""
    rendered(tmp_path, "password: {{ 1 }}\n")
    assert len(files(tmp_path)) == 1


def test_what_is_damaged_is_compiled_anew(tmp_path: Path) -> None:
    """A file that was cut short or changed is not loaded."""
    first = rendered(tmp_path, TEXT)
    (path,) = files(tmp_path)
    content = path.read_bytes()
    for broken in (content[:-1], content[:40], b"", content[:-1] + bytes([content[-1] ^ 1])):
        path.write_bytes(broken)
        assert rendered(tmp_path, TEXT) == first
    assert path.read_bytes() == content


@pytest.mark.parametrize("which", ["folder", "file", "link"])
def test_what_others_may_write_is_not_loaded(tmp_path: Path, which: str) -> None:
    """Code runs: a folder or file that others may write, and a symlink, are not believed."""
    rendered(tmp_path, TEXT)
    (path,) = files(tmp_path)
    if which == "link":
        path.rename(tmp_path / "elsewhere")
        path.symlink_to(tmp_path / "elsewhere")
    else:
        (path if which == "file" else path.parent).chmod(0o777)
    assert kept(tmp_path).load(path.name) is None


def test_without_a_cachedir_nothing_is_written(tmp_path: Path) -> None:
    """A command that makes no cachedir leaves none behind."""
    store = kept(tmp_path / "none")
    renderer = JinjaRenderer([], shorten=str, kept=store)
    assert renderer.render("{{ 1 }}", {}, path="t", is_file=True).text == "1"
    store.write()
    assert not (tmp_path / "none").exists()


def test_a_disk_that_is_nearly_full_is_left_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the disk is for the journal."""
    monkeypatch.setattr(module, "_LEFT_FREE_BYTES", 1 << 80)
    rendered(tmp_path, TEXT)
    assert files(tmp_path) == []


def test_there_is_an_end_to_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When there are too many files the oldest go."""
    monkeypatch.setattr(module, "_MOST_FILES", 3)
    monkeypatch.setattr(module, "_KEPT_WHEN_FULL", 2)
    store = kept(tmp_path)
    renderer = JinjaRenderer([], shorten=str, kept=store)
    for number in range(4):
        renderer.render(f"{{{{ {number} }}}}", {}, path="t", is_file=True)
        store.write()
        newest = max(files(tmp_path), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, ns=(number, number))
    assert len(files(tmp_path)) == 2


def test_two_processes(tmp_path: Path) -> None:
    """Marks of the process that compiled a template count in the next one, and data still is data."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: m1\n")
    shell.write("states/t.sls", SLS)
    shell.write("pillar/top.sls", "base: {'*': [data]}\n")
    shell.write("pillar/data.sls", "{% set n = 1 %}\nnote: planted-in-pillar-{{ n }}\n")
    results = [shell.run("apply", "t", "--out", "json").document["m1"] for _ in range(2)]
    for result in results:
        state = result["test_|-bound_|-bound_|-present"]["new_state"]
        assert state == {"heard": "first", "printed": "${test:made:word}"}
    kept_files = list((tmp_path / ".ensue" / "templates").iterdir())
    assert kept_files
    assert not any(b"planted-in-pillar" in path.read_bytes() for path in kept_files)
