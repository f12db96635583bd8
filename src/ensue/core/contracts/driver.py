"""Drivers provision the resources of a deployment.

A driver is a module with the functions of `Driver`. It is found in a project's `_drivers/` folder, among
ensue's own, or under the entry point group `ensue.drivers`. All functions are coroutines; an `EnsueError`
that one raises fails the resource, and its record stays as it was.

`ensue doc` shows the docstring of the module; its section `Args` documents the inputs (`values.NAME`).

Optional names of the module:

- `IS_PURE = True`: the outputs depend on the inputs alone, and nothing outside changes. Its `create` may
  be called at any time, also in a plan, and its `delete` is never called.
- `ALWAYS_CALLED = True`: `update` is called even though no input has changed; the driver determines
  itself whether there is anything to do, and reports that in `Provisioned.changed`.
- `PLAN_IS_PURE = True`: `plan` reads nothing outside, and may be called at any time.
- `OUTPUTS: Collection[str]`: the names of all outputs that it may return. A resource that uses another one
  is refused before anything is provisioned.
- `ROTATES = True`: it makes a new password for a resource that is there if `DriverRequest.rotates` says so.
- `KEEPS_FIRST = True`: it stores a cookie (`services.keep`) before it makes anything, so that nothing was
  made for a resource whose create has stored none.
- `def leaves(cookie) -> bool`: whether `delete` with this cookie does nothing, so that what was made stays,
  and is reported as left as it is. Default: no.
- `def managed(cookie) -> Sequence[ManagedObject]`: what outside was made for a resource.
  `def manages(request)` is the same for inputs, as far as they are known, and is called before anything is
  provisioned; `def destroys(cookie)` is what `delete` destroys. A removal that would destroy what another
  resource has made is refused, and a plan names what a removal destroys. Two resources with the same object
  are refused, unless its `ownership` says that they may share it.
- `def check(request) -> list[str]`: errors in the inputs, one sentence each, before anything is provisioned.
  A value that is not known yet is an `ensue.core.model.unknown.Unknown`.
- `async def fingerprint(request) -> str`: what the result depends on in addition to the inputs, such as the
  content of a folder.
- `CODE: Mapping[str, CodeKind]`: which inputs below `values` and `secrets` it reads as code, and in which
  language: `{"script": "hcl"}`. An author may put outputs of other resources into such a text. Outputs are
  data: a value that could have a meaning in that language is refused before the driver is called. Values of
  the definition's author and of the context are not checked.
- `INSERTS_AS_DATA = True`: the driver itself handles outputs in the templates among its code, with
  `DriverRequest.foreign_parts`; they are not checked before.

Source: resource graph document, "Building and executing"; Humanitec, "Drivers" (create, update, delete,
cookie).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import msgspec

from ensue.core.errors import DestructionRefusedError, ForeignOwnerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import Return, ScopeReturn


CodeKind: TypeAlias = Literal["jinja", "go-template", "hcl", "yaml", "shell-words"]
"""The language of an input that is code. With `hcl`, only those of several files that Terraform reads as
such are code; with `shell-words`, only one text is, not a list of words."""

InputPath: TypeAlias = "tuple[str | int, ...]"
"""Where an input or a result is: the field (`values`, `secrets`), and the keys and indices below."""


class ForeignPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an input that is an output of another resource.

    Args:
        placeholder: as the author wrote it (`${resources.dns.outputs.host}`).
        resource: the resource that has the output.
        start: where it begins in its text, in characters.
        end: where it ends; None: it is the whole value, whatever its type.
        is_text: whether the output was a text; else its JSON is in the text.
        is_secret: whether the output is secret, where it is a part of a text.
    """

    placeholder: str
    resource: str
    start: int = 0
    end: int | None = None
    is_text: bool = True
    is_secret: bool = False


class DriverServices(Protocol):
    """What a driver may use of the run that calls it."""

    @property
    def vault(self) -> Vault:
        """Encrypts the data that the driver stores in its directory."""
        ...

    @property
    def masker(self) -> Masker:
        """Receives every secret that the driver learns, before the driver uses the secret."""
        ...

    async def keep(self, cookie: DataMap) -> None:
        """Store a cookie durably at once: what has been created so far, in case this process is killed."""
        ...

    async def run_state(
        self, function: str, name: str, arguments: Mapping[str, Data], *, target: str = ""
    ) -> ScopeReturn:
        """Run one state as growth under the resource, with all that a state has: journal, test mode, secrets.

        Args:
            function: `module.function`.
            name: the state's ID and name.
            arguments: its arguments; data, never a template or a reference.
            target: an SRN or a bare id; empty: this machine.

        Raises:
            UnknownResourceError: there is no such target.
        """
        ...

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:
        """Compile SLS and run them as growth under the resource.

        Args:
            mods: SLS names.
            target: an SRN or a bare id; empty: this machine.

        Raises:
            UnknownResourceError: there is no such target.
        """
        ...

    def things_of(self, returned: Return) -> Sequence[str]:
        """Return what a state makes and another could undo: paths, or `MODULE:NAME`; else nothing."""
        ...


