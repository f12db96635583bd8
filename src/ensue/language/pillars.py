"""The compiled pillar of every target, in one form for templates and one for everything else.

In templates, pillar carries marks on the texts that an author wrote (`ensue.language.authored_text`), and on
references and slots in them (`ensue.language.authored`), because a template may print them into an SLS.
States, functions and matchers see plain text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.model.data import copied, is_mapping
from ensue.language.merging import merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.srn import Srn


class CompiledPillar(msgspec.Struct, frozen=True):
    """The pillar of one target.

    Args:
        plain: the pillar without marks.
        as_written: the pillar with the marks of its authors, for templates; the same object if it has none.
    """

    plain: dict[str, Any]
    as_written: dict[str, Any]

    @classmethod
    def of(cls, compiled: dict[str, Any]) -> CompiledPillar:
        """Return a compiled pillar in both forms, without marks and with them."""
        from ensue.language.marks import unmarked

        return cls(unmarked(compiled), compiled)


class Pillars:
    """The pillars of one project.

    Args:
        minion: the managing minion. A resource has the minion's pillar with its own merged over it.
        resources_key: the key below which pillar declares resources.
        override: merged last (`--pillar`); the user who runs the command is its author.

    Attributes:
        warnings: those of all compilations since the minion's last one, each once.
    """

    def __init__(self, minion: Srn, resources_key: str, override: Mapping[str, Any]) -> None:
        self.override = override
        self.override_as_written: Mapping[str, Any] = _as_written(override)
        self.warnings: tuple[Diagnostic, ...] = ()
        self._minion = minion
        self._key = resources_key
        self._plain: dict[Srn, dict[str, Any]] = {}
        self._as_written: dict[Srn, dict[str, Any]] = {}
        self._merged: dict[tuple[Srn, bool], dict[str, Any]] = {}
        # Resources whose own pillar is the same object share the merged result. That object is kept with the
        # result, so that no other object gets its id.
        self._shared: dict[tuple[int, bool], tuple[dict[str, Any], dict[str, Any]]] = {}

    def __contains__(self, target: object) -> bool:
        """Return whether a target's own pillar has been compiled."""
        return target in self._plain

    def warn(self, target: Srn, warnings: Iterable[Diagnostic]) -> None:
        """Add the warnings of compiling a target's pillar; those of the minion replace all others."""
        before = () if target == self._minion else self.warnings
        self.warnings = tuple(dict.fromkeys((*before, *warnings)))

    def put(self, target: Srn, compiled: CompiledPillar) -> None:
        """Store a target's compiled pillar."""
        if target == self._minion:
            self._shared.clear()
        self._plain[target] = compiled.plain
        self._as_written.pop(target, None)
        if compiled.as_written is not compiled.plain:
            self._as_written[target] = compiled.as_written
        for as_written in (False, True):
            self._merged.pop((target, as_written), None)

    def of(self, target: Srn) -> dict[str, Any] | None:
        """Return a target's pillar; None until it has been compiled."""
        return self._of(target, as_written=False)

    def as_written(self, target: Srn) -> dict[str, Any]:
        """Return a target's pillar with the marks of its authors; empty until it has been compiled."""
        has_marks = bool(self._as_written) or self.override_as_written is not self.override
        return self._of(target, as_written=has_marks) or {}

    def _of(self, target: Srn, *, as_written: bool) -> dict[str, Any] | None:
        if target not in self._plain:
            return None
        if target == self._minion:
            return self._own(target, as_written=as_written)
        key = (target, as_written)
        if key not in self._merged:
            own = self._own(target, as_written=as_written)
            shared = self._shared.get((id(own), as_written))
            if shared is None:
                shared = own, self._on_top_of_minions(target, as_written=as_written)
                self._shared[id(own), as_written] = shared
            self._merged[key] = shared[1]
        return self._merged[key]

    def _own(self, target: Srn, *, as_written: bool) -> dict[str, Any]:
        plain = self._plain[target]
        return self._as_written.get(target, plain) if as_written else plain

    def _on_top_of_minions(self, target: Srn, *, as_written: bool) -> dict[str, Any]:
        """Return a copy of the minion's pillar with a resource's own pillar merged over it.

        The declarations of resources are shared: one copy per resource would grow with their square.
        """
        rest = dict(self._own(self._minion, as_written=as_written))
        declared = rest.pop(self._key, None)
        own = self._own(target, as_written=as_written)
        merged = merge(merge(rest, own), self.override_as_written if as_written else self.override)
        if self._key in merged and is_mapping(declared) and is_mapping(merged[self._key]):
            merged[self._key] = merge(declared, merged[self._key])
        elif declared is not None:
            merged.setdefault(self._key, declared)
        return merged


def _as_written(override: Mapping[str, Any]) -> Mapping[str, Any]:
    if not override:
        return override
    from ensue.language.authored import mark_data
    from ensue.language.authored_text import authored

    return authored(mark_data(copied(dict(override))))  # type: ignore[no-any-return] # a mapping, as before
