"""The forms in which a secret can occur in text.

Besides the value itself, these are the forms that ensue and the tools that it quotes produce: escaped for
JSON, as in Python's `repr`, and quoted for a shell, for YAML and for a URL.
"""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "(sensitive)"
"""The text that replaces a secret."""

_WITHOUT_ESCAPES: Final = re.compile(r"[ !#$&(-\[\]-~]*\Z")
_UNQUOTED_IN_URLS: Final = re.compile(r"[A-Za-z0-9_.-]*\Z")


def escaped_forms(text: str) -> set[str]:
    """Return a text itself, and as it appears within quotes in JSON, Python, YAML and a shell command."""
    if _WITHOUT_ESCAPES.match(text):
        return {text}
    from shlex import quote

    forms = _within_quotes(text)
    # A message may quote a value, and another one quote the message.
    forms |= {twice for form in forms for twice in _within_quotes(form)}
    as_bytes = text.encode("utf-8", "backslashreplace")
    forms |= {
        text,
        ascii(text)[1:-1],
        repr(as_bytes)[2:-1],
        as_bytes.decode(),
        text.replace("'", "''"),
        text.replace("%", "%%"),
        text.replace("%", "\\%"),  # As in a crontab.
    }
    if "'" in text:
        forms.add(quote(text)[1:-1])
    return forms


def _within_quotes(text: str) -> set[str]:
    import json

    return {
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        repr(text)[1:-1],
        # With an escaped quote; `repr` chooses the other kind of quote and escapes none.
        repr(f"{text}'\"")[1:-4],
    }


def url_forms(text: str) -> set[str]:
    """Return a text as it appears in the path and in the query of a URL."""
    if _UNQUOTED_IN_URLS.match(text):
        return set()
    from urllib.parse import quote, quote_plus

    as_bytes = text.encode("utf-8", "surrogatepass")
    return {quote(as_bytes, safe=""), quote(as_bytes), quote_plus(as_bytes)}
