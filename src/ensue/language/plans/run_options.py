"""How one run is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import msgspec

from ensue.core.model.run_part import WHOLE_RUN, RunPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.following import Follow
    from ensue.core.model.events import RunStarted


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How one run is done.

    Args:
        test: whether it is a plan.
        concurrency: how many functions run at once; None: 10 per core, remote ones not counted.
        failhard: stop at the first failure; None: ensue.yaml's `failhard`.
        wait_for_lock: wait for another apply of the project, or deployment of the environment, instead of
            refusing; a number: at most so many seconds for each.
        resume: the id, or the beginning of it, of a run to resume; it names the SLS and the target.
        despite_running: resume even if commands of that run are still running.
        tgt: SLS are compiled for, and run on, every resource that this target matches; None: this machine.
        part: the part of the run that is chosen; a resumed run has that of the run before it.
        batch: how many hosts of `tgt` are at work at a time, as a number or a percentage (`25%`); None: all.
        fail_limit: how many of them may fail before no further one begins; None: any number. A resumed run
            has both from the run before it.
        environments: `saltenv` and `pillarenv` as the command line gives them; a resumed run has those of the
            run before it.
        follow: begins to follow a command of a state; called on the event loop. None: no command is followed.
    """

    test: bool = False
    concurrency: int | None = None
    failhard: bool | None = None
    wait_for_lock: bool | float = False
    resume: str | None = None
    despite_running: bool = False
    tgt: str | None = None
    part: RunPart = WHOLE_RUN
    batch: str | None = None
    fail_limit: str | None = None
    environments: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    follow: Follow | None = None

    def of_resumed(self, started: RunStarted) -> Self:
        """Return the options with which a run is resumed: those that decide what it does are its own.

        Args:
            started: the run.
        """
        return msgspec.structs.replace(
            self,
            tgt=started.tgt or None,
            part=started.part,
            batch=started.batch or None,
            fail_limit=started.fail_limit or None,
            failhard=started.failhard,
        )

    @property
    def lock_wait_s(self) -> float | None:
        """How long to wait for a lock; None: without limit."""
        return None if self.wait_for_lock is True else float(self.wait_for_lock)
