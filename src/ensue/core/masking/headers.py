"""Credentials in text, found by the syntax of HTTP: headers and the query of a URL.

`Authorization`, `Proxy-Authorization`, `Cookie`, `Set-Cookie`, and headers for keys and tokens (`X-Api-Key`,
`PRIVATE-TOKEN`) count, in a line of their own, within quotes, and as a key of JSON or Python; so do
`Bearer TOKEN` and `Basic BASE64` without a header, and `?access_token=…`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from ensue.core.masking.forms import MASK
from ensue.core.masking.placeholders import literal_part

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_ONE_WORD: Final = frozenset({"", "basic", "bearer", "token", "apikey", "key"})
"""Schemes whose credential is one word; others have several parts."""

_WORD: Final = re.compile(r"(?:(?>\{\{[^{}\n]*\}\}|\$\{[^{}\n]*\}|\(sensitive\)|\S))+?(?=[,;)\]}]*(?:\s|\Z))")
"""A word with the references, expressions and masks in it; without the brackets that it is in."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z_-]{0,15}")
"""A setting (`authorization: enabled`) rather than a credential."""


@cache
def _headers() -> re.Pattern[str]:
    """Return the expression for a header and its credential, compiled with the first sign of one.

    A value within quotes ends with the quote before it, or before the header, otherwise with the line.
    """
    return re.compile(
        r"""(?P<quote>\\*["'])? (?<![\w-])
            (?P<name>(?:proxy-)?authorization | (?:set-)?cookie2?
              | x-[\w-]*(?:key|token|secret|password|signature|credential) | private-token | job-token
              | api-?key | ocp-apim-subscription-key)
            (?: (?P<closed>\\*["']) [ \t]* [:=,] | [ \t]* (?P<sign>[:=]) ) [ \t]* (?P<inner>\\*["'])?
            (?: (?P<scheme> basic | bearer | digest | negotiate | ntlm | token | apikey | key | oauth | hawk
              | dpop | sso-key | ssws | aws4-[\w-]+ ) [ \t]+ )?""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _schemes() -> re.Pattern[str]:
    return re.compile(
        r"""\b(?:Bearer[ \t]+(?P<token>[\w.~+/-]{8,}=*) | Basic[ \t]+(?P<pair>[A-Za-z0-9+/]{6,}={0,2}))
            (?![\w/+=])""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _queries() -> re.Pattern[str]:
    return re.compile(
        r"""[?&;](?:[\w.-]*[_-])?(?:token|jwt|api_?key|apikey|api-key|access_?key|secret|secret_?key|password|passwd|pwd
            |sig|signature|credential)=(?P<value>[^&#\s"'<>\\;]+)""",
        re.VERBOSE | re.IGNORECASE,
    )


def may_hold_credential(text: str) -> bool:
    """Return whether a text may have a header or a query with a credential; False is certain."""
    if "=" in text and ("?" in text or "&" in text):
        return True
    lower = text.lower()
    # Written out, because a loop takes eight times as long, and every text that is written is looked at.
    return (
        "authoriz" in lower or "cookie" in lower
        or ("key" in lower and ("-key" in lower or "apikey" in lower or "api_key" in lower))
        or ("-" in lower and ("x-" in lower or "-token" in lower or "-secret" in lower))
        or (" " in lower and ("bearer " in lower or "basic " in lower))
    )  # fmt: skip


def credential_spans(text: str) -> list[tuple[int, int]]:
    """Return where the credentials of a text begin and end, in order and apart from each other."""
    if not may_hold_credential(text):
        return []
    candidates = [
        span for span in (*_in_headers(text), *_alone(text), *_in_queries(text)) if _is_literal(text, span)
    ]
    spans: list[tuple[int, int]] = []
    for start, end in sorted(candidates):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def mask_credentials(text: str) -> str:
    """Return the text with every credential replaced with `(sensitive)`."""
    if not may_hold_credential(text):
        return text
    pieces: list[str] = []
    position = 0
    for start, end in credential_spans(text):
        pieces += (text[position:start], MASK)
        position = end
    return "".join((*pieces, text[position:])) if pieces else text


def credentials(text: str) -> Iterator[str]:
    """Yield the credentials of a text, of cookies each value, and of `Basic` the password in it."""
    for start, end in credential_spans(text):
        value = text[start:end]
        yield value
        for pair in value.split(";") if "=" in value else ():
            yield pair.partition("=")[2].strip().strip('"')
        if password := _basic_password(value):
            yield password


def header_credentials(name: object, value: object) -> Iterator[str]:
    """Yield the credentials in the value of a header, which is an entry of a mapping."""
    if isinstance(name, str) and isinstance(value, str) and may_hold_credential(f"{name} "):
        yield from credentials(f"{name}: {value}")


def _in_headers(text: str) -> Iterator[tuple[int, int]]:
    for match in _headers().finditer(text):
        start = match.end()
        end = _end_of_value(text, start, match["inner"] or (None if match["closed"] else match["quote"]))
        value = text[start:end].rstrip()
        scheme = (match["scheme"] or "").lower()
        has_parts = "=" in value if "cookie" in match["name"].lower() else scheme not in _OF_ONE_WORD
        if not has_parts:
            if match["sign"] == "=":
                value = value.partition("&")[0]
            word = _WORD.match(value)
            value = word[0] if word else ""
        if scheme or not _PLAIN_WORD.fullmatch(value):
            yield start, start + len(value)


def _end_of_value(text: str, start: int, quote: str | None) -> int:
    ends = [
        place for sign in ("\n", "\r", *([quote] if quote else ())) if (place := text.find(sign, start)) >= 0
    ]
    return min(ends, default=len(text))


def _alone(text: str) -> Iterator[tuple[int, int]]:
    for match in _schemes().finditer(text):
        token = match["token"]
        if token is not None and not _PLAIN_WORD.fullmatch(token):
            yield match.span("token")
        elif token is None and _basic_password(match["pair"]):
            yield match.span("pair")


def _in_queries(text: str) -> Iterator[tuple[int, int]]:
    for match in _queries().finditer(text):
        yield match.span("value")


def _is_literal(text: str, span: tuple[int, int]) -> bool:
    value = text[span[0] : span[1]]
    return bool(value.strip()) and value != MASK and bool(literal_part(value).strip())


def _basic_password(value: str) -> str:
    """Return the password in the base64 of `USER:PASSWORD`; empty if it is none."""
    import binascii

    try:
        pair = binascii.a2b_base64(value.encode(), strict_mode=True).decode()
    except (ValueError, UnicodeError):
        return ""
    return pair.partition(":")[2] if pair.isprintable() else ""
