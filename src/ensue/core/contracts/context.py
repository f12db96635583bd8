"""The context of a state or execution function: its target, and the services that it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.accumulators import Accumulators
    from ensue.core.contracts.clock import Clock
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.content import SourceContent
    from ensue.core.contracts.deployment import Deployments
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.mine import Mine
    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.contracts.vault import Vault
    from ensue.core.diagnostics import Span
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap, ReadOnlyDataMap
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.returns import ScopeReturn
    from ensue.core.model.srn import Srn


class FileSources(Protocol):
    """Reads `salt://`, `http(s)://`, `file://` and absolute paths of the managing minion."""

    async def read(self, source: str, *, saltenv: str = "") -> bytes:
        """Return the content of a source.

        Args:
            source: where it is; `salt://x?saltenv=dev` names its environment itself.
            saltenv: the environment of a `salt://` source; empty: that of the SLS.

        Raises:
            StateFailedError: the source is not found; the text lists the roots that were searched.
        """
        ...

    async def open(self, source: str, *, saltenv: str = "") -> SourceContent:
        """Return the content of a source, as bytes when it is short, else to be read in chunks.

        Args:
            source: where it is; `salt://x?saltenv=dev` names its environment itself.
            saltenv: the environment of a `salt://` source; empty: that of the SLS.

        Raises:
            StateFailedError: the source is not found; the text lists the roots that were searched.
        """
        ...

    def local_path(self, source: str, *, saltenv: str = "") -> Path | None:
        """Return the file of this machine that a `salt://` source names, None when there is none."""
        ...

    def list_tree(self, source: str, *, saltenv: str = "") -> list[str]:
        """Return the relative paths of all files below a `salt://` folder, sorted; empty without one.

        Links are followed, those that lead out of the file roots too.

        Raises:
            StateFailedError: a folder cannot be listed.
        """
        ...

    def list_links(self, source: str, *, saltenv: str = "") -> dict[str, str]:
        """Return the links below a `salt://` folder that lead to something in the same file root.

        Returns:
            What each link says, by its relative path.
        """
        ...


class StateDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The declaration that a state function is called for.

    Args:
        id: the declaration's ID.
        sls: its SLS.
        function: `module.function`.
        scope: the scope's path.
        span: its place.
        requires: the states that it requires, as (`module.function`, `name`).
        declared_below: the states beside it that make something at a path below its name, in the same form.
        changed_watches: those of its watched states that changed something, as `module: ID`.
    """

    id: str
    sls: str
    function: str
    scope: str
    span: Span
    requires: tuple[tuple[str, str], ...] = ()
    declared_below: tuple[tuple[str, str], ...] = ()
    changed_watches: tuple[str, ...] = ()


class FunctionContext(Protocol):
    """The first argument of an execution function, `ctx`; an SLS never passes it."""

    @property
    def srn(self) -> Srn:
        """The target."""
        ...

    @property
    def connection(self) -> Connection:
        """The way to the target; connects on first use."""
        ...

    @property
    def test(self) -> bool:
        """Whether this is a plan: nothing may be changed."""
        ...

    @property
    def opts(self) -> ReadOnlyDataMap:
        """Options of the project, Salt's names (`id`, `cachedir`, `file_roots`, `test`, …)."""
        ...

    @property
    def pillar(self) -> DataMap:
        """The target's pillar."""
        ...

    @property
    def config(self) -> ReadOnlyDataMap:
        """The target's configuration in the clear, as its type's `connect` receives it."""
        ...

    async def grains(self) -> DataMap:
        """Return the target's grains; gathered once and cached."""
        ...

    async def grains_changed(self) -> None:
        """Note that grains of the target were set or removed: later commands gather them again."""
        ...

    async def ping(self) -> bool:
        """Return whether the target answers, as its type determines; raises the connection's errors."""
        ...

    def minion(self) -> FunctionContext:
        """Return the context of the managing minion: the explicit way out of the target."""
        ...

    async def matches(
        self, target: str, *, engine: str | None = None, delimiter: str = ":", minion_id: str = ""
    ) -> bool:
        """Return whether an expression matches this target.

        Args:
            target: a compound expression, or the pattern of one engine.
            engine: the letter of that engine (`G`), empty for a glob; None for a compound expression.
            delimiter: the separator of keys in a pattern of `G P I J`.
            minion_id: an id to look at in place of the target's; grains and pillar stay the target's.

        Raises:
            StateFailedError: the expression does not parse, or names a type or a nodegroup that does not
                exist; the text has the column.
        """
        ...

    async def targets(self, target: str, *, engine: str | None = None) -> Sequence[FunctionContext]:
        """Return the contexts of all targets of the project that an expression matches, sorted by SRN.

        Args:
            target: a compound expression, or the pattern of one engine.
            engine: the letter of that engine (`G`), empty for a glob; None for a compound expression.

        Raises:
            StateFailedError: the expression does not parse, or names a type or a nodegroup that does not
                exist.
        """
        ...

    @property
    def documentation(self) -> Documentation:
        """The documentation of the functions that the target offers; reading it blocks."""
        ...

    @property
    def mine(self) -> Mine:
        """The mine: values that the targets of the project publish for each other."""
        ...

    async def pillar_changed(self) -> None:
        """Compile the target's pillar again, for everything that is rendered later.

        Raises:
            CompileError: pillar does not compile; has all errors.
        """
        ...

    @property
    def files(self) -> FileSources:
        """Reader of `salt://` and other sources."""
        ...

    @property
    def masker(self) -> Masker:
        """Receives every secret that a function learns, before the function uses the secret."""
        ...

    @property
    def cache_dir(self) -> Path:
        """The project's `cachedir` on this machine."""
        ...

    async def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function (`cmd.run`) on the same target.

        Raises:
            NotAvailableError: this target does not offer it.
        """
        ...

    def command_ended(self, exit_code: int) -> None:
        """Report the exit code of a command that the function was called to run.

        With another code than 0, `ensue call` of the function exits with 2. A function that returns a
        mapping with the key `retcode` need not report it, and that of a function which another one calls
        counts for nothing.

        Args:
            exit_code: the code; 0 after one that the caller counts as success.
        """
        ...

    async def render_template(
        self, text: str, *, renderer: str = "jinja", name: str = "", context: Mapping[str, Any] | None = None
    ) -> str:
        """Render template text with the target's `salt grains pillar opts` and the given context.

        Args:
            text: the template.
            renderer: a template renderer's name.
            name: the template's name in messages (`salt://openvpn/server.conf.j2`).
            context: further variables.

        Raises:
            StateFailedError: the template is broken; the text has name and line.
        """
        ...

    async def render_data(
        self,
        text: str,
        *,
        renderer: str = "jinja|yaml",
        name: str = "",
        context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Render a text with a whole pipe, as an SLS is rendered, and return its data.

        Args:
            text: the text; a pipe in its first line (`#!py`) takes precedence over `renderer`.
            renderer: the pipe.
            name: the text's name in messages.
            context: further variables.

        Returns:
            Data; text when the pipe ends in text.

        Raises:
            StateFailedError: a renderer refuses the text; the message has name and line.
        """
        ...


