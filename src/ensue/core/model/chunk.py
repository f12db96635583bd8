"""The unit of work: one (declaration, function, target) after compilation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.diagnostics import Span
    from ensue.core.model.data import Data, DataMap, Place
    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.reference import BoundText
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.source_document import SourceDocument
    from ensue.core.model.srn import Srn

LISTENER_PREFIX: Final = "listener_"
"""What the ID of a listener has before that of the state that listens."""

LISTENER_FUNCTION: Final = "mod_watch"
"""The function of every listener."""


class DelayedCall(Protocol):
    """One entry of `delayed_render`, looked up: a block or an SLS that the language renders later."""

    @property
    def name(self) -> str:
        """The name of the block or SLS."""
        ...

    @property
    def place(self) -> Span:
        """The place of the block in the SLS, or the SLS's tag."""
        ...


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """How often a failed state is tried again.

    Args:
        attempts: the most calls of the function.
        until: the result that ends the retries.
        interval_s: seconds between attempts.
        splay_s: the maximum number of random seconds added to each interval.
    """

    attempts: int = 2
    until: bool = True
    interval_s: float = 30.0
    splay_s: float = 0.0


class PrintedPillar(msgspec.Struct, frozen=True):
    """A value of pillar that a template prints into a state with a target.

    Args:
        keys: the keys and indexes that lead to it.
        place: where the template prints it.
    """

    keys: Place
    place: Span


class FanOut(msgspec.Struct, frozen=True, kw_only=True):
    """The target of a state as written.

    Args:
        expression: the target (`T@ssh_host:web-*`); it may contain references.
        optional: whether the target may match nothing.
        printed_pillar: the values of pillar that the template of the SLS prints into the state. They are
            those of the target that the SLS is rendered for, not those of the resources.
    """

    expression: str
    optional: bool = False
    printed_pillar: tuple[PrintedPillar, ...] = ()


class StateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a state declaration that control its execution (Salt's state options).

    Args:
        unless: commands or function calls; the state is skipped when all of them succeed.
        onlyif: commands or function calls; the state runs only when all of them succeed.
        creates: paths; the state is skipped when all of them exist.
        check_cmd: commands that decide after the state whether it succeeded.
        failhard: stop the run if this state fails; None: as configured.
        retry: None when the state is tried once.
        timeout_s: how long the function may take, in seconds; None is no limit.
        parallel: run concurrently with the states that follow.
        runas: the user for `unless`, `onlyif` and `check_cmd`.
        onfail_stop: whether a failure of this `onfail` state fails those that require it.
        registers: SRNs that the state registers, each with a configuration built from its `new_state`.
        registers_at: where each of them is written: the file, and the path within it.
        delayed_render: (kind, name) entries rendered after the state, in order; kind is `block` or `sls`.
        delayed_calls: each of these entries, looked up.
        producers: the IDs of the states that a state without a function waits for before it calls a delayed
            block, in its own scope or in one around it; empty for all other states.
        minion_state: the state of another minion whose return is the return of a state without a function;
            None for all other states.
        tags: names by which a part of a run is chosen (`--only tag:NAME`).
        fan_out: the resources that the state runs on, one chunk each; None runs it on the plan's target.
        other: further options by name (`umask`, `reload_modules`, `reload_grains`, `fire_event`).
    """

    unless: tuple[Data, ...] = ()
    onlyif: tuple[Data, ...] = ()
    creates: tuple[str, ...] = ()
    check_cmd: tuple[str, ...] = ()
    failhard: bool | None = None
    retry: Retry | None = None
    timeout_s: float | None = None
    parallel: bool = False
    runas: str | None = None
    onfail_stop: bool = True
    registers: tuple[tuple[str, Data], ...] = ()
    registers_at: tuple[tuple[SourceDocument, tuple[str | int, ...]], ...] = ()
    delayed_render: tuple[tuple[str, str], ...] = ()
    delayed_calls: tuple[DelayedCall, ...] = ()
    producers: tuple[str, ...] = ()
    minion_state: MinionState | None = None
    tags: tuple[str, ...] = ()
    fan_out: FanOut | None = None
    other: tuple[tuple[str, Data], ...] = ()


NO_OPTIONS = StateOptions()
"""Shared by all chunks without options, so that a hundred thousand chunks stay small."""


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """One call of one state function against one target.

    Args:
        id: the declaration's ID.
        name: the `name` argument.
        module: the state module (`file`, `cloud.instance`).
        function: the function in it (`managed`).
        arguments: the arguments of the function, without `name`.
        sls: the SLS that contains the declaration (`openvpn.init`).
        order: the number it is sorted by (see language/order.py).
        document: the file that contains it.
        keys: where in that file: (ID, `module.function`).
        requisites: resolved requisites; indices into the same plan.
        options: state options.
        target: the resource it runs against; None is the plan's own target.
        saltenv: the environment its SLS was found in.
        bindings: the texts in `name` and arguments with references, by the text; None if there are none.
        has_slots: whether `name` or the arguments contain a slot.
        fault: why its function cannot be called; the chunk fails with this comment at its turn.
    """

    id: str
    name: str
    module: str
    function: str
    arguments: DataMap
    sls: str
    order: float
    document: SourceDocument
    keys: tuple[str, ...]
    requisites: tuple[Requisite, ...] = ()
    options: StateOptions = NO_OPTIONS
    target: Srn | None = None
    saltenv: str = "base"
    bindings: Mapping[str, BoundText] | None = None
    has_slots: bool = False
    fault: str = ""

    @property
    def tag(self) -> str:
        """The chunk's name in results, as in Salt: `file_|-ID_|-name_|-managed`."""
        return f"{self.module}_|-{self.id}_|-{self.name}_|-{self.function}"

    @property
    def full_function(self) -> str:
        """`module.function`, as the user writes it."""
        return f"{self.module}.{self.function}"

    def span(self) -> Span:
        """The place of the declaration."""
        return self.document.locate(self.keys)
