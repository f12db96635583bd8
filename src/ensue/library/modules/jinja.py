"""Execution module `jinja`: shows the content of a map file, on the command line or in a template.

Source: Salt's execution module `jinja`, 3008; results measured there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def load_map(ctx: FunctionContext, path: str, value: str) -> Any:
    """Return a variable of a template in the file roots.

    Args:
        path: the template (`app/map.jinja`).
        value: the variable's name.

    Example:
        ensue call '*' jinja.load_map app/map.jinja app

    Raises:
        StateFailedError: there is no such template or variable, or the template is invalid.
    """
    return await _imported(ctx, f'{{% from "{path}" import {value} as found with context %}}')


async def import_yaml(ctx: FunctionContext, path: str) -> Any:
    """Render a YAML file of the file roots and return its data.

    Args:
        path: the file in the file roots (`app/data.yaml`).

    Example:
        ensue call '*' jinja.import_yaml app/data.yaml
    """
    return await _imported(ctx, f'{{% import_yaml "{path}" as found %}}')


async def import_json(ctx: FunctionContext, path: str) -> Any:
    """Render a JSON file of the file roots and return its data.

    Args:
        path: the file in the file roots (`app/data.yaml`).

    Example:
        ensue call '*' jinja.import_json app/data.json
    """
    return await _imported(ctx, f'{{% import_json "{path}" as found %}}')


async def _imported(ctx: FunctionContext, tag: str) -> Any:
    return await ctx.render_data(f"{tag}{{{{ found | tojson }}}}", renderer="jinja|yaml", name="jinja")


FUNCTIONS: Final = by_name(import_json, import_yaml, load_map)
