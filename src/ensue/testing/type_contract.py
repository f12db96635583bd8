# ruff: noqa: S101 (a test asserts)
"""The contract of a resource type, as pytest tests for any type.

Derive from `ResourceTypeContract` and define a fixture `subject` that returns a `TypeSubject`. For the
connection of a type that offers the whole contract, there are the suites `FileContract` and
`CommandContract`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.connection import Command, Connection
from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import NotOfferedError
from ensue.core.masking import Masker
from ensue.core.model.data import not_data
from ensue.core.model.srn import Srn
from ensue.language.collector import Collector
from ensue.language.functions.type_functions import Overrides
from ensue.language.targets.discovered import discovered
from ensue.reach.resources.plugins import Plugins
from ensue.reach.resources.type_hooks import KINDS
from ensue.reach.resources.type_sources import TypeSources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.model.data import DataMap
    from ensue.reach.resources.loaded_type import LoadedType

_LONGEST_S = 30
"""How long any hook may take here; types under test use nothing slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeSubject:
    """The type that the suite tests.

    Args:
        name: the type's name.
        cache_dir: a folder of the test's own.
        config: the configuration of a resource that answers.
        resources: the folder `_resources` that holds the type; None for a type that is installed.
        opts: options for `init` and `discover`.
    """

    name: str
    cache_dir: Path
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    resources: Path | None = None
    opts: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def sources(self) -> TypeSources:
        """Return the places where the type is searched."""
        return TypeSources([self.resources] if self.resources else [], None)

    def context(self) -> ResourceContext:
        """Return the context of a resource that answers."""

        def nothing_else(other: Srn) -> Connection:
            raise LookupError(str(other))

        return ResourceContext(
            srn=Srn(self.name, "contract-01"),
            config=self.config,
            opts=self.opts,
            cache_dir=self.cache_dir,
            masker=Masker(),
            connect_to=nothing_else,
        )


class ResourceTypeContract:
    """Loading, checking, connecting, answering, describing, discovering, ending."""

    def test_it_loads_with_all_overrides(self, subject: TypeSubject) -> None:
        """The package, its hooks and every function of its overrides satisfy the contract."""

        async def load(type_: LoadedType) -> None:
            await type_.ready()
            for kind in KINDS:
                overrides = Overrides(type_.source, subject.sources(), kind)
                for slot in overrides.slots:
                    assert overrides.functions(slot), f"{kind}/{slot} has no functions"

        _play(subject, load)

    def test_a_right_configuration_is_accepted(self, subject: TypeSubject) -> None:
        """`check` returns nothing for a correct configuration."""

        async def check(type_: LoadedType) -> None:
            assert type_.check(subject.config) == []

        _play(subject, check)

    def test_a_wrong_configuration_is_described(self, subject: TypeSubject) -> None:
        """`check` answers in sentences whatever it is given, and never raises."""

        async def check(type_: LoadedType) -> None:
            wrong: DataMap = {"": [None, {"": 0}]}
            strange = [{}, *({key: wrong[""]} for key in ("no such key", *subject.config))]
            for config in strange:
                assert all(isinstance(problem, str) and problem for problem in type_.check(config))

        _play(subject, check)

    def test_it_answers(self, subject: TypeSubject) -> None:
        """`connect` returns a connection, `ping` is true, and closing twice is harmless."""

        async def ask(type_: LoadedType) -> None:
            context = subject.context()
            connection = await type_.opened(context)
            assert await type_.ping(connection, context) is True
            assert connection.srn == context.srn
            await connection.close()
            await connection.close()

        _play(subject, ask)

    def test_grains_are_data(self, subject: TypeSubject) -> None:
        """Grains are data, and include the resource's names."""

        async def gather(type_: LoadedType) -> None:
            context = subject.context()
            connection = await type_.opened(context)
            try:
                grains = await type_.grains(connection, context)
            finally:
                await connection.close()
            assert grains["id"] == grains["resource_id"] == context.srn.id
            assert not not_data(grains), grains

        _play(subject, gather)

    def test_what_it_discovers_is_right(self, subject: TypeSubject) -> None:
        """`discover` returns data that `check` accepts, and the same on a second call."""

        async def ask(type_: LoadedType) -> None:
            collector = Collector()
            opts: dict[str, Any] = {"id": "minion", "pillar": {}, **subject.opts}
            once = await discovered([type_], opts, collector)
            assert await discovered([type_], opts, collector) == once
            assert not collector.errors, collector.errors
            for config in once[type_.name].values():
                assert type_.check(config) == []

        _play(subject, ask)

    def test_what_it_lacks_fails_by_name(self, subject: TypeSubject) -> None:
        """A connection without `run` reports that the type does not offer it, and runs nothing here."""

        async def ask(type_: LoadedType) -> None:
            connection = await type_.opened(subject.context())
            try:
                if not connection.can_run:
                    with pytest.raises(NotOfferedError, match=f"not available for {subject.name}"):
                        await connection.run(Command(argv=["true"]))
            finally:
                await connection.close()

        _play(subject, ask)


def _play(subject: TypeSubject, scene: Any) -> None:
    async def play() -> None:
        type_ = Plugins(subject.sources(), subject.opts).resource_type(subject.name)
        try:
            async with asyncio.timeout(_LONGEST_S):
                await scene(type_)
        finally:
            await type_.shutdown()

    asyncio.run(play())
