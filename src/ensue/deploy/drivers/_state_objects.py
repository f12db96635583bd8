"""What the states of a resource make, and what its `delete` destroys, as objects that can be compared.

The object of a state is its module and its `name` on its target: `file.absent` of a path destroys what
`file.managed` of the path makes. What an SLS makes is known by the name of the SLS. A `delete` that is no
state of the same module (an SLS, a command) undoes what was made.

Only a path identifies an object by itself, so only files and directories have one owner. As in an SLS, states
that change a part of a file may share it, and so may one that runs on a condition, or that only creates it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.managed_objects import ManagedObject
from ensue.core.masking import MASK
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.file_edits import EDITING, WHOLE
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.provisioning.canonical import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.managed_objects import Ownership
    from ensue.core.model.data import Data, DataMap

_FILE: Final = "file"
_CONDITIONS: Final = ("unless", "onlyif", "creates")
_LONGEST_DETAIL_CHARS: Final = 200
"""What identifies an object is short: a user, a host, an identifier; a content is not."""


class MadeStates(msgspec.Struct, frozen=True, kw_only=True):
    """What a resource was made with, as its cookie keeps it.

    Args:
        target: where, as the definition names it; empty: this machine.
        sls: the SLS, sorted; none: it is a state.
        function: `module.function` of the state.
        name: its name.
        details: its short arguments.
        declaration: the digest of the function, the name and all arguments.
        is_secret: whether the name has a secret in it, so that no message has it.
        is_whole: whether the state decides in every run what is at its path.
    """

    target: str = ""
    sls: list[str] = []
    function: str = ""
    name: str = ""
    details: dict[str, Any] = {}
    declaration: str = ""
    is_secret: bool = False
    is_whole: bool = False

    @property
    def module(self) -> str:
        """The module of the state; empty: it is an SLS."""
        return self.function.partition(".")[0]

    @property
    def identity(self) -> tuple[tuple[str, ...], list[str]]:
        """What tells it from other things, whatever its arguments are."""
        return self._place, self.sls

    def objects(self) -> tuple[ManagedObject, ...]:
        """Return what other resources may make as well."""
        if self.sls:
            names = ", ".join(self.sls)
            return (ManagedObject(place=(self.target, "sls", names), name=self.words, ownership="shared"),)
        return (*self.named(), *self.declared())

    def named(self) -> tuple[ManagedObject, ...]:
        """Return the object that the name is of; none where the state changes only a part of it."""
        module, _, function = self.function.partition(".")
        if self.sls or (module == _FILE and function in EDITING):
            return ()
        details = {} if module == _FILE else self.details
        ownership: Ownership = "sole" if self.is_whole else "shared"
        return (ManagedObject(place=self._place, name=self.words, details=details, ownership=ownership),)

    def declared(self) -> tuple[ManagedObject, ...]:
        """Return the declaration, which another resource may have as well; none while it is not known."""
        if self.sls or not self.declaration:
            return ()
        place = (self.target, "declared", self.declaration)
        return (ManagedObject(place=place, name=self.words, ownership="shared"),)

    @property
    def words(self) -> str:
        """The states as messages name them."""
        where = f" on {self.target}" if self.target else ""
        name = MASK if self.is_secret else self.name
        what = f"SLS {', '.join(self.sls)}" if self.sls else f"{self.function} {name}"
        return f"{what}{where}"

    @property
    def _place(self) -> tuple[str, ...]:
        parts: tuple[str, ...] = (self.name,)
        if self.module == _FILE:
            parts = tuple(posixpath.normpath(self.name).strip("/").split("/"))
        return (self.target, self.module, *parts)


def made_states(values: Mapping[str, Data], key: str, *, is_secret: bool = False) -> MadeStates | None:
    """Return what inputs make, or what an input `delete` runs; None: it is not known yet.

    Args:
        values: `state`, `name`, `arguments`, `sls` and `target`, with the params filled in.
        key: the resource, which is the default for the name.
        is_secret: whether the name has a secret in it.
    """
    arguments = values.get("arguments") or {}
    given = {name: values.get(name) for name in ("state", "name", "sls", "target")}
    if unknowns_in(given) or not is_mapping(arguments):
        return None
    target, sls = str(given["target"] or ""), given["sls"]
    if sls:
        mods = [str(sls_name) for sls_name in sls] if is_list(sls) else [str(sls)]
        return MadeStates(target=target, sls=sorted(mods))
    name = str(given["name"] or key)
    return MadeStates(
        target=target,
        function=str(given["state"]),
        name=name,
        is_secret=is_secret,
        details=_details(arguments),
        is_whole=_is_whole(str(given["state"]), arguments),
        declaration="" if unknowns_in(arguments) else digest([given["state"], name, arguments]),
    )


def destroyed_objects(made: MadeStates | None, removal: MadeStates | None) -> tuple[ManagedObject, ...]:
    """Return what a `delete` destroys.

    Args:
        made: what the resource was made with; None: an earlier version did not record it.
        removal: the input `delete`; None: it is not known.
    """
    named = () if removal is None else removal.named()
    if made is None:
        return named
    is_told = removal is not None and not removal.sls and removal.module == made.module
    undone = made.declared() if is_told else made.objects()
    words = made.words if removal is None else removal.words
    return (*named, *(msgspec.structs.replace(each, name=words) for each in undone))


def _is_whole(function: str, arguments: Mapping[str, Any]) -> bool:
    module, _, name = function.partition(".")
    is_conditional = arguments.get("replace") is False or any(word in arguments for word in _CONDITIONS)
    return module == _FILE and name in WHOLE and not is_conditional


def _details(arguments: Mapping[str, Any]) -> DataMap:
    """Return the arguments that may tell objects of one name apart."""
    return {
        str(name): value
        for name, value in arguments.items()
        if isinstance(value, (bool, int, float))
        or (isinstance(value, str) and len(value) <= _LONGEST_DETAIL_CHARS)
    }
