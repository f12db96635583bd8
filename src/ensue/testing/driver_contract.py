# ruff: noqa: S101 (a test asserts)
"""The contract of a driver, as pytest tests for any driver.

Derive from `DriverContract` and define a fixture `subject` that returns a `DriverSubject`. Each test creates
the resource and removes it at its end.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import EnsueError
from ensue.core.model.data import is_mapping, leaf_places, not_data, texts
from ensue.core.model.unknown import Unknown
from ensue.testing.driver import FakeDriverServices, driver_request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.driver import Driver, DriverRequest
    from ensue.core.model.data import DataMap

_LONGEST_S = 60
"""How long any test may take."""

_STORE, _OTHER_STORE = "5ca1ab1e0ddba115", "0ddba11ba5eba115"
"""The ids of two stores."""

_SHORTEST_SECRET_CHARS = 6
"""Shorter secrets may be part of an ordinary word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverSubject:
    """The driver that the suite tests.

    Args:
        driver: the driver, a module for instance.
        directory: a folder of the test's own; the project's root for the driver.
        inputs: fields of `DriverRequest` of a resource that can be made: `values`, `secrets`, `params`, ….
        other_inputs: the same fields after a change of the definition; None: no change is tested.
        wrong_inputs: inputs with which `create` fails; their secrets must not be in what it says.
        marks_owner: whether what it makes is found by `guresid`, and has the mark of the store.
        count_made: returns how many of the resource there are outside of ensue, 0 before it is made; None:
            the driver makes nothing outside.
    """

    driver: Driver
    directory: Path
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    other_inputs: Mapping[str, Any] | None = None
    wrong_inputs: Sequence[Mapping[str, Any]] = ()
    marks_owner: bool = False
    count_made: Callable[[], int] | None = None


