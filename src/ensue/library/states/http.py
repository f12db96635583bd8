"""State module `http`: checks the answer of a web server.

The managing minion makes the request, through the execution function `http.query`. `http.query` makes one
request; `http.wait_for_successful_query` repeats it until the answer is as expected.

Notes:
    The managing minion sends the query, whatever the target. All conditions must be met. Only http and https
    work. A plan sends no query, and its result is None.

Differences from Salt:
    `http.query` takes no `wait_for`; `http.wait_for_successful_query` repeats the query until the response is
    right, with a pause of a second, where Salt repeats it at once.

Source: Salt's state module `http`, 3008: results and comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.http_headers import is_credential
from ensue.core.model.property_grammar import quoted
from ensue.core.model.returns import StateReturn
from ensue.library.states._json_text import json_under

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Seconds
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_KINDS_OF_MATCH: Final = ("string", "pcre")
_KINDS_OF_STATUS: Final = ("string", "pcre", "list")
_INTERVAL_S: Final = 1.0


_ASKED: Final = (
    "agent", "backend", "ca_bundle", "cert", "cookie_format", "cookie_jar", "cookies", "data", "data_file",
    "data_render", "data_renderer", "decode", "decode_body", "decode_out", "decode_type", "form_data",
    "formdata", "formdata_fieldname", "formdata_filename", "header_dict", "header_file", "header_list",
    "header_render", "header_renderer", "headers", "headers_out", "hide_fields", "method", "node", "opts",
    "params", "password", "persist_session", "port", "raise_error", "requests_lib", "session_cookie_jar",
    "stream", "streaming_callback", "template_dict", "test", "test_url", "text", "text_out", "timeout",
    "url_list", "username", "verify_ssl",
)  # fmt: skip
"""The arguments of Salt's execution function of that name."""


@also_takes(*_ASKED)
async def query(
    ctx: StateContext,
    name: str,
    *,
    match: str | float | None = None,
    match_type: str = "string",
    status: int | str | list[int | str] | None = None,
    status_type: str = "string",
    wait_for: Seconds | None = None,
    request_interval: Seconds | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Make an HTTP request and check the answer; it never counts as a change.

    Args:
        name: the URL.
        match: text that must be in the answer.
        match_type: `string`, or `pcre` for a regular expression.
        status: the expected status code, or a list of them.
        status_type: `string`, `pcre` or `list`; a list is always treated as `list`.
        wait_for: refused; use `http.wait_for_successful_query`.
        request_interval: refused; use `http.wait_for_successful_query`.
        **kwargs: arguments of the execution function: `method`, `params`, `data`, `headers`, `timeout`, ….

    Example:
        https://example.com/health:
          http.query:
            - status: 200
            - match: ok

    Returns:
        `new_state` has `status`, `body`, `dict` if the body is JSON or was decoded, and `headers` if they
        were requested; headers with credentials are secrets. In a plan, no request is made and the result is
        None.

    Raises:
        StateFailedError: neither `match` nor `status` is given, or an argument is invalid.
    """
    _check(match, match_type, status, status_type)
    if wait_for is not None or request_interval is not None:
        raise StateFailedError(
            "http.query: wait_for and request_interval are not known; write http.wait_for_successful_query, "
            "or use the state option `retry` (attempts, interval, until)"
        )
    if ctx.test:
        return StateReturn.planned(name, f"{name} would be queried (TEST MODE)")
    try:
        data: DataMap = await ctx.minion().call(
            "http.query", name, **{**kwargs, "text": True, "status": True}
        )
    except TypeError as error:
        raise StateFailedError(f"http.query: {error}") from None
    outcomes = [
        _text_is_there(match, match_type, str(data.get("text", ""))),
        _status_is_there(status, status_type, str(data.get("status", ""))),
    ]
    texts = [comment for _, comment in filter(None, outcomes)]
    if "status" not in data and "error" in data:
        texts.append(str(data["error"]))
    result = all(is_there for is_there, _ in filter(None, outcomes))
    return StateReturn(
        name=name,
        result=result,
        comment=" ".join(texts),
        new_state=_described(data),
        sensitive=_credentials(data),
    )


@also_takes(*_ASKED, "match", "match_type", "status", "status_type")
async def wait_for_successful_query(
    ctx: StateContext,
    name: str,
    *,
    wait_for: Seconds = 300,
    request_interval: Seconds = _INTERVAL_S,
    **kwargs: Any,
) -> StateReturn:
    """Repeat an HTTP request until the answer is as expected, or until a timeout.

    Args:
        name: the URL.
        wait_for: timeout in seconds.
        request_interval: seconds between two requests. Salt's default is to repeat the request at once.
        **kwargs: arguments of `query`, and of the execution function.

    Example:
        https://example.com/health:
          http.wait_for_successful_query:
            - status: 200
            - wait_for: 60

    Returns:
        The last return of `query`.

    Raises:
        StateFailedError: neither `match` nor `status` is given, or an argument is invalid.
    """
    end = ctx.clock.monotonic() + wait_for
    while True:
        returned = await query(ctx, name, **kwargs)
        if returned.result is not False or ctx.clock.monotonic() >= end:
            return returned
        # There is no event for a remote server that becomes ready, so the request must be repeated.
        await ctx.clock.sleep(request_interval)


def _described(data: DataMap) -> DataMap:
    """Return the answer, with the data of a body that is JSON."""
    state = {key: value for key, value in data.items() if key != "text"}
    return {**json_under("dict", str(data.get("body") or "")), **state}


def _credentials(data: DataMap) -> tuple[str, ...]:
    headers = data.get("headers")
    names = [*headers] if isinstance(headers, dict) else []
    return tuple(f"headers:{quoted(name)}" for name in names if is_credential(name))


def _check(match: Data, match_type: str, status: Any, status_type: str) -> None:
    if match is None and status is None:
        raise StateFailedError("Either match text (match) or a status code (status) is required.")
    if match_type not in _KINDS_OF_MATCH:
        raise StateFailedError(f"match_type {match_type!r}: write {' or '.join(_KINDS_OF_MATCH)}")
    if status_type not in _KINDS_OF_STATUS:
        raise StateFailedError(f"status_type {status_type!r}: write one of {', '.join(_KINDS_OF_STATUS)}")
    for kind, pattern in ((match_type, match), (status_type, status)):
        if kind == "pcre" and pattern is not None:
            _compiled(str(pattern))


def _text_is_there(match: Data, kind: str, text: str) -> tuple[bool, str] | None:
    if match is None:
        return None
    expected = str(match)
    is_there = expected in text if kind == "string" else _compiled(expected).search(text) is not None
    what = "text" if kind == "string" else "pattern"
    return is_there, f'Match {what} "{expected}" was {"" if is_there else "not "}found.'


def _status_is_there(status: Any, kind: str, expected: str) -> tuple[bool, str] | None:
    if status is None:
        return None
    if kind == "list" or is_list(status):
        codes: list[Any] = status if is_list(status) else [status]
        if expected in {str(code) for code in codes}:
            return True, f"Status {expected} was found."
        return False, f"Statuses {codes} were not found."
    if kind == "pcre":
        is_there = _compiled(str(status)).search(expected) is not None
        return is_there, f'Status pattern "{status}" was {"" if is_there else "not "}found.'
    is_there = expected == str(status)
    return is_there, f"Status {status} was {'' if is_there else 'not '}found."


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise StateFailedError(f"http.query: {pattern!r} is not a regular expression: {error}") from None


FUNCTIONS: Final = by_name(query, wait_for_successful_query)
