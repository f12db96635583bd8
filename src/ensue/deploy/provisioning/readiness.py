"""When a resource is ready: what must hold after its driver has made it and before its dependents start.

Source: Docker Compose, `healthcheck`; Kubernetes, "Probes".
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

from ensue.core.contracts.deadlines import READY_S
from ensue.core.errors import DriverError
from ensue.core.model.data import is_list
from ensue.core.model.numbers import whole_number
from ensue.core.model.unknown import Unknown, unknowns_in
from ensue.deploy.provisioning.evaluation import as_written
from ensue.deploy.provisioning.placeholder_values import DEFINITION, Dialect, own_output_meaning
from ensue.deploy.provisioning.shapes import kind_of
from ensue.deploy.provisioning.written import read_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.deploy.provisioning.sensitive import Parted
    from ensue.deploy.provisioning.shapes import Shape
    from ensue.deploy.provisioning.written import TemplatedData, TextPlace

_DIALECT: Final = Dialect({**DEFINITION.roots, "outputs": own_output_meaning})
_KEYS: Final = ("tcp", "http", "status", "command", "timeout", "interval")
_KINDS: Final = ("tcp", "http", "command")
_SCHEMES: Final = ("http://", "https://")
_INTERVAL_S: Final = 2.0
_PORTS: Final = range(1, 65536)
_STATUSES: Final = range(100, 600)


class TcpCheck(NamedTuple):
    """A server accepts connections.

    Args:
        host: its name or address.
        port: its port.
    """

    host: str
    port: int


class HttpCheck(NamedTuple):
    """A web server answers.

    Args:
        url: what is requested.
        status: the status that it answers; None: any of 200 to 299.
    """

    url: str
    status: int | None


class CommandCheck(NamedTuple):
    """A program of this machine ends with the exit code 0.

    Args:
        argv: the program and its arguments.
    """

    argv: tuple[str, ...]


Check: TypeAlias = "TcpCheck | HttpCheck | CommandCheck"


class ReadinessCondition(NamedTuple):
    """A condition in words, and the check of it.

    Args:
        subject: what is tried (`tcp db:5432`), without secrets.
        expected: what it does if the condition holds (`answers`).
        check: the check; None: it has parts that are not known yet.
    """

    subject: str
    expected: str
    check: Check | None


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold until a resource is ready: all of its conditions, which are tried again and again.

    Args:
        conditions: kind of `_KINDS` to its text, or its list of words.
        status: the status that a web server answers; None: any of 200 to 299.
        timeout_s: how long it may take.
        interval_s: how long is waited between two attempts.
    """

    conditions: dict[str, TemplatedData]
    status: int | None
    timeout_s: float
    interval_s: float

    @property
    def written(self) -> tuple[TemplatedData, ...]:
        """The parts that may contain placeholders."""
        return tuple(self.conditions.values())

    def read(self, evaluated: Callable[[Any], Parted]) -> list[ReadinessCondition]:
        """Return its conditions.

        Args:
            evaluated: replaces the placeholders of data.

        Raises:
            DriverError: a condition has become something else than an address, a URL or words.
        """
        return [self._condition(kind, written, evaluated) for kind, written in self.conditions.items()]

    def _condition(
        self, kind: str, written: TemplatedData, evaluated: Callable[[Any], Parted]
    ) -> ReadinessCondition:
        value = evaluated(written.data)
        # What contains a secret is shown as it is written.
        shown = written.source if value.secret_paths else as_written(value.data)
        text = shlex.join(map(str, shown)) if is_list(shown) else str(shown)
        data = value.data
        check = None if isinstance(data, Unknown) or unknowns_in(data) else self._check(kind, data, text)
        if kind == "http":
            return ReadinessCondition(text, f"answers {self.status or '200 to 299'}", check)
        if kind == "tcp":
            return ReadinessCondition(f"tcp {text}", "answers", check)
        return ReadinessCondition(f"`{text}`", "succeeds", check)

    def _check(self, kind: str, data: Any, shown: str) -> Check:
        if kind == "tcp":
            host, _, port = str(data).rpartition(":")
            host = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
            number = whole_number(port)
            if host and number is not None and number in _PORTS:
                return TcpCheck(host, number)
            raise DriverError(f"`ready`: tcp {shown} is not HOST:PORT")
        if kind == "http":
            if not str(data).startswith(_SCHEMES):
                raise DriverError(f"`ready`: http {shown} is no URL that begins with http:// or https://")
            return HttpCheck(str(data), self.status)
        if any(not isinstance(word, str | int | float) for word in data):
            raise DriverError(f"`ready`: command `{shown}` has a word that is not text")
        return CommandCheck(tuple(map(str, data)))


def read_ready(given: Any, place: TextPlace, shape: Shape) -> Readiness | None:
    """Return when resources of a definition are ready; None if it does not say.

    Args:
        given: the value of `ready`.
        place: its place.
        shape: checks it, and receives the errors.
    """
    if given is None:
        return None
    mapping = shape.mapping(given, "'ready'", place, _KEYS)
    conditions: dict[str, Any] = {}
    for kind in _KINDS:
        if mapping.get(kind) is not None:
            read = _words if kind == "command" else _text
            conditions[kind] = read(mapping[kind], f"{kind!r} of 'ready'", place.below(kind), shape)
    if not conditions:
        shape.wrong("'ready' has no condition", place, "write tcp, http or command")
    _refuse_scheme(conditions.get("http"), place.below("http"), shape)
    status = shape.count(mapping.get("status"), "'status' of 'ready'", place.below("status"))
    if status is not None and ("http" not in conditions or status not in _STATUSES):
        shape.wrong(
            "'status' of 'ready' is no status of `http`", place.below("status"), "write one such as 200"
        )
    timeout_s = shape.seconds(mapping.get("timeout"), "'timeout' of 'ready'", place.below("timeout"))
    interval_s = shape.seconds(mapping.get("interval"), "'interval' of 'ready'", place.below("interval"))
    return Readiness(
        conditions={
            kind: read_written(data, _DIALECT, place.below(kind), shape.collector)
            for kind, data in conditions.items()
        },
        status=status,
        timeout_s=timeout_s or READY_S,
        interval_s=interval_s or _INTERVAL_S,
    )


def _text(given: Any, what: str, place: TextPlace, shape: Shape) -> str:
    return shape.text(given, what, place) or ""


def _words(given: Any, what: str, place: TextPlace, shape: Shape) -> list[Any]:
    """Return the words of a command; a text is split before placeholders are replaced, so data never is."""
    if isinstance(given, str):
        try:
            given = shlex.split(given)
        except ValueError as error:
            shape.wrong(f"{what} cannot be split into words: {error}", place, "write a list of words")
            return []
    words = shape.items(given, what, place)
    for index, word in enumerate(words):
        if isinstance(word, bool) or not isinstance(word, str | int | float):
            shape.wrong(f"a word of {what} is {kind_of(word)}, not a text", place.below(index))
    if words and "${" in str(words[0]):
        shape.wrong(f"the program of {what} has a placeholder", place.below(0), "name the program itself")
    if not words:
        shape.wrong(f"{what} has no words", place, "write a program and its arguments")
    return words


def _refuse_scheme(url: Any, place: TextPlace, shape: Shape) -> None:
    if url and not url.startswith((*_SCHEMES, "${")):
        shape.wrong("'http' of 'ready' is no URL", place, "begin it with http:// or https://")
