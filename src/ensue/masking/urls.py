"""Passwords in URLs: `scheme://user:password@host`.

They are found by the syntax alone, so that one that nobody has added to a masker is hidden too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.masking.forms import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENCODER: Final = msgspec.json.Encoder()


@cache
def _pattern() -> re.Pattern[str]:
    """Return what finds the user part and the password; compiled when the first URL is seen.

    The password may hold a slash, which a URL should have escaped, as long as it cannot be a port.
    """
    return re.compile(
        r"""(?P<before>://[^\s/?\#@:"'<>\[\]]*:)
            (?P<password>[^\s/?\#"'<>]+ | (?!\d+[/?\#]) [^\s"'<>]+?)
            (?=@)""",
        re.VERBOSE,
    )


def may_hold_url(data: Any) -> bool:
    """Return whether nested data may contain a URL; False is certain.

    Nearly no data has one. Encoding and one search take a quarter of the time of a walk in Python
    (4 % of the instructions of the benchmark row `exists-20000`).
    """
    try:
        return b"://" in _ENCODER.encode(data)
    except (TypeError, ValueError, ArithmeticError, RecursionError):
        return True


def mask_urls(text: str) -> str:
    """Return the text with the password of every URL replaced by `(sensitive)`."""
    if "://" not in text or "@" not in text:
        return text
    return _pattern().sub(rf"\g<before>{MASK}", text)


def url_passwords(text: str) -> Iterator[str]:
    """Yield the passwords of the URLs in a text, as written and with their percent escapes resolved."""
    if "://" not in text or "@" not in text:
        return
    found = {match["password"] for match in _pattern().finditer(text)}
    if len(text.split(None, 1)) == 1:
        # The whole text is one URL: its password may hold quotes and brackets as well.
        authority = re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]
        found.add(authority.rpartition("@")[0].partition(":")[2])
    for password in sorted(found - {"", MASK}):
        yield password
        if "%" in password:
            from urllib.parse import unquote

            yield unquote(password)
