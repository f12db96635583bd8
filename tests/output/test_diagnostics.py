"""Diagnostics show the source line and underline the culprit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.masking import Masker
from ensue.output.colours import COLOURED, PLAIN
from ensue.output.diagnostics import diagnostics_text

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = "web:\n  file.mangaed:\n    - name: /etc/x\n    - contents: hunter22\n\t- tab: x\n"


def _text(root: Path, *diagnostics: Diagnostic, masker: Masker | None = None) -> str:
    (root / "a.sls").write_text(SOURCE, encoding="utf-8")
    return diagnostics_text(diagnostics, root, masker or Masker(), PLAIN)


def test_the_word_at_the_column_is_underlined(tmp_path: Path) -> None:
    """The whole text: code, summary, place, line, underline, why, help."""
    text = _text(
        tmp_path,
        Diagnostic(
            code="E0401",
            summary="there is no state function file.mangaed",
            span=Span("a.sls", 2, 3),
            detail="'web' asks for it",
            help="did you mean file.managed?",
        ),
    )
    assert text == (
        "error[E0401]: there is no state function file.mangaed\n"
        "  --> a.sls:2:3\n"
        "  2 |   file.mangaed:\n"
        "    |   ^^^^^^^^^^^^\n"
        "  = why: 'web' asks for it\n"
        "  = help: did you mean file.managed?\n"
    )


def test_without_a_column_the_line_is_underlined(tmp_path: Path) -> None:
    """Where only the line is known, its text is underlined, not its indentation."""
    text = _text(tmp_path, Diagnostic(code="E1", summary="no", span=Span("a.sls", 3)))
    assert "  3 |     - name: /etc/x\n    |     ^^^^^^^^^^^^^^\n" in text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("password: sw0rdfish: x", "password: (sensitive)"),
        ('  - db_password: "sw0rdfish', "  - db_password: (sensitive)"),
        ("h: {port: 1, token: sw0rdfish, usr: x}", "h: {port: 1, token: (sensitive)"),
        ("api-key: sw0rdfish{{ nope }}", "api-key: (sensitive)"),
        ("password: {{ pillar.nope }}", "password: {{ pillar.nope }}"),
        ("password:", "password:"),
        ("password: ${resources.db.password}", "password: ${resources.db.password}"),
        ('"DB_PASSWORD": "${resources.db.password}"', '"DB_PASSWORD": "${resources.db.password}"'),
        ("password: ${test:vm:pin}${test:vm:pin}", "password: ${test:vm:pin}${test:vm:pin}"),
        ("secrets: {a: '${resources.db.x}', b: 5}", "secrets: (sensitive)"),
        ("secrets: {a: '${resources.db.x}'}", "secrets: {a: '${resources.db.x}'}"),
        ("secrets: {a: '${resources.db.x}', b: 'sw0rdfish: '}", "secrets: (sensitive)"),
        ("password: sw0rdfish ${resources.db.x}", "password: (sensitive)"),
        ("password: ${sw0rdfish}", "password: (sensitive)"),
        ("url: pg://u:${resources.db.password}@h/", "url: pg://u:${resources.db.password}@h/"),
        ("url: pg://u:sw0rdfish${resources.db.password}@h/", "url: pg://u:(sensitive)@h/"),
        ("h: 'Authorization: Bearer sw0rdfish'", "h: 'Authorization: Bearer (sensitive)'"),
        ("h: 'Authorization: Bearer ${test:vm:pin}'", "h: 'Authorization: Bearer ${test:vm:pin}'"),
    ],
)
def test_what_stands_under_a_secret_key_is_not_shown(tmp_path: Path, line: str, shown: str) -> None:
    """A pillar that does not compile has declared no secrets: only the name of a key shows what is secret."""
    (tmp_path / "b.sls").write_text(line + "\n", encoding="utf-8")
    text = _text(tmp_path, Diagnostic(code="E1", summary="no", span=Span("b.sls", 1)))
    assert f"  1 | {shown}\n" in text
    assert "sw0rdfish" not in text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("  a: ${resources.db.x}", "  a: ${resources.db.x}"),
        ("  - ${resources.db.x}", "  - ${resources.db.x}"),
        ("  a: sw0rdfish", "(sensitive)"),
        ("  sw0rdfish: ${resources.db.x} sw0rdfish", "(sensitive)"),
        ("  sw0rdfish", "(sensitive)"),
    ],
)
def test_below_a_secret_key_only_references_are_shown(tmp_path: Path, line: str, shown: str) -> None:
    """A line of a block below the key of a secret is hidden, unless all that it has is a reference."""
    (tmp_path / "b.sls").write_text(f"secrets:\n{line}\n", encoding="utf-8")
    text = _text(tmp_path, Diagnostic(code="E1", summary="no", span=Span("b.sls", 2)))
    assert f"  2 | {shown}\n" in text


def test_related_places_have_their_label(tmp_path: Path) -> None:
    """A second place is shown like the first, with what it is."""
    text = _text(
        tmp_path,
        Diagnostic(
            code="E1",
            summary="twice",
            span=Span("a.sls", 2, 3),
            related=((Span("a.sls", 1, 1), "first here"),),
        ),
    )
    assert "  --> a.sls:1:1: first here\n  1 | web:\n    | ^^^" in text


def test_they_stand_in_reading_order(tmp_path: Path) -> None:
    """Diagnostics are sorted by file and line, however they were found."""
    diagnostics = [
        Diagnostic(code="E3", summary="c", span=Span("b.sls", 1)),
        Diagnostic(code="E2", summary="b", span=Span("a.sls", 3)),
        Diagnostic(code="W1", summary="a", span=Span("a.sls", 1), severity=Severity.WARNING),
    ]
    text = _text(tmp_path, *diagnostics)
    assert [line[:11] for line in text.splitlines() if "[" in line[:9]] == [
        "warning[W1]",
        "error[E2]: ",
        "error[E3]: ",
    ]


def test_a_secret_in_the_source_line_is_masked(tmp_path: Path) -> None:
    """The source line is masked, and then nothing is underlined: the columns are no longer those."""
    text = _text(
        tmp_path,
        Diagnostic(
            code="E1", summary="bad hunter22", span=Span("a.sls", 4, 7), detail="hunter22", help="hunter22"
        ),
        masker=Masker(["hunter22"]),
    )
    assert "hunter22" not in text
    assert "  4 |     - contents: (sensitive)\n  = why" in text


def test_what_cannot_be_read_is_named_alone(tmp_path: Path) -> None:
    """A file that is not there, a line it does not have, a folder: the place is shown without its text."""
    for span in (Span("gone.sls", 3), Span("a.sls", 99), Span(".", 1), Span("a.sls"), Span("a\0b", 1)):
        text = _text(tmp_path, Diagnostic(code="E1", summary="no", span=span))
        assert len(text.splitlines()) == 2, span


def test_a_fault_without_a_place(tmp_path: Path) -> None:
    """A fault of the command line has no place and is one line with its help."""
    text = _text(tmp_path, Diagnostic(code="E0103", summary="there is no folder x", help="check --root"))
    assert text == "error[E0103]: there is no folder x\n  = help: check --root\n"


def test_tabs_and_columns_beyond_the_line(tmp_path: Path) -> None:
    """A tab is shown as one blank, so that the underline fits; a column past the end underlines the line."""
    text = _text(tmp_path, Diagnostic(code="E1", summary="tab", span=Span("a.sls", 5, 4)))
    assert "  5 |  - tab: x\n    |    ^^^\n" in text
    beyond = _text(tmp_path, Diagnostic(code="E1", summary="end", span=Span("a.sls", 1, 99)))
    assert "    | ^^^^\n" in beyond


def test_a_very_long_line_is_cut(tmp_path: Path) -> None:
    """A line of thousands of characters is cut and not underlined."""
    (tmp_path / "long.sls").write_text("x: " + "y" * 5000, encoding="utf-8")
    text = diagnostics_text(
        [Diagnostic(code="E1", summary="long", span=Span("long.sls", 1))], tmp_path, Masker(), PLAIN
    )
    assert max(map(len, text.splitlines())) < 230
    assert "^" not in text


def test_colours(tmp_path: Path) -> None:
    """With colours the code is red for an error and yellow for a warning."""
    error = diagnostics_text([Diagnostic(code="E1", summary="x")], tmp_path, Masker(), COLOURED)
    assert error.startswith(f"{COLOURED.light_red}error[E1]{COLOURED.end}: ")
    warning = Diagnostic(code="E1", summary="x", severity=Severity.WARNING)
    text = diagnostics_text([warning], tmp_path, Masker(), COLOURED)
    assert text.startswith(f"{COLOURED.light_yellow}warning[E1]{COLOURED.end}: ")


@pytest.mark.parametrize(
    ("code", "line", "shown"),
    [
        ("E0402", 2, "  cmd.run: [hosts: db]"),
        ("E0402", 4, "(sensitive)"),
        ("E0404", 2, "(sensitive)"),
        ("E0201", 2, "(sensitive)"),
    ],
)
def test_the_id_of_a_state_is_no_key_of_a_secret(tmp_path: Path, code: str, line: int, shown: str) -> None:
    """In an error of a declaration, a key without indentation is an ID; any other may have a secret below."""
    (tmp_path / "a.sls").write_text(
        "token:\n  cmd.run: [hosts: db]\n  password:\n    sw0rdfish: x\n", encoding="utf-8"
    )
    text = diagnostics_text(
        [Diagnostic(code=code, summary="no", span=Span("a.sls", line, 3))], tmp_path, Masker()
    )
    assert f"  {line} | {shown}\n" in text
    assert "sw0rdfish" not in text
