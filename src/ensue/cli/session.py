"""One command's work on one project: open the project, run under signals, report a failure.

A command gets a `Session`, passes its work to `run`, prints with `print_*` and returns an exit code.
`command` passes exceptions to `failed`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from ensue.cli import exit_codes
from ensue.cli.collection import exempt_program
from ensue.core.diagnostics import Diagnostic, Severity, without_silenced
from ensue.core.errors import CompileError, ConfigurationError, DiagnosticError, EnsueError
from ensue.core.masking import Masker
from ensue.output.colours import palette_for, without_escapes
from ensue.output.streams import ErrorLines, discard, is_terminal_gone, write_results

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from ensue.app.project import AppProject
    from ensue.cli.interrupts import Interrupts
    from ensue.cli.options import CommonOptions
    from ensue.core.model.data import Data
    from ensue.output.colours import Palette

Result = TypeVar("Result")


class Session:
    """The project, options and output of one command.

    Args:
        options: the values of the shared options.
        interrupts: the signals of the process.
        names_minion: whether a failure is printed under the minion id, as results of states are.

    Attributes:
        out_is_given: whether the command line names the form of the results, `out`.
        overrides: options with which the command itself overrides ensue.yaml.
        event_writer: takes the lines of `--events`; None: nobody asked for them.
    """

    def __init__(self, options: CommonOptions, interrupts: Interrupts, *, names_minion: bool) -> None:
        self.options = options
        self.out = options.out
        self.lines = ErrorLines(when_terminal_is_gone=interrupts.hang_up)
        self.masker = Masker()
        self.results_lost = False
        self.out_is_given = False
        self.overrides: dict[str, Data] = {}
        self.event_writer: Callable[[bytes], None] | None = None
        self._interrupts = interrupts
        self._has_printed = False
        self.names_minion = names_minion
        self._project: AppProject | None = None

    def run(self, work: Callable[[AppProject], Awaitable[Result]]) -> Result:
        """Open the project, do something with it, and close it.

        Args:
            work: what is done with the project; a signal cancels it.

        Raises:
            InterruptedRunError: a signal ended the work before it had a result.
        """
        project = self.open()
        import asyncio

        from ensue.cli.command_loop import CommandLoop

        interrupts = self._interrupts
        interrupts.tell = self.lines.write
        try:
            with asyncio.Runner(loop_factory=lambda: CommandLoop(interrupts)) as runner:
                return runner.run(self._supervised(project, work))
        finally:
            interrupts.unwatch()

    def open(self) -> AppProject:
        """Open the project, and do nothing else."""
        from ensue.app.project import AppProject, ProjectOptions
        from ensue.cli.values import joined_assignments, merged_pillar

        if self._interrupts.owns_process:
            exempt_program()
        self._configure_logging("warning")
        options = ProjectOptions(
            minion_id=self.options.minion_id,
            pillar=merged_pillar(self.options.pillar_files, self.options.pillar),
            overrides={**self.options.overrides, **self.overrides},
        )
        is_first = self._project is None
        self._project = project = AppProject.open(self.options.root, options)
        if is_first:
            self._tell_found_root()
            for key in joined_assignments(self.options.pillar):
                shown = without_escapes(self._mask(key))
                self.lines.write(
                    f"ensue: --pillar {shown} is one text with blanks: give --pillar once per value"
                )
        self._refuse_unknown_environments(project)
        self.masker = project.masker
        self._configure_logging(str(project.settings.option("log_level", "warning")))
        return project

    def _tell_found_root(self) -> None:
        """Print where the project is if it was found above the working directory."""
        root = self.options.root
        if root.is_absolute() and not self.options.root_is_given:
            self.lines.write(f"ensue: the project is {without_escapes(str(root))}")

    def _refuse_unknown_environments(self, project: AppProject) -> None:
        known = {"saltenv": project.settings.file_roots, "pillarenv": project.settings.pillar_roots}
        roots = {"saltenv": "file_roots", "pillarenv": "pillar_roots"}
        requested = {"saltenv": self.options.saltenv, "pillarenv": self.options.pillarenv}
        refused = [
            Diagnostic(
                code="E0106",
                summary=f"there is no {'pillar ' if option == 'pillarenv' else ''}environment {name!r}",
                detail=f"{roots[option]} names {', '.join(known[option])}",
                help=f"it is one of {roots[other]}: `--{other} {name}`"
                if name in known[other]
                else f"check --{option}, or add it to {roots[option]} in ensue.yaml",
            )
            for option, other in (("saltenv", "pillarenv"), ("pillarenv", "saltenv"))
            if (name := requested[option]) is not None and name not in known[option]
        ]
        if refused:
            raise ConfigurationError(refused)

    def _configure_logging(self, default: str) -> None:
        from ensue.output.logs import configure_logging

        try:
            configure_logging(
                self.options.log_level or default, self.lines, self._mask, file=self.options.log_file
            )
        except OSError as error:
            message = f"{self.options.log_file}: {error.strerror}"
            raise click.BadParameter(message, param_hint="--log-file") from None

    def _mask(self, text: str) -> str:
        # Opening the project replaces the masker.
        return self.masker.text(text)

    async def _supervised(
        self, project: AppProject, work: Callable[[AppProject], Awaitable[Result]]
    ) -> Result:
        import asyncio

        from ensue.cli.interrupts import InterruptedRunError

        async with project:
            task = asyncio.ensure_future(work(project))
            self._interrupts.watch(task)
            self._interrupts.end_waits = project.end_waits
            try:
                return await task
            except asyncio.CancelledError:
                raise InterruptedRunError from None

    @property
    def stdout_palette(self) -> Palette:
        """The colours of the results."""
        return palette_for(sys.stdout, self.options.colour)

    @property
    def stderr_palette(self) -> Palette:
        """The colours of everything else."""
        return palette_for(self.lines.stream, self.options.colour)

    @property
    def is_for_programs(self) -> bool:
        """Whether results are one JSON or YAML document."""
        return self.out in {"json", "yaml"}

    def print_text(self, pieces: Iterable[str]) -> None:
        """Print results; if that fails (a full disk), report it and remember it."""
        self._has_printed = True
        try:
            write_results(pieces)
        except OSError as error:
            is_gone = is_terminal_gone(error, sys.stdout)
            discard(sys.stdout)
            self.results_lost = True
            if is_gone:
                self._interrupts.hang_up()
            self.lines.write(f"ensue: the results could not be written: {error.strerror}")

    def print_table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print results as a table.

        Args:
            headings: the columns.
            rows: a text for each column.
        """
        from ensue.output.tables import table_text

        self.print_text([table_text(headings, rows, self.stdout_palette)])

    def print_document(self, data: Any) -> None:
        """Print results as one document; with `--out quiet` nothing.

        Args:
            data: what `presentable` returned, or plain values without a secret.
        """
        if self.out == "quiet":
            return
        from ensue.core.model.documents import json_text, yaml_text

        self.print_text([yaml_text(data) if self.out == "yaml" else json_text(data)])

    def print_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Print diagnostics on stderr, with their source lines, except warnings that are silenced."""
        from ensue.output.diagnostics import diagnostics_text

        if every := without_silenced(diagnostics, self.option("silence_warnings") or ()):
            self.lines.write(diagnostics_text(every, self.options.root, self.masker, self.stderr_palette))

    def failed(self, error: Exception) -> int:
        """Report how a command failed, and return its exit code."""
        from ensue.cli.interrupts import InterruptedRunError
        from ensue.cli.machine_trouble import machine_trouble

        error = _alone(error)
        if isinstance(error, InterruptedRunError):
            return self._end(["interrupted"], exit_codes.INTERRUPTED, "interrupted")
        if isinstance(error, DiagnosticError):
            return self._refused(error)
        cachedir = self._project.cachedir if self._project else None
        if trouble := machine_trouble(error, cachedir):
            return self._refused(DiagnosticError([trouble]))
        if isinstance(error, EnsueError):
            text = self.masker.text(str(error))
            return self._end([text], exit_codes.REFUSED, text)
        return self._crashed(error)

    def interrupted(self) -> int:
        """Report that a signal ended the command while nothing was running, and return its exit code."""
        from ensue.cli.interrupts import InterruptedRunError

        if not self._has_printed:
            return self.failed(InterruptedRunError())
        # Not flushed: the reader of stdout may be what blocks.
        discard(sys.stdout)
        self.lines.write("ensue: interrupted")
        return exit_codes.INTERRUPTED

    def _refused(self, error: DiagnosticError) -> int:
        every = error.diagnostics
        if isinstance(error, CompileError) and self._project is not None:
            # What is wrong with ensue.yaml may be why something does not compile.
            every = (*every, *self._project.settings.warnings)
        self.print_diagnostics(dict.fromkeys(every))
        errors = [diagnostic for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR]
        self._name_explain([diagnostic.code for diagnostic in errors])
        messages = [self.masker.text(diagnostic.message) for diagnostic in errors or error.diagnostics]
        return self._end(messages, exit_codes.REFUSED, "")

    def _name_explain(self, codes: Sequence[str]) -> None:
        """Name the command that explains the errors of the run, in one line for all of them."""
        distinct = list(dict.fromkeys(codes))
        if len(distinct) == 1:
            self.lines.write(f"More about this error: ensue explain {distinct[0]}")
        elif distinct:
            self.lines.write(f"More about these errors: ensue explain CODE ({', '.join(distinct)})")

    def _crashed(self, error: Exception) -> int:
        from ensue.cli.crash import crash_line, write_crash_file

        folder = self._project.cachedir if self._project else None
        file = write_crash_file(error, folder, self.masker.text)
        line = crash_line(error, file, self.masker.text)
        return self._end([line], exit_codes.REFUSED, line)

    def _end(self, messages: list[str], exit_code: int, line: str) -> int:
        if line:
            colour = self.stderr_palette.light_red
            shown = without_escapes(line).replace("\n", "\n  ")
            self.lines.write(self.stderr_palette.paint(colour, f"ensue: {shown}"))
        if self.is_for_programs:
            key = self.minion_id if self.names_minion else "errors"
            self.print_document({key: messages})
        return exit_code

    def option(self, name: str) -> Any:
        """Return an option of ensue.yaml; None if it is not set there."""
        return self._project.settings.option(name) if self._project else None

    @property
    def minion_id(self) -> str:
        """The id that results are printed under; without an open project, `--id` or the host name."""
        if self._project is not None:
            return self._project.minion_id
        import socket

        return self.options.minion_id or socket.gethostname()


def _alone(error: Exception) -> Exception:
    """Return an exception from inside the groups that tasks make: the first that a user can fix, if any."""
    if not isinstance(error, ExceptionGroup):
        return error
    inner = [_alone(exception) for exception in cast("ExceptionGroup[Exception]", error).exceptions]
    return next((error for error in inner if isinstance(error, EnsueError)), inner[0])
