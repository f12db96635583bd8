"""Execution module `http`: HTTP requests from the managing minion, whatever the target.

Cookies, sessions, streaming, and options of Salt's various backends are left out.

Source: Salt's execution module `http`, 3008: names of arguments and of returned values.
"""

from __future__ import annotations

import base64
import ssl
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from ensue.core.contracts.deadlines import HTTP_QUERY_S
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.http_headers import is_credential
from ensue.reach.processes.http_exchange import exchanged

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPResponse

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap
    from ensue.reach.processes.http_exchange import HttpExchange


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """The response of a server.

    Args:
        status: the status code.
        reason: the reason phrase.
        headers: its headers; the last one of several with the same name.
        body: its content.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body of the response as text."""
        return self.body.decode("utf-8", "replace")


async def query(
    ctx: FunctionContext,
    url: str,
    *,
    method: str = "GET",
    params: DataMap | str | None = None,
    data: Data = None,
    header_dict: DataMap | None = None,
    header_list: list[str] | None = None,
    headers: bool | DataMap = False,
    username: str | None = None,
    password: str | None = None,
    agent: str | None = None,
    timeout: float = HTTP_QUERY_S,  # noqa: ASYNC109 (an argument of users)
    verify_ssl: bool = True,
    ca_bundle: str | None = None,
    decode: bool = False,
    decode_type: str = "auto",
    text: bool = False,
    status: bool = False,
    raise_error: bool = True,
    backend: str | None = None,
) -> DataMap:
    """Send a request to a server and return the response.

    Args:
        ctx: the target; the managing minion sends the request.
        url: an http or https URL.
        method: GET, POST, ….
        params: the query string, as a mapping or as text.
        data: the body: text, or a mapping that is sent as a form.
        header_dict: headers to send.
        header_list: headers to send, each `Name: value`.
        headers: true to return the server's headers, or a mapping of headers to send.
        username: the user name for basic authentication.
        password: the password for basic authentication. It is masked from then on, as are the values of
            headers with credentials.
        agent: the user agent.
        timeout: the number of seconds after which the whole response must be there.
        verify_ssl: check the server's certificate.
        ca_bundle: a file of certificates to trust.
        decode: return the body as data, in `dict`.
        decode_type: `json` or `yaml`; `auto` looks at the content type.
        text: return the body as text.
        status: return the status code.
        raise_error: return `error` if the server cannot be reached, instead of an empty body.
        backend: accepted as by Salt, without effect.

    Example:
        ensue call '*' http.query https://example.com/health

    Returns:
        `body`, and the requested keys: `text`, `status`, `headers`, `dict`. `error` if the server cannot be
        reached; `error` and `status` if the status code is 400 or more.

    Raises:
        StateFailedError: the URL is not valid, or the body cannot be decoded.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise StateFailedError(f"http.query: {url} is neither http nor https")
    if password:
        ctx.masker.add(password)
    sent = _headers(header_dict, header_list, headers, agent=agent, username=username, password=password)
    ctx.masker.add(*(part for key, value in sent.items() if is_credential(key) for part in _secrets(value)))
    full_url = _with_params(url, params)
    body = _body(data)
    try:
        ask = partial(
            _ask, url=full_url, method=method.upper(), body=body, headers=sent,
            timeout_s=timeout, tls=_tls(verify_ssl, ca_bundle),
        )  # fmt: skip
        answer = await exchanged(ask, total_s=timeout)
    except OSError as error:  # Includes URLError and timeouts.
        reason = getattr(error, "reason", None) or error
        return {"body": None, "error": f"{url}: {reason}"} if raise_error else {"body": None}
    except ValueError as error:  # HTTP does not allow the header or the URL.
        raise StateFailedError(f"http.query: {url}: {error}") from None
    result: DataMap = {"body": answer.text}
    if answer.status >= 400:  # noqa: PLR2004 (HTTP's errors begin there)
        result |= {"error": f"HTTP {answer.status}: {answer.reason}", "status": answer.status}
    if text:
        result["text"] = answer.text
    if status:
        result["status"] = answer.status
    if headers is True:
        result["headers"] = dict(answer.headers)
        ctx.masker.add(*(value for key, value in answer.headers.items() if is_credential(key)))
    if decode and "error" not in result:
        result["dict"] = _decoded(url, answer, decode_type)
    return result


def _secrets(value: str) -> tuple[str, str]:
    """Return a header's value, and its part after the name of a scheme (`Bearer …`)."""
    return value, value.rpartition(" ")[2]


def _ask(
    exchange: HttpExchange,
    *,
    url: str,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
    timeout_s: float,
    tls: ssl.SSLContext | None,
) -> HttpResponse:
    """Send the request in a thread; a response with an error status is returned like any other."""
    import urllib.error
    import urllib.request
    from http.client import HTTPException

    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)  # noqa: S310 (query checks the scheme)
    try:
        with exchange.open(request, silence_s=timeout_s, tls=tls) as response:
            return _answer(response)
    except urllib.error.HTTPError as error:
        with error:
            headers_told = {key: str(value) for key, value in error.headers.items()}
            return HttpResponse(
                status=error.code, reason=str(error.reason), headers=headers_told, body=error.read()
            )
    except HTTPException as error:
        raise OSError(f"the response is not HTTP ({type(error).__name__})") from error


def _answer(response: HTTPResponse) -> HttpResponse:
    headers = dict(response.headers.items())
    return HttpResponse(status=response.status, reason=response.reason, headers=headers, body=response.read())


def _headers(
    header_dict: DataMap | None,
    header_list: list[str] | None,
    headers: bool | DataMap,
    *,
    agent: str | None,
    username: str | None,
    password: str | None,
) -> dict[str, str]:
    sent = {"User-Agent": agent or "ensue"}
    if username is not None:
        pair = base64.b64encode(f"{username}:{password or ''}".encode()).decode()
        sent["Authorization"] = f"Basic {pair}"
    for line in header_list or []:
        key, colon, value = line.partition(":")
        if not colon:
            raise StateFailedError(f"http.query: header_list: {line!r} is not `Name: value`")
        sent[key.strip()] = value.strip()
    given = {**(header_dict or {}), **(headers if isinstance(headers, dict) else {})}
    return sent | {key: str(value) for key, value in given.items()}


def _with_params(url: str, params: DataMap | str | None) -> str:
    if not params:
        return url
    text = params if isinstance(params, str) else urlencode(params, doseq=True)
    return f"{url}{'&' if urlsplit(url).query else '?'}{text}"


def _body(data: Data) -> bytes | None:
    if data is None:
        return None
    if isinstance(data, bytes):
        return data
    return urlencode(data, doseq=True).encode() if isinstance(data, dict) else str(data).encode()


def _tls(verify_ssl: bool, ca_bundle: str | None) -> ssl.SSLContext | None:
    if verify_ssl and ca_bundle is None:
        return None
    context = ssl.create_default_context(cafile=ca_bundle)
    if not verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _decoded(url: str, answer: HttpResponse, decode_type: str) -> Any:
    from ensue.core.model.bounded_json import load_json
    from ensue.core.model.bounded_yaml import load_plain_yaml

    kind = decode_type
    if kind == "auto":
        content_type = answer.headers.get("Content-Type", "")
        kind = "json" if "json" in content_type else "yaml" if "yaml" in content_type else "plain"
    try:
        if kind == "json":
            return load_json(answer.text)
        return load_plain_yaml(answer.text) if kind == "yaml" else answer.text
    except ValueError as error:
        raise StateFailedError(f"http.query: {url}: the body is not {kind}: {error}") from None


FUNCTIONS: Final = by_name(query)
