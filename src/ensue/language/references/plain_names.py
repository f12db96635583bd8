"""Finds texts that look like a variable: `${size}` where `size` is a key of pillar or a variable of the SLS.

Such a text is left as it is. In what a shell reads it may be a variable of the shell: no warning there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from ensue.language.renderers.stage import Stream

_NAME: Final = re.compile(r"(?<![$\\])\$\{([A-Za-z_]\w*)\}")
_OF_SHELLS: Final = frozenset({"cmd", "cron"})
"""The modules whose arguments a shell reads."""


def plain_names(text: str, module: str, stream: Stream | None) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text that name a value of a template, each with what to write instead.

    Args:
        text: the text.
        module: the module of the state that has it.
        stream: the rendering of the SLS that has the state.
    """
    if stream is None or module in _OF_SHELLS or text.startswith("#!"):
        return
    matches = [*_NAME.finditer(text)]
    is_own = all(match[1] in stream.exported for match in matches)
    pillar: Container[str] = () if is_own else stream.context().get("pillar") or ()
    for match in matches:
        name = match[1]
        if name in stream.exported:
            yield match[0], f"{{{{ {name} }}}}"
        elif name in pillar:
            yield match[0], f"{{{{ pillar.{name} }}}}"