NEW_STORE: Final = "new"
"""The id of a store that gets its own with the first deployment; nothing is marked with it."""


def lifts_protection(key: object) -> str:
    """Return how to allow that a protected resource, named by its key, is destroyed."""
    return (
        f"deploy it once with `protect: false`, or lift it this time: `ensue deploy` takes --unprotect={key}"
    )


def _ignored(things: Sequence[str]) -> None:
    """Note nothing of what an update destroys."""


class DriverRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a resource.

    For `delete` there are no inputs any more: `params`, `values` and `secrets` are empty. Whatever a
    driver needs to delete a resource is in its cookie or in its directory.

    Args:
        type: the resource type (`postgres`).
        class_: the resource class (`default`).
        id: the resource id (`modules.web.externals.db`).
        guresid: its globally unique id, 32 hexadecimal digits; the same in every deployment of the
            environment.
        context: `org.id`, `app.id`, `env.id` and `env.type`.
        params: the parameters of the request; of a workload its module in the form of a
            deployment set.
        values: the plain inputs, `driver_inputs.values`; a mapping unless the definition says otherwise.
        secrets: the secret inputs, those of `secret_refs` among them.
        account: the account that the definition names; None: none.
        directory: the folder of the resource below the cachedir, mode 0700; made by the driver when needed.
        root: the project's folder, for paths in the inputs.
        services: the services of the run.
        owner: the id of the store that has the record of the resource. A driver writes it into the mark of
            everything that it makes outside, next to `guresid`, and leaves alone what has the mark of another
            store; see `refuse_foreign`. In the plan of a first deployment it is `NEW_STORE`.
        may_adopt: whether the resource may be taken over from another store (`ensue deploy --adopt`).
        may_replace: whether an update may destroy what was made (`ensue deploy --allow-replace`); see
            `refuse_destruction`.
        is_protected: whether the resource may not be destroyed (`protect: true` in its definition).
        has_dependencies: whether it depends on other resources, which may make what it uses.
        rotates: whether an update makes a new password (`ensue deploy --rotate`); only for a driver with
            `ROTATES`. Store it durably (`services.keep`) before it takes effect.
        cookie: the cookie of the last create or update; None: there is none.
        was_interrupted: an earlier call began, and its outcome is unknown; check what exists before
            creating anything.
        foreign: which parts of the values and secrets are outputs of other resources; see `foreign_parts`.
        sensitive: which other inputs are secret, too: each path begins with `account`, `params` or `values`.
        note_destruction: receives what an update destroys, once it may; `refuse_destruction` calls it.
    """

    type: str
    class_: str
    id: str
    guresid: str
    context: Mapping[str, str]
    params: Data
    values: Data
    secrets: Data
    account: Data
    directory: Path
    root: Path
    services: DriverServices
    owner: str
    may_adopt: bool = False
    may_replace: bool = False
    is_protected: bool = False
    has_dependencies: bool = False
    rotates: bool = False
    cookie: DataMap | None = None
    was_interrupted: bool = False
    foreign: Mapping[InputPath, tuple[ForeignPart, ...]] = MappingProxyType({})
    sensitive: tuple[InputPath, ...] = ()
    note_destruction: Callable[[Sequence[str]], None] = _ignored

    @property
    def key(self) -> str:
        """The resource as messages name it: `TYPE.CLASS#ID`."""
        return f"{self.type}.{self.class_}#{self.id}"

    def refuse_foreign(self, what: str, owner: str) -> None:
        """Raise an error if a thing belongs to another store and may not be taken over.

        Call it before the thing, or anything kept of it, is changed. Of a thing that has a mark without an
        owner, because an older version made it, the cookie is the proof that it is this store's.

        Args:
            what: the thing as messages name it (`the database shop`).
            owner: the id of the store in its mark; empty: the mark names none.

        Raises:
            ForeignOwnerError: it belongs to another store; the error names that and what to do.
        """
        if self.may_adopt or owner == self.owner:
            return
        own = "this store is new" if self.owner == NEW_STORE else f"this is the store {self.owner}"
        whose = f"belongs to the store {owner}" if owner else "has a mark that names no store"
        remedies = [
            f"deploy from the project that {'has that store' if owner else 'made it'}",
            f"or take the resource over with `--adopt={self.key}`",
        ]
        if self.cookie is not None:
            remedies.append(f"or drop the record of this store with `--forget {self.key}`")
        raise ForeignOwnerError(f"{what} {whose}, and {own} ({', '.join(remedies)})")

    def refuse_destruction(self, things: Sequence[str]) -> None:
        """Raise an error if an update would destroy what was made, and nobody has allowed that.

        Call it in `update` before anything is changed, with what would be destroyed or made anew. The
        deployment then asks, and calls `update` again with `may_replace` if the answer is yes. If it may be
        destroyed, the deployment reports the resource as replaced.

        Args:
            things: what would be destroyed, as messages name it; none: nothing.

        Raises:
            DestructionRefusedError: it may not be destroyed, or it is protected.
        """
        if not things:
            return
        what = f"would destroy {', '.join(things)}"
        if self.is_protected:
            message = f"{what}, and {self.key} is protected ({lifts_protection(self.key)})"
            raise DestructionRefusedError(message, things=things, is_protected=True)
        if not self.may_replace:
            message = f"{what} (if that is meant, allow it: --allow-replace={self.key})"
            raise DestructionRefusedError(message, things=things)
        self.note_destruction(things)

    def foreign_parts(self, path: InputPath) -> tuple[ForeignPart, ...]:
        """Return the parts of an input that are outputs of other resources, in order; empty: it has none.

        Args:
            path: where the input is, such as `("values", "templates", "init")`.
        """
        if not self.foreign:
            return ()
        above = (self.foreign.get(path[:size]) for size in range(len(path) + 1))
        return next((parts for parts in above if parts), ())


class InputRemark(msgspec.Struct, frozen=True, kw_only=True):
    """A remark about an input, which messages show with the place of the input in its definition.

    Args:
        text: a sentence for a person, without secrets.
        path: the input.
    """

    text: str
    path: InputPath


class Provisioned(msgspec.Struct, frozen=True, kw_only=True):
    """A resource as a driver provisioned it.

    All of it is data that the store can keep: text, numbers of up to 64 bits, booleans, null, bytes, lists
    and mappings, whose keys become text. Anything else fails the resource.

    Args:
        values: plain outputs by name.
        secrets: secret outputs by name; merged with `values` into one mapping, in which they are marked.
        cookie: data for the next update and the delete; encrypted at rest. None: the cookie stays as it
            was.
        manifests: Kubernetes manifests that belong to workloads using the resource, by file name:
            `{"location": LOCATION, "data": manifest}`; the location is `namespace`, `cluster`, or where in
            the pod of the workload it goes: `volumes`, `containers`.
        registers: resources that can be targeted from now on: SRN to configuration.
        changed: whether anything was changed; None: unknown, which counts as yes.
        comment: one sentence for a person; may be empty.
        sensitive: the paths of further secrets, such as values that are computed from secret inputs; each
            begins with `manifests` or `values`.
        warnings: remarks for a person, without secrets; those about an input have its place.
    """

    values: DataMap = msgspec.field(default_factory=dict[str, "Data"])
    secrets: DataMap = msgspec.field(default_factory=dict[str, "Data"])
    cookie: DataMap | None = None
    manifests: DataMap = msgspec.field(default_factory=dict[str, "Data"])
    registers: Mapping[str, DataMap] = msgspec.field(default_factory=dict[str, "DataMap"])
    changed: bool | None = None
    comment: str = ""
    sensitive: tuple[InputPath, ...] = ()
    warnings: tuple[str | InputRemark, ...] = ()


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """What a driver would do.

    Args:
        comment: one sentence (`would create the database shop`).
        would_change: whether it would change anything.
        destroys: what an update would destroy or make anew, as messages name it.
        outputs: the outputs if they are known already; None: only provisioning determines them.
        looked: whether the driver has looked at what it has made. If not, and the inputs are the same, the
            plan compares what depends on the resource with the outputs of the last call.
        changes: what it would change in what is there: a mapping of `{"old": …, "new": …}` or of texts, such
            as a diff; may be nested. Secrets in it are hidden.
        warnings: remarks for a person, without secrets; those about an input have its place.
    """

    comment: str = ""
    would_change: bool = True
    destroys: tuple[str, ...] = ()
    outputs: Provisioned | None = None
    looked: bool = True
    changes: DataMap = {}
    warnings: tuple[str | InputRemark, ...] = ()


class Driver(Protocol):
    """Provisions resources. The docstring of this module lists the optional names."""

    async def create(self, request: DriverRequest) -> Provisioned:
        """Create a resource.

        The same request may come twice if the process was killed in between (`was_interrupted`): the driver
        finds and keeps what it created the first time, and never creates it again.

        Raises:
            DriverError: it cannot be created.
        """
        ...

    async def update(self, request: DriverRequest) -> Provisioned:
        """Bring an existing resource to the state that its inputs now describe.

        The cookie may be that of another definition, or of other inputs, with the same driver. An update that
        would destroy something asks first (`DriverRequest.refuse_destruction`).

        Raises:
            DestructionRefusedError: it would destroy something, and that is not allowed.
            DriverError: it cannot be changed; it is as it was.
        """
        ...

    async def delete(self, request: DriverRequest) -> None:
        """Remove a resource; if it is gone already, that is not an error.

        A resource is removed in the way of its last successful create or update, whatever later attempts were
        given; what such an attempt has made is removed, too.

        Raises:
            DriverError: it cannot be removed.
        """
        ...

    async def plan(self, request: DriverRequest) -> Planned:
        """Return what create or update would do; changes nothing. Inputs may contain `Unknown`.

        Raises:
            DriverError: it cannot be determined.
        """
        ...
