"""`salt.utils.yaml`: safe parsing and writing of YAML."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import yaml
from yaml import SafeDumper, YAMLError
from yaml.constructor import ConstructorError
from yaml.parser import ParserError
from yaml.scanner import ScannerError

from ensue.language.salt_names.absent import not_there

_MAPPING: Final = "tag:yaml.org,2002:map"


class SaltYamlSafeLoader(yaml.SafeLoader):
    """Salt's loader: parses YAML safely."""


def load(stream: Any, Loader: Any = SaltYamlSafeLoader) -> Any:  # noqa: N803 -- PyYAML's name
    """Parse YAML text or an open file."""
    return yaml.load(stream, Loader)  # noqa: S506 -- safe unless the caller passes another loader


def safe_load(stream: Any, Loader: Any = SaltYamlSafeLoader) -> Any:  # noqa: N803 -- PyYAML's name
    """Parse YAML text or an open file safely."""
    return load(stream, Loader)


class SafeOrderedDumper(SafeDumper):
    """Writes YAML; ordered mappings keep their order, others are sorted."""


SafeOrderedDumper.add_multi_representer(
    OrderedDict, lambda dumper, data: dumper.represent_mapping(_MAPPING, list(data.items()))
)


class IndentedSafeOrderedDumper(SafeOrderedDumper):
    """Writes YAML with indented list items."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Start a level, always indented."""
        del indentless
        super().increase_indent(flow, indentless=False)


def dump(data: Any, stream: Any = None, **kwargs: Any) -> Any:
    """Write data as YAML; the innermost mappings and lists are in flow style."""
    kwargs.setdefault("default_flow_style", None)
    kwargs.setdefault("allow_unicode", True)
    kwargs.setdefault("Dumper", SafeOrderedDumper)
    return yaml.dump(data, stream, **kwargs)


def safe_dump(data: Any, stream: Any = None, **kwargs: Any) -> Any:
    """Write data as YAML, safely; the arguments are those of `dump`."""
    return dump(data, stream, **kwargs)


__all__ = [
    "ConstructorError", "IndentedSafeOrderedDumper", "ParserError", "SafeDumper", "SafeOrderedDumper",
    "SaltYamlSafeLoader", "ScannerError", "YAMLError", "dump", "load", "safe_dump", "safe_load",
]  # fmt: skip

__getattr__ = not_there(__name__)
