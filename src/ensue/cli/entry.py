"""From the words of a command line to an exit code; no exception escapes from here.

A command line that does not parse gets click's message and exit code 1, the code of everything that is
refused before anything runs. `command` handles errors inside a command.
"""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ensue.cli.collection import collect_rarely, exempt_rest
from ensue.cli.exit_codes import INTERRUPTED, REFUSED, SUCCEEDED
from ensue.cli.interrupts import Interrupts
from ensue.cli.utf8_mode import use_utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

PROGRAM = "ensue"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Args:
        arguments: the words after `ensue`; None: those that the process was started with.
    """
    if arguments is None:
        use_utf8()
    interrupts = Interrupts(owns_process=arguments is None)
    if arguments is not None:
        with interrupts:
            return _exit_code(list(arguments), interrupts)
    collect_rarely()
    # Never released: signals work as documented until the process has ended.
    interrupts.take_over()
    exit_code = _exit_code(sys.argv[1:], interrupts)
    interrupts.leave()
    if interrupts.insists:
        from ensue.cli.process_exit import leave_threads

        leave_threads(exit_code)
    exempt_rest()
    return exit_code


def _exit_code(words: list[str], interrupts: Interrupts) -> int:
    try:
        return _run(words, interrupts)
    except KeyboardInterrupt:
        # A signal arrived while an error or the end was being reported.
        return INTERRUPTED


def _run(words: list[str], interrupts: Interrupts) -> int:
    import click

    from ensue.cli.root import root

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
        return INTERRUPTED
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except (BrokenPipeError, SystemExit) as ended:
        # The reader has closed the pipe (`| head`): click exits and replaces stdout.
        if isinstance(ended, SystemExit) and sys.stdout is stdout:
            raise
        from ensue.output.streams import discard

        discard(sys.stdout)
        return SUCCEEDED
    except Exception as error:  # noqa: BLE001 -- no exception may leave the program
        return _crash(error)
    return outcome if isinstance(outcome, int) else SUCCEEDED


def _refuse_other_bytes(words: Sequence[str]) -> None:
    """Refuse words that are not UTF-8, because everything stores, prints and compares them as text.

    Raises:
        click.UsageError: a word is not UTF-8.
    """
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            from click import UsageError

            raise UsageError(f"an argument is not UTF-8: {word!a}") from None


def _refuse(error: click.ClickException, words: Sequence[str]) -> int:
    from click import echo

    shown = io.StringIO()
    error.show(file=shown)
    _say(shown.getvalue())
    if _wants_json(words):
        from ensue.core.model.documents import json_text

        echo(json_text({"errors": [error.format_message()]}), nl=False)
    return REFUSED


def _crash(error: Exception) -> int:
    """Report an error outside of a command: what the machine refused, or an error of ensue itself."""
    from ensue.cli.crash import crash_line, write_crash_file
    from ensue.cli.machine_trouble import machine_trouble

    if trouble := machine_trouble(error, None):
        detail = f": {trouble.detail}" if trouble.detail else ""
        _say(f"error[{trouble.code}]: {trouble.summary}{detail} ({trouble.help})")
        return REFUSED
    file = write_crash_file(error, None, str)
    _say(f"ensue: {crash_line(error, file, str)}")
    return REFUSED


def _say(text: str) -> None:
    """Print a line on stderr, unless that is closed."""
    from ensue.output.colours import without_escapes
    from ensue.output.streams import ErrorLines

    ErrorLines().write(without_escapes(text))


def _wants_json(words: Sequence[str]) -> bool:
    """Return whether a command line that does not parse requests JSON."""
    return "--out=json" in words or any(
        word == "--out" and following == "json" for word, following in pairwise(words)
    )
