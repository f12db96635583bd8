"""Puts below the master's file roots what minions fetch, and makes the order that they get."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError
from ensue.salt.fleet.bundle import FOLDER, abi, shipped_program, shipped_relay, shipped_tree
from ensue.salt.fleet.other_pythons import programs_there

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.fleet import FleetOrder
    from ensue.salt.fleet.master import SaltMaster
    from ensue.salt.fleet.shipped_files import ShippedFiles

_BEATS: Final = 4
"""How many signs of life a minion gives in the time after which it counts as silent."""


def shipped_order(
    master: SaltMaster,
    shipped: ShippedFiles,
    order: FleetOrder,
    run_id: str,
    *,
    public_key: bytes,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Ship ensue and the file roots; return the order as minions get it, without a job.

    Args:
        master: the master.
        shipped: where the files are put.
        order: what minions are asked for.
        run_id: the run.
        public_key: the public half of its key.
        options: the options of the project that reach minions.

    Raises:
        ConfigurationError: it cannot be shipped.
    """
    wire: dict[str, Any] = {
        "run_id": run_id,
        "verb": order.verb,
        "key": base64.b64encode(public_key).decode(),
        "beat_s": order.timeout_s / _BEATS,
        "mods": list(order.mods),
        "test": order.test,
        "concurrency": order.concurrency,
        "failhard": order.failhard,
        "function": order.function,
        "args": list(order.args),
        "kwargs": dict(order.kwargs),
        "options": {
            **master.options(),
            **options,
            **({"saltenv": order.saltenv} if order.saltenv else {}),
        },
        "tree": "",
        "environments": {},
    }
    try:
        programs = {**programs_there(shipped), abi(): shipped_program(shipped)}
        wire["bundles"] = {known: f"{FOLDER}/{name}" for known, name in programs.items()}
        if order.verb in {"apply", "call"}:
            tree, wire["environments"] = shipped_tree(shipped, master.roots)
            wire["tree"] = f"{FOLDER}/{tree}"
        wire["parts"] = {part: f"{FOLDER}/{name}" for part, name in shipped_relay(shipped).items()}
    except OSError as error:
        where = error.filename or shipped.folder
        problem = Diagnostic(
            code="E0847",
            summary=f"ensue cannot be shipped to minions: {where}: {error.strerror}",
            help="run ensue as the user of the master, and let that user write to the first file root",
        )
        raise ConfigurationError([problem]) from error
    return wire
