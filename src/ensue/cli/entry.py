"""From the words of a command line to an exit code; the one place where nothing may escape.

A wrong command line is answered by click's message with exit code 1, as everything that is refused
before anything runs. What goes wrong inside a command is dealt with in `command`.
"""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.cli.interrupts import Interrupts

PROGRAM = "ensue"


def run(arguments: Sequence[str] | None, interrupts: Interrupts) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: the words after `ensue`; None: those that the process was started with.
        interrupts: the signals of the process; the command's sessions use them.
    """
    try:
        return _run(arguments, interrupts)
    except KeyboardInterrupt:
        # A signal that came while something was being refused, or an end was being told.
        return exit_codes.INTERRUPTED


def _run(arguments: Sequence[str] | None, interrupts: Interrupts) -> int:
    from ensue.cli.root import root

    words = list(sys.argv[1:] if arguments is None else arguments)
    stdout = sys.stdout
    try:
        _refuse_other_bytes(words)
        outcome: Any = root.main(
            words, prog_name=PROGRAM, standalone_mode=False, complete_var="_ENSUE_COMPLETE", obj=interrupts
        )
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] # closed at the start
            sys.stdout.flush()
    except click.ClickException as error:
        return _refuse(error, words)
    except (KeyboardInterrupt, click.Abort):
        _say("ensue: interrupted")
        return exit_codes.INTERRUPTED
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (BrokenPipeError, SystemExit) as ended:
        # The reader has gone (`| head`); click answers that by an exit, and puts another stdout in its place.
        if isinstance(ended, SystemExit) and sys.stdout is stdout:
            raise
        from ensue.output.streams import discard

        discard(sys.stdout)
        return exit_codes.SUCCEEDED
    except Exception as error:  # noqa: BLE001 -- the face: nothing may pass it
        return _crash(error)
    return outcome if isinstance(outcome, int) else exit_codes.SUCCEEDED


def _refuse_other_bytes(words: Sequence[str]) -> None:
    """Refuse words that are not UTF-8: they are kept, printed and compared as text everywhere.

    Raises:
        click.UsageError: one is not.
    """
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            message = f"an argument is not UTF-8: {word!a}"
            raise click.UsageError(message) from None


def _refuse(error: click.ClickException, words: Sequence[str]) -> int:
    shown = io.StringIO()
    error.show(file=shown)
    _say(shown.getvalue())
    if _wants_json(words):
        from ensue.output.documents import json_text

        click.echo(json_text({"errors": [error.format_message()]}), nl=False)
    return exit_codes.REFUSED


def _crash(error: Exception) -> int:
    """Say that ensue is at fault, where no project is open."""
    from ensue.cli.crash import crash_line, write_crash_file

    file = write_crash_file(error, None, str)
    _say(f"ensue: {crash_line(error, file, str)}")
    return exit_codes.REFUSED


def _say(text: str) -> None:
    """Print a line on stderr, if that can still be read."""
    from ensue.output.colours import without_escapes
    from ensue.output.streams import ErrorLines

    ErrorLines().write(without_escapes(text))


def _wants_json(words: Sequence[str]) -> bool:
    """Say whether JSON was asked for, in a command line that could not be parsed."""
    return "--out=json" in words or any(
        word == "--out" and following == "json" for word, following in pairwise(words)
    )
