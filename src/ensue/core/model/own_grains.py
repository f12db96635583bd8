"""The grains file of a machine: grains that a user sets, beside those that ensue gathers.

This module has the path of the file and parses its text. Resource types read the file when they gather
grains, and the execution module `grains` writes it.

Source: Salt's `/etc/salt/grains`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import DataMap

OPTION: Final = "grains_file"
"""The option that names another file."""

DEFAULT_PATH: Final = "/etc/salt/grains"
"""The default path on the target, which is Salt's, too."""


def own_grains_path(opts: Mapping[str, Any]) -> str:
    """Return the file's absolute path on the target.

    Args:
        opts: options of the project.
    """
    return str(opts.get(OPTION) or DEFAULT_PATH)


def read_own_grains(text: str) -> DataMap:
    """Return the grains of the file's text; empty if it is not a mapping.

    Raises:
        ValueError: it is not YAML, or exceeds a limit; the message has line and column.
    """
    if not text.strip():
        return {}
    from ensue.core.model.bounded_yaml import BoundedLoader, load_plain_yaml

    read = load_plain_yaml(text, _without_dates(BoundedLoader))
    return {str(name): value for name, value in read.items()} if is_mapping(read) else {}


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
    """Return a loader that reads dates as text, as for all other YAML of users."""
    resolvers = {
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in loader.yaml_implicit_resolvers.items()
    }
    return type("OwnGrainsLoader", (loader,), {"yaml_implicit_resolvers": resolvers})
