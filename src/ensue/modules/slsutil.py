"""Execution module `slsutil`: what formulas build their `map.jinja` with.

It merges mappings, writes and reads YAML and JSON, and looks files up in the file roots. `renderer` and
`banner` are not here, nor Salt's other serializers (`configparser`, `toml`, …).

Source: Salt's execution module `slsutil`, 3008; results measured there.
"""

# pyright: basic
# What formulas hand over, and hand on to PyYAML and json, may be anything.

from __future__ import annotations

import copy
import json
import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules.nested import is_list, is_mapping, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.contracts.context import FunctionContext


def update(
    ctx: FunctionContext,  # noqa: ARG001 (every function is given it)
    dest: dict[Any, Any],
    upd: Mapping[Any, Any],
    recursive_update: bool = True,
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Merge a mapping into another one, which is changed, and return that.

    Args:
        ctx: the target.
        dest: what is there.
        upd: what outranks it.
        recursive_update: mappings in both are merged instead of replaced.
        merge_lists: lists are joined instead of replaced.
    """
    dest.update(merged(dest, upd, merge_lists=merge_lists) if recursive_update else upd)
    return dest


def merge(  # noqa: PLR0917 (formulas give them by position)
    ctx: FunctionContext,  # noqa: ARG001 (every function is given it)
    obj_a: Mapping[Any, Any],
    obj_b: Mapping[Any, Any],
    strategy: str = "smart",
    renderer: str = "yaml",  # noqa: ARG001 (Salt's name; only yamlex, which is not here, would make a difference)
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Return one mapping merged over another.

    Args:
        ctx: the target.
        obj_a: what is there.
        obj_b: what outranks it.
        strategy: `smart` and `recurse` merge what is below, `overwrite` and `aggregate` replace it, `list`
            makes a list of both values; another word is `recurse` without joined lists.
        renderer: has no effect.
        merge_lists: lists are joined instead of replaced.

    Raises:
        StateFailedError: one of them is no mapping.
    """
    if not isinstance(obj_a, Mapping) or not isinstance(obj_b, Mapping):
        raise StateFailedError("slsutil.merge takes two mappings")
    return _merge(obj_a, obj_b, strategy, merge_lists=merge_lists)


def merge_all(
    ctx: FunctionContext,
    lst: Sequence[Mapping[Any, Any]],
    strategy: str = "smart",
    renderer: str = "yaml",
    merge_lists: bool = False,
) -> dict[Any, Any]:
    """Return mappings merged one over the other, as by `merge`, the last on top."""
    result: dict[Any, Any] = {}
    for one in lst:
        result = merge(ctx, result, one, strategy, renderer, merge_lists)
    return result


def boolstr(ctx: FunctionContext, value: Any, true: Any = "true", false: Any = "false") -> Any:  # noqa: ARG001 (every function is given it)
    """Return one of two words for a truth value."""
    return true if value else false


def serialize(ctx: FunctionContext, serializer: str, obj: Any, **options: Any) -> str:  # noqa: ARG001 (every function is given it)
    """Return data as text.

    Args:
        ctx: the target.
        serializer: `yaml` or `json`.
        obj: the data.
        options: options of PyYAML's `dump` or of `json.dumps`.

    Raises:
        StateFailedError: it is another serializer.
    """
    match serializer:
        case "yaml":
            import yaml

            # PyYAML's None lets the innermost collections flow, which is what Salt writes.
            text: str = yaml.safe_dump(_plain(obj), **{"default_flow_style": None, **options})
            return text.removesuffix("\n").removesuffix("\n...")
        case "json":
            return json.dumps(_plain(obj), **{"ensure_ascii": False, **options})
        case _:
            raise _no_serializer(serializer)


async def deserialize(ctx: FunctionContext, serializer: str, stream_or_string: str) -> Any:
    """Return the data of a text in YAML or JSON.

    Raises:
        StateFailedError: it is another serializer, or the text is not well-formed.
    """
    if serializer == "json":
        try:
            return json.loads(stream_or_string)
        except ValueError as error:
            msg = f"slsutil.deserialize: this is not JSON: {error}"
            raise StateFailedError(msg) from None
    if serializer != "yaml":
        raise _no_serializer(serializer)
    # The template renderer has the one YAML reader that reads as Salt does.
    text = await ctx.render_template("{{ text | load_yaml | json }}", context={"text": stream_or_string})
    return json.loads(text)


def file_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Say whether there is a file of this path in the file roots."""
    return ctx.files.local_path(f"salt://{path}", saltenv=saltenv) is not None


def dir_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Say whether there is a folder of this path, with a file below it, in the file roots."""
    return bool(ctx.files.list_tree(f"salt://{path}", saltenv=saltenv))


def path_exists(ctx: FunctionContext, path: str, saltenv: str = "base") -> bool:
    """Say whether there is a file or a folder of this path in the file roots."""
    return file_exists(ctx, path, saltenv) or dir_exists(ctx, path, saltenv)


def findup(
    ctx: FunctionContext, startpath: str, filenames: str | Sequence[str], saltenv: str = "base"
) -> str:
    """Return the first path of one of some names, in a folder of the file roots or in those above it.

    Args:
        ctx: the target.
        startpath: the folder, or a file, to begin with.
        filenames: a name, or several.
        saltenv: the environment.

    Raises:
        StateFailedError: the start is not there, or none of the names is.
    """
    folder = posixpath.normpath(startpath) if startpath else ""
    if folder and not path_exists(ctx, folder, saltenv):
        msg = f"slsutil.findup: {startpath} is not in the file roots"
        raise StateFailedError(msg)
    names = [filenames] if isinstance(filenames, str) else filenames
    while True:
        for name in names:
            if path_exists(ctx, found := posixpath.join(folder, name), saltenv):
                return found
        if not folder:
            msg = f"slsutil.findup: none of {', '.join(names)} is in {startpath or 'the roots'} or above"
            raise StateFailedError(msg)
        folder = posixpath.dirname(folder)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "boolstr": boolstr,
    "deserialize": deserialize,
    "dir_exists": dir_exists,
    "file_exists": file_exists,
    "findup": findup,
    "merge": merge,
    "merge_all": merge_all,
    "path_exists": path_exists,
    "serialize": serialize,
    "update": update,
}


def _merge(
    base: Mapping[Any, Any], over: Mapping[Any, Any], strategy: str, *, merge_lists: bool
) -> dict[Any, Any]:
    match strategy:
        case "list":
            both = {key: [value, over[key]] if key in over else value for key, value in base.items()}
            return copy.deepcopy(both)
        case "aggregate" | "overwrite":
            return copy.deepcopy({**base, **over})
        case "smart" | "recurse":
            return dict(merged(base, over, merge_lists=merge_lists))
        case _:
            return dict(merged(base, over))


def _plain(value: Any) -> Any:
    if is_mapping(value):
        return {key: _plain(item) for key, item in value.items()}
    if is_list(value) or isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _no_serializer(name: str) -> StateFailedError:
    return StateFailedError(f"slsutil has no serializer {name!r}; it has yaml and json")
