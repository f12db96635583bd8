"""Detects secrets on command lines, which all users of a machine can see.

It looks at arguments of states that become a command line, before anything runs, and at every command that a
state or a template sends to a target. One warning per run lists all places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.data import is_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.connection import Command, Completed, Connection
    from ensue.core.contracts.growth import Plan
    from ensue.core.diagnostics import Span
    from ensue.core.masking import Masker
    from ensue.core.model.chunk import Chunk

_COMMAND_LINES: Final = {
    "cmd.run": ("name",),
    "cmd.wait": ("name",),
    "cmd.watch": ("name",),
    "cmd.script": ("name", "args"),
    "cmd.wait_script": ("name", "args"),
    "cron.present": ("name",),
}
"""Arguments that become a command line, even if it runs later (cron) or not at all (a plan)."""

_CHUNKS_AT_ONCE: Final = 100
"""How many states of a plan are searched together for URLs: most have none, and a search copies all texts."""


class ExposedSecrets:
    """Collects the command lines that contain a secret.

    Args:
        masker: knows the secrets.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._places: dict[Span, None] = {}
        self._without_place = False

    def see_plan(self, plan: Plan) -> None:
        """Mask the passwords of URLs in the arguments of a plan, and check its command lines."""
        for start in range(0, len(plan.chunks), _CHUNKS_AT_ONCE):
            chunks = plan.chunks[start : start + _CHUNKS_AT_ONCE]
            self._masker.add_from_urls(*((chunk.id, chunk.name, chunk.arguments) for chunk in chunks))
        if self._masker.knows_secrets:
            for chunk in plan.chunks:
                self._see_chunk(chunk)

    def _see_chunk(self, chunk: Chunk) -> None:
        words = _COMMAND_LINES.get(chunk.full_function)
        if words is None:
            return
        given = {**chunk.arguments, "name": chunk.name}
        if any(self._is_exposed(text) for word in words for text in _texts(given.get(word))):
            self._note(chunk)

    def watched(self, connection: Connection, chunk: Chunk | None) -> Connection:
        """Return a connection whose commands are checked; the connection itself while no secret is known.

        Args:
            connection: the connection to a target.
            chunk: the state that uses it; None for a template.
        """
        if not self._masker.knows_secrets:
            return connection
        return cast("Connection", _Watched(connection, self, chunk))

    def see_command(self, command: Command, chunk: Chunk | None) -> None:
        """Check a command that is about to run."""
        line = command.shell_line
        if any(map(self._is_exposed, _texts([*(command.argv or ())] if line is None else line))):
            self._note(chunk)

    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warning, if any, and forget the places."""
        places, self._places = sorted(self._places), {}
        without_place, self._without_place = self._without_place, False
        if not places and not without_place:
            return ()
        return (
            Diagnostic(
                code="E0110",
                summary="a command line holds a secret",
                detail="every user of the machine can see the arguments of running programs (`ps`)"
                + ("" if places else "; a template runs the command"),
                help="pass the secret in `env:` (and write `$NAME` in the command) or in `stdin:`",
                span=places[0] if places else None,
                related=tuple((place, "here too") for place in places[1:]),
                severity=Severity.WARNING,
            ),
        )

    def _is_exposed(self, text: str) -> bool:
        return self._masker.within(text) != text

    def _note(self, chunk: Chunk | None) -> None:
        if chunk is None:
            self._without_place = True
        else:
            self._places[chunk.span()] = None


class _Watched:
    """A connection whose commands are checked before they run; everything else is delegated."""

    def __init__(self, connection: Connection, exposed: ExposedSecrets, chunk: Chunk | None) -> None:
        self._connection = connection
        self._exposed = exposed
        self._chunk = chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def run(self, command: Command) -> Completed:
        """Run a command."""
        self._exposed.see_command(command, self._chunk)
        return await self._connection.run(command)


def _texts(value: Any) -> Iterator[str]:
    if is_list(value):
        for item in value:
            yield str(item)
    elif value is not None:
        yield str(value)
