"""State and execution module `http`, against a real server on loopback."""

from __future__ import annotations

import base64
import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, execute, state

from ensue.core.errors import StateFailedError
from ensue.library.modules import http
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.returns import StateReturn
    from ensue.testing.context import FakeStateContext


asked: list[str] = []
"""The questions for `/later`, which is answered as it should be the third time."""


class Handler(BaseHTTPRequestHandler):
    """Says back what it was asked, as JSON; some paths are answered otherwise."""

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = {
            "method": self.command, "path": self.path, "body": self.rfile.read(length).decode(),
            "headers": dict(self.headers.items()),
        }  # fmt: skip
        if self.path == "/broken":
            self.wfile.write(b"this is no HTTP\r\n\r\n")
            return
        code = int(self.path.rpartition("/")[2]) if self.path.startswith("/status/") else 200
        if self.path == "/later":
            asked.append(self.path)
            code = 200 if len(asked) > 2 else 503
        text = b"{" if self.path == "/half" else json.dumps(request).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Set-Cookie", "id=s3ssion-id; Path=/")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = answer  # noqa: N815 (the names that the server looks for)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name there)
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """The server's URL."""
    with serving() as address:
        yield address


@contextmanager
def serving() -> Iterator[str]:
    """Serve on loopback, with no proxy between."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("no_proxy", "127.0.0.1")
        yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def made_context(*, test: bool = False) -> FakeStateContext:
    ctx = context(test=test)
    ctx.functions |= {f"http.{name}": function for name, function in http.FUNCTIONS.items()}
    return ctx


def ask(url: str, *, test: bool = False, **arguments: Any) -> StateReturn:
    return state("http.query", made_context(test=test), url, **arguments)


def wait_for(url: str, *, test: bool = False, **arguments: Any) -> StateReturn:
    return wait_with(made_context(test=test), url, **arguments)


def wait_with(ctx: FakeStateContext, url: str, **arguments: Any) -> StateReturn:
    return state("http.wait_for_successful_query", ctx, url, **arguments)


def test_a_server_is_asked_until_it_answers_as_it_should(url: str) -> None:
    """Twice in vain, then not any more; once time is up the last answer is returned; a plan asks nothing."""
    asked.clear()
    given: dict[str, Any] = {"status": 200, "request_interval": 7}
    assert wait_for(f"{url}/later", test=True, **given).result is None
    ctx = made_context()
    done = wait_with(ctx, f"{url}/later", **given)
    assert (done.result, done.changes, len(asked), ctx.clock.slept_s) == (True, {}, 3, [7, 7])
    late_ctx = made_context()
    late = wait_with(late_ctx, f"{url}/status/500", wait_for=20, **given)
    assert (late.result, late.comment) == (False, "Status 200 was not found.")
    assert late_ctx.clock.slept_s == [7, 7, 7]
    asked.clear()
    assert "is required" in wait_for(url).comment


def test_status_and_text_decide(url: str) -> None:
    """Each is looked for as a string or a pattern, both have to be there, and nothing is a change."""
    done = ask(url, status=200, match='"method": "GET"')
    assert (done.result, done.changes) == (True, {})
    assert done.comment == 'Match text ""method": "GET"" was found. Status 200 was found.'
    assert isinstance(done.new_state, dict)
    assert done.new_state["status"] == 200
    assert done.new_state["dict"]["method"] == "GET"
    assert ask(url, status=404).comment == "Status 404 was not found."
    assert ask(url, match="nosuch").comment == 'Match text "nosuch" was not found.'
    assert ask(url, match=r"M?ETHOD|m.thod", match_type="pcre").result is True
    assert ask(url, status="2..", status_type="pcre").comment == 'Status pattern "2.." was found.'
    assert ask(url, status=[200, 201]).comment == "Status 200 was found."
    both = ask(url, status=[201, 204], status_type="list", match="GET")
    assert (both.result, both.comment) == (
        False, 'Match text "GET" was found. Statuses [201, 204] were not found.',
    )  # fmt: skip


def test_a_plan_asks_nobody() -> None:
    """Its result is None, whether there is a server or not."""
    planned = ask("http://127.0.0.1:1/", status=200, test=True)
    assert (planned.result, planned.changes, planned.new_state) == (None, {}, None)
    assert "TEST MODE" in planned.comment


def test_an_error_status_is_an_answer(url: str) -> None:
    """A 404 can be the expected status; its body is there too."""
    assert ask(f"{url}/status/404", status=404, match="/status/404").result is True
    response = execute("http.query", made_context(), f"{url}/status/503")
    assert (response["error"], response["status"]) == ("HTTP 503: Service Unavailable", 503)


def test_what_is_sent_arrives(url: str) -> None:
    """Method, parameters, body, headers and credentials; the password is masked from then on."""
    ctx = made_context()
    response = execute(
        "http.query", ctx, f"{url}/a?b=1", method="post", params={"c": "d e"}, data={"f": 1},
        header_list=["X-One: 1"], header_dict={"X-Two": 2}, username="me", password="pa55word",
        decode=True, status=True, headers=True, agent="tester",
    )  # fmt: skip
    request = response["dict"]
    assert (request["method"], request["path"], request["body"]) == ("POST", "/a?b=1&c=d+e", "f=1")
    headers = {key.lower(): value for key, value in request["headers"].items()}
    assert (headers["x-one"], headers["x-two"], headers["user-agent"]) == ("1", "2", "tester")
    assert base64.b64decode(headers["authorization"].removeprefix("Basic ")) == b"me:pa55word"
    assert response["headers"]["Content-Type"] == "application/json"
    assert "pa55word" not in ctx.masker.text("pa55word")
    assert headers["authorization"] not in ctx.masker.text(response["body"])
    text = execute("http.query", ctx, url, method="PUT", data="plain", headers={"X-Three": "3"}, text=True)
    assert (json.loads(text["text"])["body"], json.loads(text["body"])["method"]) == ("plain", "PUT")


def test_credentials_in_headers_are_secrets(url: str) -> None:
    """Those that are sent are masked wherever they come back; those of the answer are listed as sensitive."""
    ctx = made_context()
    given = {"X-Api-Token": "t0psecret-token", "Authorization": "Bearer t0psecret-bearer"}
    done = state("http.query", ctx, url, status=200, header_dict=given, headers=True)
    shown = ctx.masker.text(json.dumps(done.new_state))
    assert "t0psecret" in json.dumps(done.new_state)
    assert "t0psecret" not in shown
    assert done.sensitive == ("headers:Set-Cookie",)
    assert "s3ssion-id" not in shown


def test_a_server_that_is_not_there_is_told(url: str) -> None:
    """A refused connection, a silence and an answer that is not HTTP are failures with their reason."""
    gone = ask("http://127.0.0.1:1/", status=200)
    assert (gone.result, "Connection refused" in gone.comment) == (False, True)
    assert "error" not in execute("http.query", made_context(), "http://127.0.0.1:1/", raise_error=False)
    assert "not HTTP" in ask(f"{url}/broken", status=200).comment
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silence = ask(f"http://127.0.0.1:{silent.getsockname()[1]}/", status=200, timeout=0.05)
    assert (silence.result, "timed out" in silence.comment) == (False, True)


def test_the_managing_minion_asks(url: str) -> None:
    """The function called is the managing minion's, whatever the target."""
    ctx = made_context()
    minion = FakeFunctionContext(ctx.connection, functions=ctx.functions)
    ctx.minion_context, ctx.functions = minion, {}
    assert state("http.query", ctx, url, status=200).result is True


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "is required"),
        ({"match": "[", "match_type": "pcre"}, "not a regular expression"),
        ({"match": "x", "match_type": "glob"}, "write string or pcre"),
        ({"status": 200, "status_type": "glob"}, "write one of string"),
        ({"status": 200, "wait_for": 5}, "state option `retry`"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: dict[str, Any], why: str) -> None:
    """Each is a result False with its reason, in a plan too."""
    for test in (True, False):
        refused = ask("http://127.0.0.1:1/", test=test, **arguments)
        assert (refused.result, why in refused.comment) == (False, True), refused.comment


def test_what_cannot_be_asked_is_refused(url: str) -> None:
    """Other schemes, unknown arguments, odd headers and bodies that are not what they should be."""
    assert "neither http nor https" in ask("file:///etc/passwd", match="root").comment
    assert "nosuch" in ask(url, status=200, nosuch=1).comment
    assert "`Name: value`" in ask(url, status=200, header_list=["x"]).comment
    assert ask(url, status=200, header_dict={"X": "a\nb"}).result is False
    for kind in ("json", "yaml", "auto"):
        with pytest.raises(StateFailedError, match="the body is not"):
            execute("http.query", made_context(), f"{url}/half", decode=True, decode_type=kind)
