"""The state functions that the compiler knows: of the target's type, and of those that a `tgt` may match."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.signature import Signature, WrittenText
from ensue.core.errors import EnsueError, NotAvailableError
from ensue.core.model.srn import TYPE_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ensue.language.functions.functions import Functions
    from ensue.language.functions.type_functions import TypeLoaders

_ONE_TYPE: Final = re.compile(r"\s*T@([a-z_][a-z0-9_]*)(:[^\s()]*)?\s*\Z")


class StateCatalog:
    """A `FunctionCatalog` of one target.

    Args:
        loaders: the functions of all types.
        type_name: the target's type.
    """

    def __init__(self, loaders: TypeLoaders, type_name: str) -> None:
        self._loaders = loaders
        self._type_name = type_name
        self._own: Functions = loaders.of("states", type_name)

    def signature(self, module: str, function: str) -> Signature | None:
        """Return what a function accepts on the target itself."""
        signature = self._own.signature(module, function)
        if signature is None and (why := self._own.why_missing(module, function)):
            raise NotAvailableError(f"{module}.{function} is not available for {self._type_name}: {why}")
        return signature

    def fanned_signature(self, module: str, function: str, target: str) -> Signature | None:
        """Return what a function accepts on the resources that a `tgt` may match."""
        own = self._own.signature(module, function)
        only = self._only_type(target)
        if only is not None:
            signature = only.signature(module, function)
            if signature is None and own is not None:
                match = _ONE_TYPE.match(target)
                why = only.why_missing(module, function)
                msg = f"{module}.{function} is not available for {match[1] if match else target}"
                raise NotAvailableError(f"{msg}: {why}" if why else msg)
            return signature
        offered = [
            own,
            *(functions.signature(module, function) for functions in self._loaders.known("states")),
        ]
        return _any_of([signature for signature in offered if signature is not None])

    def new_state_keys(self, module: str, function: str) -> Collection[str]:
        """Return the keys that the `new_state` of a function of ensue may have, from docs/new-state.md."""
        from ensue.language.functions.new_state_page import declared_keys

        return declared_keys(module, function)

    def _only_type(self, target: str) -> Functions | None:
        """Return the functions of the only type that a target can match; None if there may be several."""
        match = _ONE_TYPE.match(target)
        if match is None:
            return None
        try:
            return self._loaders.of("states", TYPE_ALIASES.get(match[1], match[1]))
        except EnsueError:
            # A type that does not exist is reported as an error of the target.
            return None

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the function that is called when a watched state has changed; None if there is none."""
        return self._own.mod_watch(module)

    @property
    def hint(self) -> str:
        """What a user may do about a missing function."""
        return self._own.hint

    def near(self, module: str, function: str) -> Sequence[str]:
        """Return names that a user may have meant, best first."""
        return self._own.near(module, function)


def _any_of(signatures: Sequence[Signature]) -> Signature | None:
    """Return what at least one of several functions accepts, and what all of them need and do."""
    different = [each for place, each in enumerate(signatures) if each not in signatures[:place]]
    if len(different) <= 1:
        return different[0] if different else None
    return Signature(
        names=frozenset(chain.from_iterable(each.names for each in different)),
        required=different[0].required.intersection(*(each.required for each in different)),
        accepts_any=any(each.accepts_any for each in different),
        takes_words=any(each.takes_words for each in different),
        others_with=next((each.others_with for each in different if each.others_with), ""),
        outdated={name: instead for each in different for name, instead in each.outdated.items()},
        absorbs_any=any(each.absorbs_any for each in different),
        is_ours=all(each.is_ours for each in different),
        edits_part=all(each.edits_part for each in different),
        writes=WrittenText(
            texts=_in_all([each.writes.texts for each in different]),
            whole=_in_all([each.writes.whole for each in different]),
        ),
    )


def _in_all(lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for name in lists[0] if all(name in names for names in lists))
