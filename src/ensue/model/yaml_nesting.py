"""How deep YAML nests: libyaml's loader is recursive, and deep nesting crashes the process."""

from __future__ import annotations

from typing import Any, Final

DEEPEST: Final = 200
"""So many lists and mappings may stand inside each other."""


def check_nesting(text: str) -> None:
    """Refuse a text that nests too deep.

    Raises:
        yaml.MarkedYAMLError: it does; with the place. Whatever else is wrong with it is not found here.
    """
    # Each level takes a bracket, or a column on its line.
    if text.count("[") + text.count("{") < DEEPEST and max(map(len, text.splitlines()), default=0) < DEEPEST:
        return
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    event: Any = None
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEEPEST:
                    break
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        else:
            return
    except yaml.YAMLError:
        return
    problem = f"more than {DEEPEST} lists and mappings stand inside each other"
    mark: Any = event.start_mark
    raise yaml.MarkedYAMLError(None, None, problem, mark)