class DriverContract:
    """Making, updating, removing, planning, being interrupted, keeping secrets."""

    def test_it_has_the_functions_of_a_driver(self, subject: DriverSubject) -> None:
        """`create`, `update`, `delete` and `plan` are coroutine functions; optional parts are well-typed."""
        for name in ("create", "update", "delete", "plan", "fingerprint"):
            function = getattr(subject.driver, name, None)
            assert inspect.iscoroutinefunction(function) or (name == "fingerprint" and function is None), name
        for name in ("IS_PURE", "ALWAYS_CALLED"):
            assert isinstance(getattr(subject.driver, name, False), bool), name

    def test_what_is_made_is_data(self, subject: DriverSubject) -> None:
        """Outputs, cookie, manifests and registrations are storable data; one resource is created."""

        async def play(life: _Life) -> None:
            made = await life.create()
            for part in (made.values, made.secrets, made.manifests, dict(made.registers), made.cookie or {}):
                assert not not_data(part)
                assert msgspec.json.decode(msgspec.json.encode(part)) == part
            for cookie in life.services.kept:
                assert not not_data(cookie)
            life.assert_made(1)

        _play(subject, play)

    def test_the_same_inputs_change_nothing(self, subject: DriverSubject) -> None:
        """An update with the same inputs gives the same outputs, twice, and reports no change."""

        async def play(life: _Life) -> None:
            made = await life.create()
            for _ in range(2):
                updated = await life.update()
                assert updated.changed is not True
                assert _outputs(updated) == _outputs(made)
                life.assert_made(1)

        _play(subject, play)

    def test_other_inputs_change_what_is_there(self, subject: DriverSubject) -> None:
        """An update brings the resource to its new inputs, and creates no second one."""

        async def play(life: _Life) -> None:
            await life.create()
            if subject.other_inputs is None:
                return
            updated = await life.update(**subject.other_inputs)
            assert not not_data([updated.values, updated.secrets, updated.manifests])
            life.assert_made(1)
            again = await life.update(**subject.other_inputs)
            assert (again.changed is not True, _outputs(again)) == (True, _outputs(updated))

        _play(subject, play)

    def test_removing_twice_is_no_error(self, subject: DriverSubject) -> None:
        """`delete` removes the resource without its inputs; a missing resource is not an error."""

        async def play(life: _Life) -> None:
            await life.delete()
            await life.create()
            await life.delete()
            life.assert_made(0)
            await life.delete()

        _play(subject, play)

    def test_a_plan_changes_nothing(self, subject: DriverSubject) -> None:
        """A plan creates and keeps nothing, before and after `create`; its outputs are those of the apply."""

        async def play(life: _Life) -> None:
            before = await life.plan()
            life.assert_made(0)
            made = await life.create()
            traces = life.traces()
            after = await life.plan()
            assert life.traces() == traces
            life.assert_made(1)
            for planned in (before, after):
                if planned.outputs is not None:
                    assert _outputs(planned.outputs) == _outputs(made)

        _play(subject, play)

    def test_a_plan_copes_with_what_is_not_known(self, subject: DriverSubject) -> None:
        """Any input may be unknown in a plan, and in `check`."""

        async def play(life: _Life) -> None:
            for part in ("values", "secrets", "params"):
                for inputs in _with_unknowns(subject.inputs.get(part, {})):
                    planned = await life.plan(**{part: inputs})
                    assert isinstance(planned, Planned)
                    assert life.checked(**{part: inputs}) == []
            life.assert_made(0)

        _play(subject, play)

    def test_an_interrupted_create_makes_nothing_twice(self, subject: DriverSubject) -> None:
        """`create` finds what it made before the process was killed.

        That is tried at each point at which it kept a cookie, and at its end, before anything was recorded.
        """

        async def play(life: _Life) -> None:
            await life.create()
            points = len(life.services.kept)
            await life.delete()
            for point in (*range(points), None):
                await life.killed_create(point)
                made = await life.create(was_interrupted=True)
                life.assert_made(1)
                assert _outputs(await life.update()) == _outputs(made)
                await life.delete()
                life.assert_made(0)

        _play(subject, play)

    def test_what_another_store_made_is_left_alone(self, subject: DriverSubject) -> None:
        """Nothing that has the mark of another store is changed or removed unless it may be taken over.

        Then the store that it is taken from is refused in turn. Without `marks_owner`, nothing is tested.
        """

        async def play(life: _Life) -> None:
            if not subject.marks_owner:
                return
            made = await life.create()
            other = _Life(subject, owner=_OTHER_STORE)
            for call in (other.plan, other.create, other.update):
                with pytest.raises(EnsueError, match=life.owner):
                    await call()
            with suppress(EnsueError):
                await other.delete()
            life.assert_made(1)
            assert _outputs(await life.update()) == _outputs(made)
            taken = await other.create(may_adopt=True)
            for call in (life.plan, life.update):
                with pytest.raises(EnsueError, match=_OTHER_STORE):
                    await call()
            with suppress(EnsueError):
                await life.delete()
            life.assert_made(1)
            assert _outputs(await other.update()) == _outputs(taken)
            await other.delete()
            life.assert_made(0)

        _play(subject, play)

    def test_secrets_stay_secrets(self, subject: DriverSubject) -> None:
        """No secret of the inputs or outputs is in the plain outputs or in a comment."""

        async def play(life: _Life) -> None:
            made = await life.create()
            planned = await life.plan()
            shown = " ".join(map(str, (*texts(made.values), made.comment, planned.comment)))
            for secret in (*_secrets(subject.inputs), *texts(made.secrets)):
                assert len(secret) < _SHORTEST_SECRET_CHARS or secret not in shown

        _play(subject, play)

    def test_a_failure_is_said(self, subject: DriverSubject) -> None:
        """Wrong inputs raise one of ensue's errors; neither it nor `check` reveals a secret."""

        async def play(life: _Life) -> None:
            for inputs in subject.wrong_inputs:
                with pytest.raises(EnsueError) as caught:
                    await life.create(**inputs)
                shown = " ".join([str(caught.value), repr(caught.value), *life.checked(**inputs)])
                assert shown.strip()
                for secret in _secrets(inputs):
                    assert len(secret) < _SHORTEST_SECRET_CHARS or secret not in shown

        _play(subject, play)

    def test_strange_inputs_are_described(self, subject: DriverSubject) -> None:
        """`check` accepts the right inputs, answers in sentences whatever it is given, and never raises."""

        async def play(life: _Life) -> None:
            assert life.checked() == []
            strange_ones: list[Any] = [None, [], "text", 7, {"": None}, {"no such key": [{"": 0}]}]
            for strange in strange_ones:
                for part in ("values", "secrets", "params"):
                    problems = life.checked(**{part: strange})
                    assert all(isinstance(problem, str) and problem for problem in problems)

        _play(subject, play)


class _KilledError(BaseException):
    """Stands for the end of the process."""


class _DyingServices(FakeDriverServices):
    """Ends the process right after a cookie was kept.

    Args:
        point: how many cookies are kept before.
    """

    def __init__(self, point: int) -> None:
        super().__init__()
        self._point = point

    async def keep(self, cookie: DataMap) -> None:
        """Keep a cookie, and end where that is asked for."""
        await super().keep(cookie)
        if len(self.kept) > self._point:
            raise _KilledError


