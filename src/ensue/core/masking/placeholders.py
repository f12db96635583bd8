"""References and template expressions: text that stands for a value, and so is no secret itself."""

from __future__ import annotations

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\$\{[A-Za-z_]\w*[.:\[][^{}\n]*\}|\{\{[^{}\n]*\}\}")


def literal_part(text: str, instead: str = "") -> str:
    """Return a text without its references (`${resources.db.password}`) and template expressions.

    Args:
        text: the text.
        instead: what replaces each of them.
    """
    return _PLACEHOLDER.sub(instead, text)
