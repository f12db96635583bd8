"""The grains that a machine is given, beside those that are found on it: a YAML file of its own.

Here is where that file lies and what its text means; resource types read it when they gather grains, and
the execution module `grains` writes it.

Source: Salt's `/etc/salt/grains`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.model.data import is_list, is_mapping
from ensue.model.nesting import DEEPEST, check_nesting, is_too_deep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.model.data import DataMap

OPTION: Final = "grains_file"
"""The option of a project that names another file."""

DEFAULT_PATH: Final = "/etc/salt/grains"
"""Where it lies on the target: where Salt looks for it, too."""

_MOST_VALUES: Final = 100_000


def own_grains_path(opts: Mapping[str, Any]) -> str:
    """Return the file's absolute path on the target.

    Args:
        opts: options of the project.
    """
    return str(opts.get(OPTION) or DEFAULT_PATH)


def read_own_grains(text: str) -> DataMap:
    """Return the grains that the file's text holds; none when it is no mapping.

    Raises:
        ValueError: it is no YAML; the message has line and column.
    """
    if not text.strip():
        return {}
    import yaml

    try:
        check_nesting(text)
        # Without the C library the loader of Python does the same, slower.
        read = yaml.load(text, _without_dates(getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506 (it is a safe one)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        # What PyYAML's constructors of tagged values (`!!bool x`) and deep nesting raise.
        raise ValueError(f"it holds a value that cannot be read ({type(error).__name__})") from None
    if is_too_deep(read):
        raise ValueError(f"more than {DEEPEST} lists and mappings stand inside each other")
    _check_size(read)
    return {str(name): value for name, value in read.items()} if is_mapping(read) else {}


def _check_size(read: Any) -> None:
    """Refuse a few lines of aliases that stand for millions of values, or for a value within itself."""
    waiting = [read]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if is_mapping(value):
            waiting += value.values()
        elif is_list(value):
            waiting += value
    raise ValueError(f"it holds more than {_MOST_VALUES} values")


def written_own_grains(grains: DataMap) -> str:
    """Return the file's text for these grains.

    Raises:
        ValueError: YAML cannot write one of them.
    """
    import yaml

    try:
        return str(yaml.safe_dump(grains, default_flow_style=False, allow_unicode=True))
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from None


def _without_dates(loader: Any) -> Any:
    """Return a loader that reads dates as texts, as everything else does that reads a user's YAML."""
    resolvers = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in loader.yaml_implicit_resolvers.items()
    }
    return type("OwnGrainsLoader", (loader,), {"yaml_implicit_resolvers": resolvers})
