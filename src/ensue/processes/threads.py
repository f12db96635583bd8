"""Threads that report a refusal of the machine by its own error.

Python raises a plain `RuntimeError` if the kernel refuses a thread, and for its own bugs as well. Here the
places that start threads tell the two apart.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from ensue.errors import ThreadRefusedError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from concurrent.futures import Future

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
