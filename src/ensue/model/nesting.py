"""How deep data nests: much of what handles it is recursive, and libyaml's loader crashes the process."""

from __future__ import annotations

from typing import Any, Final

from ensue.model.data import is_list, is_mapping

DEEPEST: Final = 200
"""So many lists and mappings may stand inside each other in what a target says or a state returns."""

DEEPEST_YAML: Final = 4000
"""So many may in a YAML text; libyaml's loader needs a stack of 8 MiB for some five times as many."""

_FEW: Final = DEEPEST_YAML // 2
"""With fewer brackets, and fewer columns in each line, a text is loaded without a look at its depth."""


def is_too_deep(data: Any) -> bool:
    """Say whether data nests too deep to be handled."""
    level: dict[int, Any] = {0: data}
    for _ in range(DEEPEST + 1):
        if not level:
            return False
        # What stands in several places, or within itself, is looked at once per level.
        level = {
            id(inner): inner
            for value in level.values()
            for inner in (value.values() if is_mapping(value) else value if is_list(value) else ())
            if is_mapping(inner) or is_list(inner)
        }
    return True


def check_nesting(text: str) -> None:
    """Refuse a YAML text that nests too deep to be loaded.

    Raises:
        yaml.MarkedYAMLError: it does; with the place. Whatever else is wrong with it is not found here.
    """
    # Each level takes a bracket, or a column on its line.
    if text.count("[") + text.count("{") < _FEW and max(map(len, text.splitlines()), default=0) < _FEW:
        return
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    depth = 0
    event: Any = None
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEEPEST_YAML:
                    break
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        else:
            return
    except yaml.YAMLError:
        return
    problem = f"more than {DEEPEST_YAML} lists and mappings stand inside each other"
    mark: Any = event.start_mark
    raise yaml.MarkedYAMLError(None, None, problem, mark)
