"""Collects the problems of a workload, and reads its values while collecting them.

Messages name places of the module as update operations do (`/spec/containers/main/image`). They never contain
a value, because it may be a secret.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.data import is_list, is_mapping
from ensue.workload_output.pointers import write_pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.core.diagnostics import Span
    from ensue.workload_output.pointers import Path


class Findings:
    """Collects the problems of one workload.

    Args:
        workload: its name.
        place: where it is declared.
    """

    def __init__(self, workload: str, place: Span | None) -> None:
        self._noted: dict[tuple[str, str], Diagnostic] = {}
        self._workload = workload
        self._place = place

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The problems in the order in which they were found, each once."""
        return list(self._noted.values())

    def wrong(self, what: str, path: Path = (), help_: str = "") -> None:
        """Record a problem that makes it impossible to render the workload.

        Args:
            what: what is wrong, a predicate without a subject.
            path: the place in the module; empty: the workload.
            help_: how to mend it.
        """
        self._note("E0831", f"cannot be rendered: {_at(path)}{what}", help_, Severity.ERROR)

    def exposes(self, paths: Sequence[str], help_: str) -> None:
        """Record secrets of the module that would be readable."""
        shown = ", ".join(write_pointer(tuple(path.split(":"))) if path else "all of it" for path in paths)
        self._note("E0832", f"has secrets where everybody can read them: {shown}", help_, Severity.ERROR)

    def exposes_in_manifest(self, manifest: str, kind: str) -> None:
        """Record a secret in a resource's manifest of another kind than Secret."""
        self._note(
            "E0832",
            f"gets the manifest {manifest!r} of kind {kind}, which has a secret in it",
            "put the secret into a manifest of `kind: Secret`",
            Severity.WARNING,
        )

    def unknown(self, path: Path, known: Iterable[str]) -> None:
        """Record an unknown key."""
        import difflib

        near = difflib.get_close_matches(path[-1], list(known), n=3, cutoff=0.6)
        help_ = f"did you mean {' or '.join(near)}?" if near else "it is left out"
        self._note("E0833", f"has the key {write_pointer(path)}, which is not known", help_, Severity.WARNING)

    def left_out(self, what: str, why: str) -> None:
        """Record something that the format cannot express."""
        self._note("E0834", f"is rendered without {what}", "", Severity.WARNING, detail=why)

    def mapping(self, value: Any, path: Path) -> dict[str, Any]:
        """Return a mapping, empty if the value is null or wrong."""
        if is_mapping(value):
            return value
        if value is not None:
            self.wrong("is not a mapping", path)
        return {}

    def items(self, value: Any, path: Path) -> list[Any]:
        """Return a list, empty if the value is null or wrong."""
        if is_list(value):
            return value
        if value is not None:
            self.wrong("is not a list", path)
        return []

    def words(self, value: Any, path: Path) -> list[str]:
        """Return a list of texts, such as a command."""
        return [text_of(item) for item in self.items(value, path)]

    def texts(self, value: Any, path: Path) -> dict[str, str]:
        """Return a sorted mapping of texts, such as labels. Nulls are left out."""
        read = self.mapping(value, path)
        return {name: text_of(read[name]) for name in sorted(read) if read[name] is not None}

    def number(self, value: Any, path: Path, least: int, most: int) -> int | None:
        """Return a whole number within bounds, None if it is not one."""
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= len(str(most)):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.wrong(f"is not a number from {least} to {most}", path)
        return None

    def _note(self, code: str, what: str, help_: str, severity: Severity, *, detail: str = "") -> None:
        summary = f"the workload {self._workload!r} {what}"
        diagnostic = Diagnostic(
            code=code, summary=summary, detail=detail, help=help_, span=self._place, severity=severity
        )
        self._noted.setdefault((code, summary), diagnostic)


def text_of(value: Any) -> str:
    """Return a value as text: a text as it is, null as empty, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _at(path: Path) -> str:
    return f"{write_pointer(path) or 'it'} "
