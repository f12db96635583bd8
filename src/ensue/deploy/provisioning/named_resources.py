"""Placeholders that use a resource's name in the file: `${resources.db.host}`, `${externals.db.host}`.

Source: resource graph document, step 1 of "Building and executing"; Score's `${resources.NAME.OUTPUT}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.deploy.provisioning.identity import Descriptor
from ensue.deploy.provisioning.placeholder_values import PathRefusal, ResourceReference
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.placeholder_values import FromOutside, Meaning, PathPart

_CUTOFF: Final = 0.5
"""Lower than difflib's default, so that `bd` finds `db`."""


def by_name(
    root: str, keys: Mapping[str, ResourceKey], outside: Mapping[str, FromOutside] | None = None
) -> Callable[[Sequence[PathPart]], Meaning | PathRefusal]:
    """Return a reader of the paths below a root, whose first word is a resource's name.

    Args:
        root: the root (`externals`), for messages.
        keys: the names to the resources.
        outside: the names of values that are not resources.
    """
    values = outside or {}

    def read(path: Sequence[PathPart]) -> Meaning | PathRefusal:
        if not path:
            return PathRefusal("it names no resource", f"write ${{{root}.NAME.OUTPUT}}")
        name, *rest = (part.text for part in path)
        if name in values:
            return values[name]._replace(path=(name, *rest))
        key = keys.get(name)
        if key is None:
            close = near_names(name, [*keys, *values], cutoff=_CUTOFF)
            return PathRefusal(f"no resource {name!r} is declared", close or "declare it", is_undeclared=True)
        # Without an output it means the resource itself.
        return ResourceReference(Descriptor(*key), "outputs" if rest else "id", tuple(rest))

    return read
