"""Data that may be shown: secrets masked, and only values that JSON and YAML have.

A return is masked twice: the values under its `sensitive` paths by their place, in its `changes`
too, and every secret that the masker knows by its text. The keys that ensue itself gives
(`result`, `comment`) always stay readable, even if a secret happens to be the word `result`. Names that the
author of an SLS gave (`Masker.name`) stay readable, too.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import mapped
from ensue.core.model.plain_data import plain
from ensue.core.model.sensitive_paths import hide_in_changes, hide_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.events import StateExcluded
    from ensue.core.model.returns import Return, ScopeReturn

_NOTHING_EXCLUDED: Final[Mapping[str, list[StateExcluded]]] = MappingProxyType({})
_STATES: Final = {"changes": hide_in_changes, "new_state": hide_paths, "old_state": hide_in_changes}


def presentable(data: Any, masker: Masker) -> Any:
    r"""Return data masked, and made of mappings, lists and scalars alone: a copy where anything changes.

    Bytes become text (what is not UTF-8 in them as `\xNN`), sets become sorted lists, keys become
    strings, and anything else, such as an `Unknown`, becomes its `str`.
    """
    return plain(masker.data(data))


def excluded_by_scope(states: Iterable[StateExcluded]) -> Mapping[str, list[StateExcluded]]:
    """Return the states that a run leaves out, by the path of their scope."""
    by_scope: dict[str, list[StateExcluded]] = {}
    for state in states:
        by_scope.setdefault(state.scope, []).append(state)
    return by_scope


def excluded_data(excluded: StateExcluded, masker: Masker) -> dict[str, Any]:
    """Return a state that a run leaves out as `--out json` shows it."""
    return {
        "name": state_name(excluded.name, excluded.id, masker),
        "changes": {},
        "result": None,
        "comment": masker.name(excluded.comment),
        "status": "excluded",
        "__id__": masker.name(excluded.id),
        "__sls__": excluded.sls,
        "__scope__": masker.name(excluded.scope),
        "__target__": excluded.target,
    }


def return_data(
    returned: Return,
    masker: Masker,
    excluded: Mapping[str, list[StateExcluded]] = _NOTHING_EXCLUDED,
    *,
    is_plain: bool = False,
) -> dict[str, Any]:
    """Return a return as `--out json` shows it, with everything it caused.

    Args:
        returned: the return.
        masker: the secrets of the process.
        excluded: the states that the run leaves out, by the path of their scope.
        is_plain: whether its name and its comment are known to contain nothing that is masked.
    """
    shown = returned.own_data()
    if not is_plain:
        shown["__id__"] = masker.name(returned.id)
        shown["__scope__"] = masker.name(returned.scope)
        shown["name"] = state_name(returned.name, returned.id, masker)
        shown["comment"] = state_comment(returned, masker)
    for key, hide in _STATES.items():
        if shown[key]:
            shown[key] = presentable(hide(shown[key], returned.sensitive), masker)
    _mask_further(shown, returned, masker)
    for key, scopes in (("delayed", returned.delayed), ("applied", returned.applied)):
        if scopes:
            shown[key] = [_scope_data(scope, masker, excluded) for scope in scopes]
    return shown


def _mask_further(shown: dict[str, Any], returned: Return, masker: Masker) -> None:
    """Mask what few returns have."""
    if returned.drift:
        shown["drift"] = presentable(returned.drift, masker)
    if returned.drift_by:
        shown["drift_by"] = masker.name(returned.drift_by)
    if returned.foreseen:
        shown["foreseen"] = foreseen_data(returned, masker)
    if returned.handled_by:
        shown["handled_by"] = masker.name(returned.handled_by)
    if returned.handles:
        shown["handles"] = [*map(masker.tag, returned.handles)]
    if returned.preview:
        shown["preview"] = masker.text(returned.preview)
    if returned.warnings:
        shown["warnings"] = [masker.text(warning) for warning in returned.warnings]


def foreseen_data(returned: Return, masker: Masker) -> dict[str, Any]:
    """Return what a state would register, and what would then be applied; all of its texts are names."""
    shown: dict[str, Any] = mapped(
        returned.foreseen or {}, lambda value: masker.name(value) if isinstance(value, str) else value
    )
    return shown


def state_name(name: str, id_: str, masker: Masker) -> str:
    """Return the name of a state to show: a value of its author's or of pillar, unless it is its ID."""
    return masker.name(name) if name == id_ else masker.text(name)


def state_comment(returned: Return, masker: Masker) -> str:
    """Return the comment of a state to show; that of a state that was not called has only names in it."""
    return masker.text(returned.comment) if returned.ran else masker.name(returned.comment)


def returns_data(
    returns: Mapping[str, Return],
    masker: Masker,
    excluded: Mapping[str, list[StateExcluded]] = _NOTHING_EXCLUDED,
    scope: str = "",
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the returns of one scope by tag, and what it leaves out, as `--out json` shows them.

    Args:
        returns: the returns.
        masker: the secrets of the process.
        excluded: the states that the run leaves out, by the path of their scope.
        scope: the path of the scope.
    """
    taken: set[str] = set()
    for tag, returned in returns.items():
        # Asked once for all of these texts: nearly always there is nothing in any of them.
        is_plain = masker.has_nothing_in(tag, returned.id, returned.scope, returned.name, returned.comment)
        key = _free_key(tag if is_plain else masker.tag(tag), taken)
        taken.add(key)
        yield key, return_data(returned, masker, excluded, is_plain=is_plain)
    for state in excluded.get(scope, ()):
        key = _free_key(masker.tag(state.tag_), taken)
        taken.add(key)
        yield key, excluded_data(state, masker)


def _free_key(key: str, taken: set[str]) -> str:
    """Return a key that is not taken: two tags that differ only in a secret are equal when masked."""
    free, count = key, 1
    while free in taken:
        count += 1
        free = f"{key}#{count}"
    return free


def _scope_data(
    scope: ScopeReturn, masker: Masker, excluded: Mapping[str, list[StateExcluded]]
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "kind": scope.kind,
        "name": masker.name(scope.name),
        "scope": masker.name(scope.scope),
        "status": scope.status,
        "comment": masker.text(scope.comment),
        "returns": dict(returns_data(scope.returns, masker, excluded, scope.scope)),
    }
    if scope.target:
        shown["target"] = scope.target
    return shown
