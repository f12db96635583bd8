"""Single attempts to find out whether something works: a server, a web page, a program of this machine.

Each returns why it does not work, as the end of a sentence that begins with it; empty if it does. Nothing
here waits or repeats.
"""

from __future__ import annotations

import asyncio
import os
import socket
from http.client import HTTPException
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError

from ensue.reach.processes.daemon_thread import in_daemon_thread
from ensue.reach.processes.exit_messages import described_end, stderr_tail
from ensue.reach.processes.http_exchange import HttpExchange, exchanged
from ensue.reach.processes.runner import Launch, OutputBoundError, run_once

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from ensue.core.masking import Masker

_MOST_OUTPUT_BYTES: Final = 1024 * 1024


async def tcp_problem(host: str, port: int, *, most_s: float) -> str:
    """Connect to a server once.

    Args:
        host: its name or address.
        port: its port.
        most_s: how long it may take, in seconds.
    """

    def connect() -> None:
        socket.create_connection((host, port), timeout=most_s).close()

    try:
        async with asyncio.timeout(most_s):
            await in_daemon_thread(connect)
    except TimeoutError:
        return f"has not answered within {most_s:g} s"
    except (OSError, UnicodeError) as error:
        return f"does not answer: {_reason(error)}"
    return ""


async def http_problem(url: str, status: int | None, *, most_s: float) -> str:
    """Request a web page once.

    Args:
        url: its URL, of the scheme `http` or `https`.
        status: the expected status; None: any of 200 to 299.
        most_s: how long it may take, in seconds.
    """

    def status_of(exchange: HttpExchange) -> int:
        try:
            with exchange.open(url, silence_s=most_s) as response:
                return int(response.status)
        except HTTPError as error:
            with error:
                return error.code

    try:
        answered: int = await exchanged(status_of, total_s=most_s)
    except TimeoutError:
        return f"has not answered within {most_s:g} s"
    except (OSError, HTTPException, ValueError) as error:
        return f"does not answer: {_reason(error)}"
    is_expected = answered // 100 == 2 if status is None else answered == status  # noqa: PLR2004 -- 2xx
    return "" if is_expected else f"answers {answered}"


async def command_problem(
    argv: Sequence[str], folder: Path, masker: Masker, *, most_s: float, without: Collection[str] = ()
) -> str:
    """Run a program once.

    Args:
        argv: the program and its arguments.
        folder: where it starts.
        masker: the secrets that its errors may contain.
        most_s: how long it may take, in seconds.
        without: variables of the environment that it does not get.
    """
    environment = {key: value for key, value in os.environb.items() if os.fsdecode(key) not in without}
    launch = Launch(
        argv=[os.fsencode(word) for word in argv],
        cwd=str(folder),
        env=environment,
        timeout_s=most_s,
        most_bytes=_MOST_OUTPUT_BYTES,
    )
    try:
        ended = await run_once(launch)
    except TimeoutError:
        return f"did not end within {most_s:g} s"
    except OutputBoundError as error:
        return f"wrote {error}"
    except (OSError, ValueError) as error:
        return f"cannot be started: {_reason(error)}"
    if ended.returncode:
        return f"{described_end(ended.returncode)}{stderr_tail(ended.stderr, masker)}"
    return ""


def _reason(error: BaseException) -> str:
    """Return what went wrong; of a library's wrapper, what it wraps."""
    inner = getattr(error, "reason", None)
    if isinstance(inner, BaseException):
        return _reason(inner)
    words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return words or type(error).__name__
