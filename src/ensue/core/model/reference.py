"""References to returns of other states: parsed, and resolved to the states that produce them.

Source: Idem's argument binding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.core.diagnostics import Span
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.property_path import Step
    from ensue.core.model.source_document import Located, SourceDocument


class Reference(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`${path:id[name]:property}` as it is written, or `${minion[id]:path:id[name]:property}`.

    Args:
        text: as it is written, `${` and `}` included.
        path: a state's module path, or a dotted prefix of it.
        id: the ID or name of a state.
        selector: the name of one of several instances; None when none is named.
        property: the property path as it is written.
        steps: the segments of the property path; empty for the whole `new_state`.
        minion: the minion that the state is on; empty: the machine of the state that has the reference.
    """

    text: str
    path: str
    id: str
    selector: str | None = None
    property: str = ""
    steps: tuple[Step, ...] = ()
    minion: str = ""


class Binding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A reference and the state that it refers to.

    Args:
        reference: the reference.
        producer: the place of that state in the plan; None when it is not in this run.
        enforced: the result of the last apply, for a state that is not in this run.
    """

    reference: Reference
    producer: int | None = None
    enforced: EnforcedState | None = None


class BoundText(msgspec.Struct, frozen=True, gc=False):
    """A text in a chunk's arguments that contains references or escapes; equal texts of chunks share it.

    Args:
        pieces: its parts in order: references, and `str` for literal text.
        keys: the keys that lead to it.
        document: the file that contains it; None: below the chunk's own place.
    """

    pieces: tuple[str | Binding, ...]
    keys: tuple[str | int, ...]
    document: SourceDocument | None = None

    def span(self, reference: Reference, chunk: Located) -> Span:
        """Return the place of the line that contains a reference of this text.

        Args:
            reference: the reference.
            chunk: the chunk whose argument it is.
        """
        if self.document is not None:
            return self.document.locate_text(self.keys, reference.text)
        return chunk.document.locate_text((*chunk.keys, *self.keys), reference.text)
