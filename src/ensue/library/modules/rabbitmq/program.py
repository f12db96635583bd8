"""Runs `rabbitmqctl` and parses its JSON output.

It knows no particular command of the program.

Source: rabbitmqctl(8), "--formatter".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def control(ctx: FunctionContext, *words: str, runas: str | None = None, password: str = "") -> str:
    """Run a command of `rabbitmqctl` and return its output.

    Args:
        *words: the command and its arguments.
        runas: the user of the target who runs it.
        password: its standard input; masked from then on.

    Raises:
        StateFailedError: rabbitmqctl is not installed on the target, or fails.
    """
    if password:
        ctx.masker.add(password)
    answer = await must(
        ctx,
        "rabbitmqctl",
        "--quiet",
        *words,
        what=f"run `rabbitmqctl {words[0]}`",
        stdin=f"{password}\n".encode() if password else b"",
        runas=runas,
    )
    return answer.stdout.strip()


async def listed(ctx: FunctionContext, *words: str, runas: str | None = None) -> list[dict[str, Any]]:
    """Run a command of `rabbitmqctl` with JSON output and return its rows.

    Raises:
        StateFailedError: the command fails, or its output is not a JSON list of mappings.
    """
    text = await control(ctx, *words, "--formatter=json", runas=runas)
    try:
        rows: Any = json.loads(text or "[]")
    except ValueError:
        rows = None
    if not is_list(rows):
        raise StateFailedError(f"`rabbitmqctl {words[0]}` did not return a JSON list: {text}")
    return [row for row in rows if is_mapping(row)]
