"""Content of a file from the SLS, pillar or grains.

Source: Salt's `contents`, `contents_pillar`, `contents_grains`, `contents_newline`, 3008: lines are split and
joined again with newlines, so that the last one ends with a newline too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.file_lines import file_lines
from ensue.core.model.near_names import near

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data

_NOTHING: Final = object()


async def looked_up(ctx: FunctionContext, function: str, keys: Any, delimiter: str) -> Data:
    """Return the value of a key, or the values of several keys joined by newlines.

    Args:
        function: `pillar.get` or `grains.get`.
        keys: a path of keys, or a list of paths.
        delimiter: separates the keys of a path.

    Raises:
        StateFailedError: there is no such value.
    """
    kind = "Pillar" if function == "pillar.get" else "Grain"
    values: list[Any] = []
    paths: list[Any] = [*keys] if isinstance(keys, list) else [keys]
    for key in paths:
        value = await ctx.call(function, key, _NOTHING, delimiter=delimiter)
        if value is _NOTHING:
            items = await ctx.call(f"{function.partition('.')[0]}.items")
            meant = _nearest(items, str(key).split(delimiter), delimiter)
            raise StateFailedError(f"{kind} {key} does not exist{meant}")
        values.append(value)
    return "\n".join(map(str, values)) if isinstance(keys, list) else values[0]


def _nearest(items: Any, keys: list[str], delimiter: str) -> str:
    """Return the paths that are near to one that does not exist, as the end of a sentence."""
    level = items
    for index, key in enumerate(keys):
        if not is_mapping(level):
            return ""
        if key not in level:
            return near(
                delimiter.join(keys[: index + 1]),
                (delimiter.join([*keys[:index], str(name)]) for name in level),
            )
        level = level[key]
    return ""


def encoded(
    value: Data, *, newline: bool = True, encoding: str | None = None, errors: str = "strict"
) -> bytes:
    """Return a value of the SLS as content of a file.

    Args:
        value: a text, bytes, or a list of lines; a number is written as it is.
        newline: end the last line with a newline.
        encoding: encoding of the file; None is UTF-8.
        errors: how characters outside the encoding are handled (`strict`, `replace`, …).

    Raises:
        StateFailedError: the value is a mapping, or cannot be encoded.
    """
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            return value  # type: ignore[return-value] # still bytes: the decoding failed
    if isinstance(value, dict):
        raise StateFailedError("contents is a mapping, not text (file.serialize writes data as YAML or JSON)")
    parts = [str(item) for item in value] if isinstance(value, list) else [str(value)]
    lines = [line for part in parts for line in file_lines(part)]
    text = "\n".join(lines)
    if newline and lines:
        text += "\n"
    elif not newline:
        text = text.rstrip("\n").rstrip("\r")
    try:
        return text.encode(encoding or "utf-8", errors)
    except UnicodeEncodeError as error:
        shown = error.object[error.start : error.end]
        raise StateFailedError(f"contents has {shown!r}, which {encoding} cannot write") from None
    except LookupError as error:
        raise StateFailedError(f"encoding or encoding_errors: {error}") from None
