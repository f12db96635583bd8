"""Events of a run as values, for the progress display, the journal and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.model.resume_command import resume_command
from ensue.core.model.run_part import RunPart
from ensue.core.model.state_identity import StateIdentity

if TYPE_CHECKING:
    from ensue.core.model.returns import Return, ScopeReturn


class RunStarted(msgspec.Struct, frozen=True, tag=True):
    """A run begins.

    Args:
        run_id: its id; sorts by time.
        test: whether it is a plan.
        total: how many chunks are known at the start; growth adds to it.
        started_at: ISO 8601 with offset.
        mods: the SLS names asked for; empty for a highstate.
        minion_id: the id of the machine that runs it.
        resumes: the id of the run that it resumes; empty for a new run.
        tgt: the requested target; empty for a run of this machine.
        deployment: `APP/ENV` of a run that deploys a resource graph; empty for one of SLS.
        fleet: what carried out a run on many minions (`salt`); empty for a run of this machine.
        only: the states that `--only` names.
        exclude: the states that `--exclude` names.
        start_at: the state that `--start-at` names.
        batch: how many hosts are at work at a time (`25%`); empty: all.
        fail_limit: how many hosts may fail before no further one begins; empty: any number.
        pillar: the keys of `--pillar` and `--pillar-file`, each with a fingerprint of its value that the
            project's key made; `-` where none could be made, and in a plan. null in a run over minions.
        environments: `saltenv` and `pillarenv`, as far as the command line gave them.
        environment: what selects the environments, in the words of the command line; empty if nothing does.
        failhard: `--failhard`; null if it was not given.
    """

    run_id: str
    test: bool
    total: int
    started_at: str
    mods: tuple[str, ...] = ()
    minion_id: str = ""
    resumes: str = ""
    tgt: str = ""
    deployment: str = ""
    fleet: str = ""
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    start_at: str = ""
    batch: str = ""
    fail_limit: str = ""
    pillar: dict[str, str] | None = None
    environments: dict[str, str] = {}
    environment: str = ""
    failhard: bool | None = None

    @property
    def pillar_keys(self) -> tuple[str, ...]:
        """The keys of the pillar that the command line gave."""
        return tuple(self.pillar or ())

    @property
    def resume_command(self) -> str:
        """The command that resumes the run."""
        return resume_command(self.run_id, self.pillar_keys)

    @property
    def part(self) -> RunPart:
        """The part of the run that was chosen."""
        return RunPart(only=self.only, exclude=self.exclude, start_at=self.start_at)


class JobPublished(msgspec.Struct, frozen=True, tag=True):
    """A job of a run on many minions is about to be published.

    Args:
        jid: its id on Salt's master.
        minions: the minions that it is for.
        calls: the calls on resources that it is for; empty for a job that runs the minions' own states.
    """

    jid: str
    minions: tuple[str, ...]
    calls: tuple[str, ...] = ()


class NodeStarted(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A chunk's function is about to be called; not sent if it has no effect outside this process."""

    tag_: str
    id: str
    function: str
    scope: str
    target: str
    run_num: int
    scope_identity: str = ""

    @property
    def identity(self) -> StateIdentity:
        """The identity of its state."""
        return StateIdentity(self.target, self.scope_identity, self.tag_)


class CommandStarted(msgspec.Struct, frozen=True, tag=True):
    """A state has started a process on this machine.

    Args:
        scope: the path of the state's scope.
        tag_: the state's tag.
        pid: the process.
        process: distinguishes this process from a later one with the same pid; see `processes.process_mark`.
        command: the command, shortened.
    """

    scope: str
    tag_: str
    pid: int
    process: str
    command: str


