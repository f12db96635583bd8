"""Running `rabbitmqctl` and reading the JSON that it answers with.

It knows no command of the program.

Source: rabbitmqctl(8), "--formatter".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.modules._programs import must

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext


async def control(ctx: FunctionContext, *words: str, runas: str | None = None, password: str = "") -> str:
    """Run a command of `rabbitmqctl` and return what it prints.

    Args:
        ctx: the target.
        *words: the command and its arguments.
        runas: the user of the target who runs it.
        password: what it reads; masked from then on.

    Raises:
        StateFailedError: the target has no such program, or the broker refuses.
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
    """Return the rows that a command of `rabbitmqctl` lists; see `control`.

    Raises:
        StateFailedError: the answer is no JSON list of mappings, or see `control`.
    """
    text = await control(ctx, *words, "--formatter=json", runas=runas)
    try:
        found: Any = json.loads(text or "[]")
    except ValueError:
        found = None
    if not is_list(found):
        raise StateFailedError(f"`rabbitmqctl {words[0]}` answered with no JSON list: {text}")
    return [row for row in found if is_mapping(row)]
