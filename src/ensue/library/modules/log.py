"""Execution module `log`: log messages from templates.

The messages are masked. Their logger is `ensue.library.modules.log`.

Source: Salt's execution module `logmod`, 3008.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext

_logger = logging.getLogger(__name__)


_DOCSTRING: Final = """Log a message at the level {level}, and return True.

Args:
    message: the message; secrets in it are masked.

Example:
    ensue call '*' log.{level} 'the backup has begun'
"""


def _writer(level: int) -> Callable[[FunctionContext, Any], bool]:
    def write(ctx: FunctionContext, message: Any) -> bool:
        _logger.log(level, "%s", ctx.masker.text(str(message)))
        return True

    write.__doc__ = _DOCSTRING.format(level=logging.getLevelName(level).lower())
    return write


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "critical": _writer(logging.CRITICAL),
    "debug": _writer(logging.DEBUG),
    "error": _writer(logging.ERROR),
    "exception": _writer(logging.ERROR),
    "info": _writer(logging.INFO),
    "warning": _writer(logging.WARNING),
}
