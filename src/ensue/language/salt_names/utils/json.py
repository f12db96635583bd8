"""`salt.utils.json`: JSON."""

from __future__ import annotations

import json
from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.utils.stringutils import to_str


def loads(s: str | bytes, **kwargs: Any) -> Any:
    """Parse a JSON text."""
    kwargs.pop("encoding", None)
    return json.loads(to_str(s), **kwargs)


def load(fp: Any, **kwargs: Any) -> Any:
    """Parse an open JSON file."""
    return loads(fp.read(), **kwargs)


def dumps(obj: Any, **kwargs: Any) -> str:
    """Return data as JSON; non-ASCII characters are not escaped."""
    kwargs.pop("_json_module", None)
    kwargs.setdefault("ensure_ascii", False)
    return json.dumps(obj, **kwargs)


def dump(obj: Any, fp: Any, **kwargs: Any) -> None:
    """Write data as JSON to an open file."""
    fp.write(dumps(obj, **kwargs))


def find_json(raw: str) -> Any:
    """Return the first JSON object or array in a text with other lines.

    Raises:
        ValueError: there is none.
    """
    decoder = json.JSONDecoder()
    for place, letter in enumerate(raw):
        if letter in "{[":
            try:
                return decoder.raw_decode(raw, place)[0]
            except ValueError:
                continue
    raise ValueError("the text contains no JSON")


__getattr__ = not_there(__name__)
