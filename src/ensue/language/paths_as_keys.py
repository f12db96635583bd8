"""Warns of `pillar.get('db:port', 80)`, which reads one key `db:port`, where pillar has `port` below `db`.

`pillar` and `grains` of a template are mappings: their `get` follows no path, and says nothing of it.
Nothing is reported if the mapping has the very key, or nothing at the path. Salt says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Span
from ensue.language.printed_grains import without_dead_tags

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream

_GET: Final = re.compile(
    r"(?<![\w.'\"])(?P<mapping>pillar|grains)\.get\(\s*"
    r"(?P<quote>['\"])(?P<path>[^'\":\n]+(?::[^'\":\n]+)+)(?P=quote)"
)


def warn_of_paths_as_keys(streams: Iterable[Stream], collector: Collector) -> None:
    """Warn of each such call in the text of an SLS.

    Args:
        streams: the renderings of the SLS.
        collector: receives the warnings.
    """
    for stream in streams:
        source = stream.source
        if "pillar.get(" not in source and "grains.get(" not in source:
            continue
        text = without_dead_tags(source)
        for match in _GET.finditer(text):
            name, path = match["mapping"], match["path"]
            if not _is_path(stream.variables.get(name), path):
                continue
            line = stream.first_line + text.count("\n", 0, match.start())
            collector.warning(
                "E0914",
                f"`{name}.get('{path}', …)` reads one key, and {name} has a value at that path",
                Span(stream.path, line),
                detail=f"`{name}` is a mapping, and its `get` follows no path: this is the default, or None",
                help=f"write `salt['{name}.get']('{path}', …)`",
            )


def _is_path(mapping: Any, path: str) -> bool:
    if mapping is None or path in mapping:
        return False
    value: Any = mapping
    for key in path.split(":"):
        if not isinstance(value, Mapping) or key not in value:
            return False
        value = value[key]  # pyright: ignore[reportUnknownVariableType] # any data
    return True
