"""`salt.utils.yaml`: YAML, read and written safely."""

from __future__ import annotations

from typing import Any

import yaml
from yaml import SafeDumper, YAMLError
from yaml.constructor import ConstructorError
from yaml.parser import ParserError
from yaml.scanner import ScannerError

from ensue.salt_names.absent import not_there


class SaltYamlSafeLoader(yaml.SafeLoader):
    """Reads YAML."""


class IndentedSafeOrderedDumper(SafeDumper):
    """Writes YAML with the items of a list set off."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Begin a level, never without its indentation."""
        del indentless
        super().increase_indent(flow, indentless=False)


def load(stream: Any, Loader: Any = SaltYamlSafeLoader) -> Any:  # noqa: N803 -- PyYAML's name
    """Read a text or an open file."""
    return yaml.load(stream, Loader)  # noqa: S506 -- safe where nobody says otherwise


def safe_load(stream: Any, Loader: Any = SaltYamlSafeLoader) -> Any:  # noqa: N803 -- PyYAML's name
    """Read a text or an open file."""
    return load(stream, Loader)


def dump(data: Any, stream: Any = None, **kwargs: Any) -> Any:
    """Write data, mappings in their order, one key a line."""
    kwargs.setdefault("default_flow_style", False)
    kwargs.setdefault("allow_unicode", True)
    kwargs.setdefault("sort_keys", False)
    kwargs.setdefault("Dumper", SafeDumper)
    return yaml.dump(_plain(data), stream, **kwargs)


def safe_dump(data: Any, stream: Any = None, **kwargs: Any) -> Any:
    """Write data, mappings in their order, one key a line."""
    return dump(data, stream, **kwargs)


def _plain(data: Any) -> Any:
    """Return data of Python's own kinds, which the dumper knows."""
    if isinstance(data, dict):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, (list, tuple)) else data


__all__ = [
    "ConstructorError",
    "IndentedSafeOrderedDumper",
    "ParserError",
    "SafeDumper",
    "SaltYamlSafeLoader",
    "ScannerError",
    "YAMLError",
    "dump",
    "load",
    "safe_dump",
    "safe_load",
]

__getattr__ = not_there(__name__)
