"""Threads that report a refusal of the machine by its own error.

Python raises a plain `RuntimeError` if the kernel refuses a thread, and for its own bugs as well. Here the
places that start threads tell the two apart.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ensue.core.errors import ThreadRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def start_thread(thread: threading.Thread) -> None:
    """Start a thread that was not started before.

    Args:
        thread: the thread.

    Raises:
        ThreadRefusedError: the machine refuses one more thread.
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise ThreadRefusedError from error


def in_daemon_thread(work: Callable[[], T], name: str) -> Future[T]:
    """Run a function in a thread that does not keep the process alive, and return its future.

    Args:
        work: the function; nothing can end it, so it may block for as long as the process runs.
        name: the name of the thread.

    Raises:
        ThreadRefusedError: the machine refuses one more thread.
    """
    future: Future[T] = Future()
    # As in an executor: from now on nobody can cancel it, so the work always has a future to end in.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 -- it is raised where the future is awaited
            future.set_exception(error)
        else:
            future.set_result(result)

    start_thread(threading.Thread(target=run, name=name, daemon=True))
    return future


class Threads(ThreadPoolExecutor):
    """An executor whose `submit` raises `ThreadRefusedError` if the machine refuses one more thread.

    Args:
        most: how many threads there are at most.
        name: the beginning of their names.
    """

    def __init__(self, most: int, name: str) -> None:
        super().__init__(most, thread_name_prefix=name)
        self._is_shut_down = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function in a thread.

        Args:
            fn: the function.
            *args: its arguments.
            **kwargs: its arguments by name.

        Raises:
            ThreadRefusedError: the machine refuses one more thread.
        """
        if self._is_shut_down:
            return super().submit(fn, *args, **kwargs)
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            raise ThreadRefusedError from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work.

        Args:
            wait: whether to wait for the work that was taken.
            cancel_futures: whether to drop work that has not begun.
        """
        self._is_shut_down = True
        super().shutdown(wait=wait, cancel_futures=cancel_futures)
