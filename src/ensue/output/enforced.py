"""The enforced states as data to print: by target, then by tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.output.presentable import presentable, state_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.masking import Masker
    from ensue.store.registry.enforced_views import ShownState


def enforced_data(
    entries: Iterable[ShownState], minion_id: str, masker: Masker, *, with_own: bool = True
) -> dict[str, Any]:
    """Return the entries as `{target: {tag: entry}}`.

    Args:
        entries: in order of target, environment, scope and tag.
        minion_id: what this machine is called; it comes first, and has no SRN, as in all output.
        masker: the secrets of the process.
        with_own: whether this machine is there without an entry, too.

    Returns:
        An entry has `function`, `id`, `name`, `sls`, `new_state` and `run`, `environment` if there is one,
        `is_former` if it is true, and `target_exists` if it is false; the tag of one in a scope of delayed
        rendering has the scope's path and a slash before it; the identity of the scope instead if another
        entry has the same path. The tag of one of an environment has that after it.
    """
    own = str(Srn(MINION_TYPE, minion_id))
    document: dict[str, Any] = {minion_id: {}} if with_own else {}
    for entry in entries:
        state = entry.state
        target = document.setdefault(minion_id if entry.target == own else entry.target, {})
        tag = masker.tag(state.tag)
        if entry.environment:
            tag = f"{tag} {entry.environment}"
        key = f"{masker.name(entry.scope)}/{tag}" if entry.scope else tag
        if entry.scope and key in target:
            key = f"{masker.name(entry.identity)}/{tag}"
        shown: dict[str, Any] = {
            "function": f"{state.module}.{state.function}",
            "id": masker.name(state.id),
            "name": state_name(state.name, state.id, masker),
            "sls": state.sls,
            "new_state": presentable(state.new_state, masker),
            "run": entry.run_id,
        }
        if entry.is_former:
            shown["is_former"] = True
        if entry.environment:
            shown["environment"] = entry.environment
        if not entry.target_exists:
            shown["target_exists"] = False
        target.setdefault(key, shown)
    return document
