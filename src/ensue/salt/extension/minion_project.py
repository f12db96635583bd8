"""The project of ensue that a minion has below its `cachedir`, and calls of it from Salt's own threads."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import EnsueError
from ensue.core.model.data import is_list, is_mapping
from ensue.salt.extension.file_roots import file_roots

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from ensue.salt.extension.salt_minion import SaltMinion

_Result = TypeVar("_Result")
_FROM_SALT: Final = (
    "top_file_merging_strategy",
    "env_order",
    "default_top",
    "saltenv",
    "resource_pillar_key",
)
"""Options that ensue shares with Salt."""


class MaskedError(EnsueError):
    """An error of ensue without secrets, for Salt, which stores and prints it."""


def options_of(salt: SaltMinion) -> dict[str, Any]:
    """Return the options of the minion's project: where it is, and what the minion's option `ensue` says."""
    base = Path(salt.opts["cachedir"]) / "ensue"
    return {
        **{name: salt.opts[name] for name in _FROM_SALT if salt.opts.get(name)},
        **(salt.opts.get("ensue") or {}),
        "id": salt.opts["id"],
        "root": str(base),
        "cachedir": str(base / "project"),
    }


def in_project(
    salt: SaltMinion, work: Callable[[AppProject], Awaitable[_Result]], *, with_files: bool = True
) -> _Result:
    """Open the minion's project, use it, and close it; this blocks.

    Args:
        salt: the minion.
        work: uses the project.
        with_files: whether the file roots are needed.

    Raises:
        MaskedError: the work has failed.
    """
    options = options_of(salt)
    base = Path(options.pop("root"))
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    no_files: dict[str, list[str]] = {}
    with file_roots(salt, base) if with_files else nullcontext(no_files) as roots:
        overrides: dict[str, Any] = {
            "grains": _plain(salt.opts.get("grains") or {}),
            **options,
            "file_roots": roots,
            "pillar_roots": {"base": [str(base / "no-pillar")]},
        }
        pillar = _plain(salt.opts.get("pillar") or {})
        given = ProjectOptions(minion_id=salt.opts["id"], pillar=pillar, overrides=overrides)

        async def used() -> _Result:
            async with AppProject.open(base, given) as project:
                return await masked(project, work)

        return in_thread(used())


async def masked(project: AppProject, work: Callable[[AppProject], Awaitable[_Result]]) -> _Result:
    """Use a project.

    Args:
        project: the project.
        work: uses it.

    Raises:
        MaskedError: the work has failed.
    """
    try:
        return await work(project)
    except EnsueError as error:
        raise MaskedError(project.masker.text(str(error))) from None


def in_thread(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine on an event loop of its own: the thread of the caller may have Salt's.

    What Salt gives to loaded files depends on the context of the thread, so the context goes with it.
    """
    with ThreadPoolExecutor(1, "ensue") as thread:
        return thread.submit(contextvars.copy_context().run, asyncio.run, work).result()


def _plain(data: Any) -> Any:
    """Return data without the classes that Salt masks pillar with."""
    if is_mapping(data):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(value) for value in data] if is_list(data) else data