class NodeFinished(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A chunk has its return (its growth, if any, comes after).

    Args:
        returned: the return.
        exact: in a journal: whether the return is unchanged: nothing masked, cut or encoded.
        shared: in a journal: keys of `new_state` whose texts are written under `changes` alone.
    """

    returned: Return
    exact: bool = True
    shared: tuple[str, ...] = ()


class ScopeOpened(msgspec.Struct, frozen=True, tag=True):
    """Growth: a scope was rendered and its chunks are about to run.

    Args:
        caller: the tag of the state that caused it.
        kind: `block`, `sls` or `apply`.
        name: the block's or SLS's name.
        scope: the scope's path.
        target: the SRN it runs against.
        total: how many chunks it adds.
    """

    caller: str
    kind: str
    name: str
    scope: str
    target: str
    total: int


class ScopePlanned(msgspec.Struct, frozen=True, tag=True):
    """The requisites of a scope, for graphs; sent only if there are any.

    Args:
        scope: the scope's path.
        tags: the tags of the chunks that have a requisite or are named in one.
        edges: per requisite the index in `tags` of the earlier chunk, that of the later one, and the word.
    """

    scope: str
    tags: tuple[str, ...]
    edges: tuple[tuple[int, int, str], ...]


class StateExcluded(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """A state is left out of the run, because of the part of it that was chosen.

    Args:
        scope: the path of its scope.
        tag_: its tag.
        id: its ID.
        name: its name.
        function: `module.function`.
        sls: the SLS that declares it.
        target: the SRN it would run against.
        comment: why it is left out.
        is_dependent: whether it is left out because of what it requires, rather than by a word.
    """

    scope: str
    tag_: str
    id: str
    name: str
    function: str
    sls: str
    target: str
    comment: str
    is_dependent: bool = False


class ReactionsOwed(msgspec.Struct, frozen=True, tag=True):
    """A state is about to be called; those that react to its changes owe that, unless it changes nothing.

    Args:
        scope: the path of its scope, which is that of the others as well.
        scope_identity: the identity of the scope.
        tag_: its tag.
        target: the SRN it runs against.
        tags: the tags of the states that react.
        targets: for each of them, the SRN it runs against.
        slses: for each of them, the SLS that declares it.
    """

    scope: str
    scope_identity: str
    tag_: str
    target: str
    tags: tuple[str, ...]
    targets: tuple[str, ...]
    slses: tuple[str, ...]


class FannedOut(msgspec.Struct, frozen=True, tag=True):
    """The target of a chunk was matched: the chunk becomes one chunk per resource.

    Args:
        scope: the scope's path.
        tag_: the chunk's tag, which has no return of its own.
        target: the target of the other chunks of the scope, as text.
        tags: the tags of the new chunks.
        targets: the target of each of them, as text.
        scope_identity: the identity of the scope.
    """

    scope: str
    tag_: str
    target: str
    tags: tuple[str, ...]
    targets: tuple[str, ...] = ()
    scope_identity: str = ""


class ScopeClosed(msgspec.Struct, frozen=True, tag=True):
    """A scope has ended; `returned.returns` is empty here, since each return had its `NodeFinished`."""

    caller: str
    returned: ScopeReturn


class ResourceRegistered(msgspec.Struct, frozen=True, tag=True):
    """A derived resource was registered, for the first time or again.

    `source_label` is the source as messages name it; empty if there is none.
    """

    srn: str
    source: str | None
    changed: bool
    source_label: str = ""


class ResourceOrphaned(msgspec.Struct, frozen=True, tag=True):
    """The state that registered a derived resource no longer registers it."""

    srn: str
    because: str


class RunFinished(msgspec.Struct, frozen=True, tag=True):
    """A run has ended.

    Args:
        run_id: its id.
        status: `succeeded`, `failed`, or `interrupted`.
        exit_code: 0, 2, or 130.
        ended_at: ISO 8601 with offset.
        not_run: tags of chunks that never started, each with its scope.
        stopped: why the run stopped early, although nothing interrupted it; it can be resumed then.
        hosts_not_run: the hosts that did not begin, by SRN, with how many of their states are known.
        not_run_on: how many states never started, by the SRN of what they would have run on.
        owed_not_run: those of `not_run` that would have reacted to a change, which later runs owe.
        counts: the states by their outcome, as the last line of the run has them; empty if nobody counted.
    """

    run_id: str
    status: str
    exit_code: int
    ended_at: str
    not_run: tuple[str, ...] = ()
    stopped: str = ""
    hosts_not_run: dict[str, int] = {}
    not_run_on: dict[str, int] = {}
    owed_not_run: tuple[str, ...] = ()
    counts: dict[str, int] = {}


RunEvent: TypeAlias = (
    RunStarted
    | JobPublished
    | NodeStarted
    | CommandStarted
    | NodeFinished
    | ScopeOpened
    | ScopePlanned
    | StateExcluded
    | ReactionsOwed
    | FannedOut
    | ScopeClosed
    | ResourceRegistered
    | ResourceOrphaned
    | RunFinished
)
"""The closed union of events."""

BEGINNINGS: Final = (RunStarted, NodeStarted, CommandStarted)
"""What announces something: it must not happen, or must be ended, if its event cannot be recorded."""
