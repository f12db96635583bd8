"""How long to wait before a failed state is tried again, and the comments about it.

Source: Salt 3008's `retry`, measured. Unlike Salt, a `parallel` state is tried as often as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from ensue.core.model.chunk import Retry
    from ensue.core.model.returns import StateReturn


def seconds_until_next(retry: Retry, random: Random | None) -> float:
    """Return the pause before the next attempt: the interval, and up to `splay_s` random seconds."""
    if not retry.splay_s:
        return retry.interval_s
    if random is None:
        from random import Random

        random = Random()  # noqa: S311 -- it spreads retries, and guards nothing
    return retry.interval_s + random.uniform(0, retry.splay_s)


def attempt_comment(number: int, function_return: StateReturn) -> str:
    """Return the comment on an attempt that was not the last one."""
    return (
        f'Attempt {number}: Returned a result of "{function_return.result}", '
        f'with the following comment: "{function_return.comment}"'
    )


def would_retry_comment(comment: str, retry: Retry) -> str:
    """Return the comment, in a plan, on how a state would be tried again."""
    return (
        f"{comment}  The state would be retried every {retry.interval_s:g} seconds "
        f"(with a splay of up to {retry.splay_s:g} seconds) a maximum of {retry.attempts} times "
        f"or until a result of {retry.until} is returned"
    )
