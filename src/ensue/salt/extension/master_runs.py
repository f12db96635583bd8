"""Runs over minions, and calls on resources, as Salt's runner `ensue` returns them.

Source: `salt.utils.minions` and `salt.minion`, 3008.3, which compare ids after `T@TYPE:` with `==`.
"""

from __future__ import annotations

import fnmatch
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.contracts.deadlines import FLEET_SILENCE_S
from ensue.core.model.fleet import FleetOrder
from ensue.output.fleet import fleet_data
from ensue.salt.extension.minion_project import in_thread, masked
from ensue.salt.extension.resource_functions import with_salts_errors
from ensue.salt.extension.resource_states import names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.model.events import RunEvent
    from ensue.core.model.fleet import MinionReport

_NOTHING: Final = "E@^$"
"""What a glob becomes that matches nothing: no id is empty."""


def applied(
    scope: Mapping[str, Any],
    tgt: str,
    mods: str | Sequence[str] | None,
    *,
    test: bool,
    batch: str | None,
    fail_limit: str | None,
) -> dict[str, Any]:
    """Apply SLS to minions, and return the returns of each by tag, or why there are none.

    Args:
        scope: the globals of the file that Salt has loaded.
        tgt: a compound target.
        mods: names of SLS; None: the highstate of each minion.
        test: whether to change nothing.
        batch: how many minions are at work at a time; None: all.
        fail_limit: how many may fail before no further one begins; None: any number.
    """
    opts, context = scope["__opts__"], scope["__context__"]
    own = dict(opts.get("ensue") or {})
    root = Path(own.pop("root", "") or Path(opts["cachedir"]) / "ensue")
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    options = {**own, "fleet": {"engine": "salt", "config": opts["conf_file"]}}
    order = FleetOrder(
        verb="apply",
        tgt=tgt,
        mods=tuple(names_of(mods)),
        test=test,
        batch=None if batch is None else str(batch),
        fail_limit=None if fail_limit is None else str(fail_limit),
        timeout_s=FLEET_SILENCE_S,
    )

    async def work(project: AppProject) -> dict[str, Any]:
        report = await project.on_fleet(order, _Unwatched())
        context["retcode"] = report.exit_code
        return fleet_data(report, project.masker)

    async def used() -> dict[str, Any]:
        async with AppProject.open(root, ProjectOptions(overrides=options)) as project:
            return await masked(project, work)

    returns: dict[str, Any] = with_salts_errors(lambda: in_thread(used()))
    return returns


def called(
    scope: Mapping[str, Any], tgt: str, fun: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Call a function with Salt's client, and return the answers by id.

    Args:
        scope: the globals of the file that Salt has loaded.
        tgt: a compound target, in which ids after `T@TYPE:` may be globs.
        fun: an execution function.
        args: its arguments by position.
        kwargs: its arguments by name; what Salt adds is dropped.
    """
    own = {name: value for name, value in kwargs.items() if not name.startswith("__")}
    client = importlib.import_module("salt.client").get_local_client(mopts=scope["__opts__"])
    with client:
        answers: dict[str, Any] = client.cmd(
            expanded(scope, tgt), fun, list(args), tgt_type="compound", kwarg=own
        )
    return answers


def expanded(scope: Mapping[str, Any], tgt: str) -> str:
    """Return a compound target in which ids stand in place of globs after `T@TYPE:`.

    Args:
        scope: the globals of the file that Salt has loaded.
        tgt: a compound target.
    """
    registry = importlib.import_module("salt.utils.resource_registry").get_registry(scope["__opts__"])
    return " ".join(_terms(tgt, registry))


def _terms(tgt: str, registry: Any) -> Iterator[str]:
    for word in tgt.split():
        type_name, colon, pattern = word.removeprefix("T@").partition(":")
        if not word.startswith("T@") or not colon or not set("*?[") & set(pattern):
            yield word
            continue
        ids: list[str] = sorted(registry.get_resource_ids_by_type(type_name))
        matches = [f"T@{type_name}:{id_}" for id_ in ids if fnmatch.fnmatchcase(id_, pattern)]
        yield f"( {' or '.join(matches or [_NOTHING])} )"


class _Unwatched:
    """Sees what happens in a run, and shows nothing."""

    def of_minion(self, minion: str, event: RunEvent) -> None:
        """Ignore an event."""

    def ended(self, report: MinionReport) -> None:
        """Ignore a report."""
