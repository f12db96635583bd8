"""What is kept of a run over many minions beside its journal, so that it can be resumed: sealed, mode 0600.

It has the key that minions encrypt their reports for, so that a later process can read them.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import StoreError, UnknownRunError, not_written
from ensue.core.files import private_files
from ensue.core.model.events import JobPublished, RunFinished
from ensue.core.model.fleet import FleetOrder  # noqa: TC001 -- of a struct that is decoded
from ensue.store.runs.resume import run_started
from ensue.store.runs.run_chain import chain_to_resume, journal_to_resume, was_cut_short
from ensue.store.runs.run_history import ends_of, fleet_path

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.vault import Vault


class KeptFleet(msgspec.Struct, frozen=True, kw_only=True):
    """What a run over minions needs to be resumed.

    Args:
        order: what minions are asked for.
        wire: the order as minions get it.
        minions: the minions that matched.
        private_key: the private half of the run's key.
    """

    order: FleetOrder
    wire: dict[str, Any]
    minions: tuple[str, ...]
    private_key: bytes


class ResumedFleet(msgspec.Struct, frozen=True, kw_only=True):
    """A run over minions that is resumed.

    Args:
        run_id: its id.
        kept: what was kept of it.
        jobs: the minions of each job that was published, or was about to be.
        calls: the job of each call on a resource.
        chain: its id and those of the runs that it resumed.
    """

    run_id: str
    kept: KeptFleet
    jobs: dict[str, tuple[str, ...]]
    calls: dict[str, str]
    chain: tuple[str, ...]


def keep_fleet(cachedir: Path, run_id: str, kept: KeptFleet, vault: Vault) -> None:
    """Write what a run needs to be resumed.

    Raises:
        StoreError: it cannot be written or sealed.
    """
    path = fleet_path(cachedir, run_id)
    try:
        private_files.make_private_directory(cachedir)
        private_files.make_private_directory(path.parent)
        private_files.replace_whole(path, vault.seal(msgspec.json.encode(kept), context=_context(run_id)))
    except OSError as error:
        raise not_written(f"{path}: it cannot be written", error) from error


def forget_fleet(cachedir: Path, run_id: str) -> None:
    """Remove what was kept of a run, which has ended."""
    with suppress(OSError):
        fleet_path(cachedir, run_id).unlink(missing_ok=True)


def is_of_fleet(cachedir: Path, prefix: str) -> bool:
    """Return whether the run to resume is one over minions.

    Args:
        cachedir: the project's cachedir.
        prefix: see `run_chain.journal_to_resume`.

    Raises:
        UnknownRunError: there is no such run, or there are several.
        StoreError: a journal cannot be read.
    """
    started = ends_of(journal_to_resume(cachedir, prefix))[0]
    return started is not None and bool(started.fleet)


def fleet_to_resume(cachedir: Path, prefix: str, vault: Vault) -> ResumedFleet:
    """Return the run over minions to resume.

    Args:
        cachedir: the project's cachedir.
        prefix: see `run_chain.journal_to_resume`.
        vault: opens what was kept.

    Raises:
        UnknownRunError: there is no such run, or it cannot be resumed.
        StoreError: a journal, or what was kept, cannot be read.
    """
    chain = chain_to_resume(cachedir, prefix)
    started = run_started(chain[0])
    if started is None or not started.fleet:
        raise UnknownRunError("it is no run over minions")
    run_id = started.run_id
    if started.test:
        raise UnknownRunError(f"{run_id} is a plan: it has changed nothing, so there is nothing to resume")
    ended = next((event for event in chain[0] if isinstance(event, RunFinished)), None)
    if ended is not None and not was_cut_short(ended):
        raise UnknownRunError(
            f"{run_id} has ended ({ended.status}), so there is nothing to resume"
            " (ensue apply starts a new run)"
        )
    published = [event for run in reversed(chain) for event in run if isinstance(event, JobPublished)]
    return ResumedFleet(
        run_id=run_id,
        kept=_kept(cachedir, run_id, vault),
        jobs={event.jid: event.minions for event in published if not event.calls},
        calls={call: event.jid for event in published for call in event.calls},
        chain=tuple(begun.run_id for run in chain if (begun := run_started(run)) is not None),
    )


def _kept(cachedir: Path, run_id: str, vault: Vault) -> KeptFleet:
    path = fleet_path(cachedir, run_id)
    try:
        sealed = path.read_bytes()
    except FileNotFoundError:
        raise UnknownRunError(f"{run_id} was killed before it published anything: run it again") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    return msgspec.json.decode(vault.open(sealed, context=_context(run_id)), type=KeptFleet)


def _context(run_id: str) -> str:
    return f"fleet run {run_id}"
