"""`META`: what Idem's trees say about a file or a state, for people and tools. It is never run.

It is a key beside the IDs of an SLS, or beside the function of a state. `ensue show high` shows it.

Source: Idem 25, the resolver of `META`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

META: Final = "META"
"""The word."""

_FUNCTION: Final = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")


def metadata_of(data: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the `META` of an SLS by ID; the file's own `META` has the empty ID.

    Args:
        data: the rendered data of the SLS.
    """
    metadata = {"": data[META]} if META in data else {}
    for id_, body in data.items():
        if id_ != META and is_mapping(body) and META in body:
            metadata[str(id_)] = body[META]
    return metadata


def warn_of_state(data: Mapping[Any, Any], document: YamlDocument, collector: Collector) -> None:
    """Warn of a file's `META` that looks like a state: it may be meant as one, and is not run."""
    body = data.get(META)
    keys = [body] if isinstance(body, str) else map(str, body) if is_mapping(body) else ()
    function = next(filter(_FUNCTION.fullmatch, keys), None)
    if function is not None:
        collector.warning(
            "E0315",
            f"{META} is not a state: {function} is not run",
            document.locate((META,)),
            detail="this key holds metadata, as in Idem",
            help="give a state another ID",
        )