class _Life:
    """The life of one resource: its cookie goes from call to call, as in a deployment."""

    def __init__(self, subject: DriverSubject, owner: str = _STORE) -> None:
        self.services = FakeDriverServices()
        self.owner = owner
        self._subject = subject
        self._cookie: DataMap | None = None

    def assert_made(self, count: int) -> None:
        """Expect that so many resources are there, where that can be counted."""
        if self._subject.count_made is not None:
            assert self._subject.count_made() == count

    def traces(self) -> tuple[int, int, dict[str, bytes]]:
        """Return what a driver has left: cookies, states, and files of the project.

        What is in the driver's own directory may be a cache, and is left out.
        """
        own = self._request(self.services).directory
        files = {
            str(path): path.read_bytes()
            for path in self._subject.directory.rglob("*")
            if path.is_file() and not path.is_relative_to(own)
        }
        return len(self.services.kept), len(self.services.asked), files

    async def create(self, *, was_interrupted: bool = False, **fields: Any) -> Provisioned:
        """Make the resource; anew unless a `create` before was interrupted."""
        if not was_interrupted:
            self._cookie = None
        request = self._request(self.services, was_interrupted=was_interrupted, **fields)
        return await self._done(self._subject.driver.create(request))

    async def killed_create(self, point: int | None) -> None:
        """Make the resource, and end once so many cookies were kept; None: when all is done."""
        self._cookie = None
        services = FakeDriverServices() if point is None else _DyingServices(point)
        with nullcontext() if point is None else pytest.raises(_KilledError):
            await self._subject.driver.create(self._request(services))
        self._cookie = services.kept[-1] if services.kept else None

    async def update(self, **fields: Any) -> Provisioned:
        """Bring the resource to its inputs."""
        return await self._done(self._subject.driver.update(self._request(self.services, **fields)))

    async def delete(self) -> None:
        """Remove the resource; it has no inputs any more."""
        empty: dict[str, Any] = {"values": {}, "secrets": {}, "params": {}}
        await self._subject.driver.delete(self._request(self.services, **empty))

    async def plan(self, **fields: Any) -> Planned:
        """Plan the resource."""
        return await self._subject.driver.plan(self._request(self.services, **fields))

    def checked(self, **fields: Any) -> list[str]:
        """Return what the driver says of inputs."""
        check = getattr(self._subject.driver, "check", None)
        return [] if check is None else check(self._request(self.services, **fields))

    async def _done(self, call: Awaitable[Provisioned]) -> Provisioned:
        kept = len(self.services.kept)
        try:
            provisioned = await call
        except EnsueError:
            # As in a deployment, what it kept before it failed stays.
            self._cookie = self.services.kept[-1] if len(self.services.kept) > kept else self._cookie
            raise
        if provisioned.cookie is not None:
            self._cookie = provisioned.cookie
        elif len(self.services.kept) > kept:
            self._cookie = self.services.kept[-1]
        return provisioned

    def _request(self, services: FakeDriverServices, **fields: Any) -> DriverRequest:
        return driver_request(
            self._subject.directory,
            services,
            **{**self._subject.inputs, "cookie": self._cookie, "owner": self.owner, **fields},
        )


def _play(subject: DriverSubject, scene: Callable[[_Life], Awaitable[None]]) -> None:
    async def play() -> None:
        life = _Life(subject)
        async with asyncio.timeout(_LONGEST_S):
            try:
                await scene(life)
            finally:
                await life.delete()

    asyncio.run(play())


def _outputs(provisioned: Provisioned) -> tuple[DataMap, DataMap, DataMap]:
    return provisioned.values, provisioned.secrets, provisioned.manifests


def _with_unknowns(inputs: Any) -> Iterator[Any]:
    """Yield the inputs with each of their texts and numbers unknown, one at a time; then all of them."""
    for path, _ in leaf_places(inputs):
        yield _replaced(inputs, path)
    yield Unknown("${resources.other.outputs.all}")


def _replaced(data: Any, path: tuple[Any, ...]) -> Any:
    if not path:
        return Unknown("${resources.other.outputs.value}")
    first, *rest = path
    copy = dict(data) if is_mapping(data) else list(data)
    copy[first] = _replaced(data[first], tuple(rest))
    return copy


def _secrets(inputs: Mapping[str, Any]) -> list[str]:
    return list(texts(inputs.get("secrets")))