class StateContext(FunctionContext, Protocol):
    """The context of a state function: a `FunctionContext` with what belongs to one declaration."""

    @property
    def declaration(self) -> StateDeclaration:
        """The declaration this call is made for."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock, for a function that has to wait for something that no event reports."""
        ...

    @property
    def pending_states(self) -> tuple[str, ...]:
        """The IDs of the states that it requires, also through others, and that would change something.

        Only a plan has some: what they make is not there yet.
        """
        ...

    @property
    def enforced(self) -> EnforcedState | None:
        """The enforced state of the last apply for this state; None if there is none. It is read on access.

        A function can recognise by it the objects that it created, such as by an id that a cloud assigned.

        Raises:
            StoreError: it cannot be read or decrypted.
        """
        ...

    @property
    def for_conditions(self) -> StateContext:
        """The context in which the state's conditions are evaluated: without the state's `umask`."""
        ...

    @property
    def registry(self) -> DerivedRegistry:
        """Derived resources: register, get, invalidate."""
        ...

    @property
    def accumulators(self) -> Accumulators:
        """The texts that this run has accumulated for the files of this target."""
        ...

    @property
    def run_notes(self) -> dict[str, Any]:
        """What states of this target note for each other in one run; keys begin with the state module."""
        ...

    @property
    def plan_notes(self) -> dict[str, Any] | None:
        """What states of this target note in a plan of what they would make; None outside of a plan.

        A function whose result depends on what an earlier state would make reads it here. The check of a
        `prereq` has none. Keys begin with the state module.
        """
        ...

    @property
    def vault(self) -> Vault:
        """Encrypts and decrypts the data that a plug-in keeps below `cache_dir`."""
        ...

    @property
    def deployments(self) -> Deployments:
        """Builds and provisions resource graphs as growth under this state."""
        ...

    def provider(self, name: str) -> EnvironmentProvider:
        """Return an environment provider (`sandbox`, `command`, `terraform`).

        Raises:
            NotAvailableError: no provider has this name; the text has near names.
        """
        ...

    async def on(self, target: Srn | str) -> FunctionContext:
        """Return the context of another resource, by SRN or by bare id.

        Raises:
            UnknownResourceError: nothing is registered or declared under this name, or it was invalidated;
                the text has near names and provenance. In a plan also if an earlier state is about
                to register it again.
        """
        ...

    async def apply_state(self, function: str, name: str, arguments: DataMap) -> ScopeReturn:
        """Run one state on the same target, as growth under this state.

        Args:
            function: a state function, `module.function`.
            name: its name, and the ID of the declaration.
            arguments: its arguments, which are data.

        Returns:
            The result; `status` is `failed` (with `comment`) if there is no such function, or it does not
            take the arguments.
        """
        ...

    async def apply(self, target: Srn | str, mods: Sequence[str]) -> ScopeReturn:
        """Compile SLS for another resource and run them there, as growth under this state.

        Args:
            target: an SRN or a bare id.
            mods: SLS names.

        Returns:
            The result; `status` is `failed` (with `comment`) if the SLS did not compile.

        Raises:
            UnknownResourceError: nothing is registered or declared under this name, or it was invalidated.
        """
        ...
