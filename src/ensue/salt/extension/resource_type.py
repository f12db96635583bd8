"""What a resource type of Salt Resources has to answer: which resources there are, and their grains.

Source: Salt Resources (`salt.resources`), 3008.3: the functions that Salt calls of a type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import EnsueError
from ensue.salt.extension.loaded_file import offer
from ensue.salt.extension.minion_project import in_project
from ensue.salt.extension.resource_functions import called, resource_of
from ensue.salt.extension.salt_minion import SaltMinion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.app.project import AppProject


def give(type_name: str, scope: dict[str, Any]) -> None:
    """Give the functions of a resource type to a file that Salt loads.

    Args:
        type_name: the type.
        scope: the globals of the file.
    """

    def init(opts: Mapping[str, Any]) -> None:
        """Do nothing: a connection is opened when it is used."""

    def initialized() -> bool:
        """Return True."""
        return True

    def discover(opts: Mapping[str, Any]) -> list[str]:
        """Return the ids of the resources that the minion manages."""
        return discovered(opts, type_name)

    def grains() -> dict[str, Any]:
        """Return the grains of the resource."""
        return grains_of(scope)

    def grains_refresh() -> dict[str, Any]:
        """Gather the grains of the resource again, and return them."""
        return grains_of(scope, again=True)

    def ping() -> bool:
        """Return whether the resource answers."""
        return answers(scope)

    def shutdown(opts: Mapping[str, Any]) -> None:
        """Do nothing: each call closes its connections."""

    own = (init, initialized, discover, grains, grains_refresh, ping, shutdown)
    offer({function.__name__: function for function in own}, scope)


def discovered(opts: Mapping[str, Any], type_name: str) -> list[str]:
    """Return the ids of a type's resources that may be targeted: of pillar, discovered, and registered.

    Args:
        opts: the options of the minion, with its pillar.
        type_name: the type.
    """

    async def work(project: AppProject) -> list[str]:
        records = await project.resources()
        return [
            record.srn.id for record in records if record.srn.type == type_name and record.status == "active"
        ]

    return in_project(SaltMinion(opts=opts), work, with_files=False)


def grains_of(scope: Mapping[str, Any], *, again: bool = False) -> dict[str, Any]:
    """Return the grains of the resource that Salt is calling; only its name if it does not answer.

    Args:
        scope: the globals of the file that Salt has loaded.
        again: whether to gather them even if those of an earlier call are still valid.
    """
    srn = resource_of(scope)
    named = {"id": srn.id, "resource_type": srn.type, "resource_id": srn.id}

    async def work(project: AppProject) -> dict[str, Any]:
        if again:
            await project.refresh(f"T@{srn}")
        gathered: dict[str, Any] = await called(project, srn, "grains.items", (), {})
        return {**gathered, **named}

    try:
        return in_project(SaltMinion.of(scope), work, with_files=False)
    except EnsueError:
        return named


def answers(scope: Mapping[str, Any]) -> bool:
    """Return whether the resource that Salt is calling answers.

    Args:
        scope: the globals of the file that Salt has loaded.
    """
    srn = resource_of(scope)

    async def work(project: AppProject) -> bool:
        return bool(await called(project, srn, "test.ping", (), {}))

    try:
        return in_project(SaltMinion.of(scope), work, with_files=False)
    except EnsueError:
        return False
