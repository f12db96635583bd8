"""Writing goes on, or ends quietly, whatever becomes of the reader."""

from __future__ import annotations

import io
import logging
import os
import stat
from typing import TYPE_CHECKING

import pytest

from ensue.core.masking import Masker
from ensue.output.colours import COLOURED, PLAIN, on_one_line, palette_for, without_escapes
from ensue.output.logs import configure_logging
from ensue.output.streams import ErrorLines
from ensue.output.tables import table_text

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@pytest.fixture
def _root_logger() -> Generator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers[:]:
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(capture=False)


def test_a_closed_stderr_harms_nothing() -> None:
    """When the stream is closed, nothing is written and nothing fails."""
    stream = io.StringIO()
    stream.close()
    ErrorLines(stream).write("text")


def test_text_that_the_encoding_lacks_is_escaped() -> None:
    """A terminal of another encoding gets escapes instead of an exception."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    ErrorLines(stream).write("größe")
    assert raw.getvalue() == b"gr\\xf6\\xdfe\n"


def test_a_display_gets_the_lines() -> None:
    """While a live display is on, lines go through it and not beneath it."""
    stream, shown = io.StringIO(), list[str]()
    lines = ErrorLines(stream)
    lines.show_through(shown.append)
    lines.write("one\n")
    lines.show_through(None)
    lines.write("two")
    assert (shown, stream.getvalue()) == (["one"], "two\n")


@pytest.mark.usefixtures("_root_logger")
def test_the_log_is_masked(tmp_path: Path) -> None:
    """Messages and tracebacks are masked on stderr and in the file, which is private."""
    stream, masker, file = io.StringIO(), Masker(), tmp_path / "log"
    configure_logging("info", ErrorLines(stream), masker.text, file=file)
    masker.add("hunter22")
    log = logging.getLogger("ensue.test")
    log.debug("not this")
    log.info("the password is %s", "hunter22")
    try:
        raise ValueError("hunter22")  # noqa: TRY301 -- the traceback is what is tested
    except ValueError:
        log.exception("failed")
    kept = file.read_text(encoding="utf-8")
    assert "hunter22" not in stream.getvalue() + kept
    assert stream.getvalue().startswith(
        "[INFO    ] the password is (sensitive)\n[ERROR   ] failed\nTraceback"
    )
    assert "ValueError: (sensitive)" in kept
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("mode", "no_color", "term", "expected"),
    [
        ("auto", "", "xterm", PLAIN),
        ("always", "1", "dumb", COLOURED),
        ("never", "", "xterm", PLAIN),
    ],
)
def test_colours_without_a_terminal(
    mode: str, no_color: str, term: str, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only `always` colours what is no terminal, NO_COLOR or not."""
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    assert palette_for(io.StringIO(), mode) is expected  # type: ignore[arg-type] # the parameter is one of the modes


@pytest.mark.parametrize(
    ("no_color", "term", "expected"), [("", "xterm", COLOURED), ("1", "xterm", PLAIN), ("", "dumb", PLAIN)]
)
def test_colours_on_a_terminal(
    no_color: str, term: str, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal is coloured unless NO_COLOR is set and not empty, or the terminal is a dumb one."""
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as terminal:
        assert palette_for(terminal, "auto") is expected
    os.close(master)


def test_escapes_are_taken_out_and_text_is_left() -> None:
    """Colours, cursor movements and titles go; tabs, line ends and other alphabets stay."""
    assert without_escapes("\x1b[1;31mred\x1b[0m\tö\n\x1b]8;;http://x\x1b\\link\x07\x00") == "red\tö\nlink"


def test_one_character_controls_go_too() -> None:
    """C1 has each sequence of ESC as one character; DEL is one that is older."""
    assert without_escapes("\x9b31mred\x9b0m \x9d0;title\x9c\x85\x7fend\x9f") == "red end"


def test_text_that_is_turned_around_is_visible() -> None:
    """Overrides of direction and the line ends of Unicode are shown as escapes; accents and scripts stay."""
    assert without_escapes("a\u202eb\u2066c\u2028d é ש\u200f") == r"a\u202eb\u2066c\u2028d é ש" + "\u200f"


def test_a_name_stays_on_its_line() -> None:
    """Its line ends are shown as escapes."""
    assert on_one_line("a\r\nb\tc\x1b[1m") == "a\\nb\tc"


def test_a_table_fits_its_cells() -> None:
    """Columns are as wide as their widest cell, and no line ends with blanks."""
    text = table_text(("name", "state"), [("a-long-name", ""), ("b", "ok")])
    assert text == "NAME         STATE\na-long-name\nb            ok\n"
    assert table_text(("name",), []) == "NAME\n"
