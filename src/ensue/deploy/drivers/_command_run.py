"""Running the program of a resource of the driver `command`.

It does not interpret the documents that the program reads and writes.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from typing import TYPE_CHECKING, Final

from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.secret_values import secret_values
from ensue.deploy.drivers._command_cookies import Answers, KeepLines
from ensue.deploy.drivers._command_program import is_below
from ensue.reach.processes.exit_messages import described_end, stderr_tail
from ensue.reach.processes.runner import Launch, OutputBoundError, run_once

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.data import DataMap
    from ensue.deploy.drivers._command_cookies import Cookies
    from ensue.deploy.drivers._command_program import DriverProgram

MOST_OUTPUT_BYTES: Final = 16 * 1024 * 1024
"""The most that a program may write, errors included."""

_END_GRACE_S: Final = 10.0
_KEPT_FROM_IT: Final = "ENSUE_KEY"


async def run_program(
    program: DriverProgram, request: DriverRequest, document: DataMap, cookies: Cookies | None
) -> bytes:
    """Run a program to its end and return its output, without its `keep` lines.

    Args:
        program: the program.
        request: the resource.
        document: its input.
        cookies: takes what it keeps; None: that is dropped, and answered at once.

    Raises:
        DriverError: it cannot be started, takes too long, writes too much, or fails.
    """
    answers = Answers() if cookies is None else cookies.answers
    dropped = itertools.count(1)

    def drop(_: DataMap) -> None:
        answers.up_to(next(dropped))

    lines = KeepLines(drop if cookies is None else cookies.take, answers.end)
    async with contextlib.nullcontext() if cookies is None else cookies.kept_as_they_come():
        ended = await _ended(program, request, document, lines, answers)
    if ended.returncode:
        # The secrets in its output are learned before any other part of it is shown.
        request.services.masker.add(*_secrets_in(lines.rest))
        tail = stderr_tail(ended.stderr, request.services.masker)
        raise DriverError(f"{request.key}: {program.name} {described_end(ended.returncode)}{tail}")
    return lines.rest


async def _ended(
    program: DriverProgram, request: DriverRequest, document: DataMap, lines: KeepLines, answers: Answers
) -> Completed:
    try:
        return await run_once(_launch(program, request, document, lines, answers))
    except TimeoutError:
        what = f"did not end within {program.timeout_s:g} s, and was ended (`timeout_s` is the limit)"
    except OutputBoundError as error:
        what = f"wrote {error}, and was ended"
    except OSError as error:
        what = f"cannot be started in {program.cwd}: {error.strerror or error}"
    except ValueError as error:
        what = f"cannot be started: {error}"
    raise DriverError(f"{request.key}: {program.name} {what}")


def _launch(
    program: DriverProgram, request: DriverRequest, document: DataMap, lines: KeepLines, answers: Answers
) -> Launch:
    environment = {name: value for name, value in os.environ.items() if name != _KEPT_FROM_IT}
    environment |= program.environment | program.secret_environment
    folder = request.root / program.cwd
    if not is_below(folder, request.root):
        raise DriverError(f"{request.key}: its folder {program.cwd} is not below the project's")
    return Launch(
        argv=[os.fsencode(word) for word in program.argv],
        cwd=str(folder),
        env={os.fsencode(name): os.fsencode(value) for name, value in environment.items()},
        stdin=json.dumps(document).encode() + b"\n",
        timeout_s=program.timeout_s,
        end_grace_s=_END_GRACE_S,
        on_output=lines.feed,
        most_bytes=MOST_OUTPUT_BYTES,
        on_open_input=answers.open if program.acknowledge else None,
    )


def _secrets_in(written: bytes) -> list[str]:
    try:
        data = json.loads(written)
    except (ValueError, RecursionError):
        return []
    return secret_values(data) if is_mapping(data) else []
