"""Writing YAML as Salt's filter `yaml` does.

Keys are sorted, except those of an ordered mapping. A value that YAML cannot represent is null.

Source: Salt's `yaml` and `yamldumper` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from typing import Any


def dump(value: Any, *, flow_style: Any) -> str:
    """Return data as YAML.

    Args:
        value: the data.
        flow_style: true: in brackets; false: as a block; None: a block, its innermost parts in brackets.
    """
    import yaml

    return yaml.dump(value, Dumper=_dumper(), default_flow_style=flow_style, allow_unicode=True)


def _in_order(dumper: Any, value: OrderedDict[Any, Any]) -> Any:
    return dumper.represent_dict(list(value.items()))


def _mapping(dumper: Any, value: Mapping[Any, Any]) -> Any:
    return dumper.represent_dict(dict(value))


def _text(dumper: Any, value: str) -> Any:
    return dumper.represent_str(str(value))


def _nothing(dumper: Any, value: Any) -> Any:
    del value
    return dumper.represent_scalar("tag:yaml.org,2002:null", "NULL")


@cache
def _dumper() -> Any:
    import yaml

    # PyYAML without libyaml has only the slow dumper.
    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    made: Any = type("Dumper", (base,), {})
    made.add_representer(OrderedDict, _in_order)
    made.add_representer(None, _nothing)
    made.add_multi_representer(str, _text)
    made.add_multi_representer(Mapping, _mapping)
    return made
