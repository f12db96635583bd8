"""`file.managed` with content that is too long for the memory."""

from __future__ import annotations

import asyncio
import hashlib
import http.server
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.contracts.content import sha256_of, whole
from ensue.core.errors import StateFailedError
from ensue.core.files.local_content import SHORT_BYTES, DownloadedContent
from ensue.core.model.srn import Srn
from ensue.language.settings.file_sources import ProjectFiles
from ensue.language.settings.roots import Roots
from ensue.library.states.file import FUNCTIONS
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from ensue.core.model.returns import StateReturn

LONG = b"line\n" * (SHORT_BYTES // 4)


def play(tmp_path: Path, *, test: bool = False, **arguments: Any) -> StateReturn:
    """Call `file.managed` for `target` with a source that is a real file."""
    (tmp_path / "roots").mkdir(exist_ok=True)
    context = FakeStateContext(
        connection=MinionConnection(Srn("minion", "m")),
        file_root=tmp_path / "roots",
        cache_dir=tmp_path / "cache",
        functions=execution_functions(),
        test=test,
    )
    given: dict[str, Any] = {"source": "salt://long", **arguments}
    return asyncio.run(FUNCTIONS["managed"](context, str(tmp_path / "target"), **given))


def test_a_long_file_is_made_replaced_and_then_left_alone(tmp_path: Path) -> None:
    """It is planned, made, found in order, and replaced without a diff; `new_state` has its checksum."""
    target = tmp_path / "target"
    (tmp_path / "roots").mkdir()
    for content, diff in (
        (LONG, "New file"),
        (LONG + b"!", "Replace 1310720 bytes by 1310721 bytes (too long to"),
    ):
        (tmp_path / "roots/long").write_bytes(content)
        assert play(tmp_path, test=True).result is None
        done = play(tmp_path)
        assert done.result is True
        assert str(done.changes["diff"]).startswith(diff)
        assert target.read_bytes() == content
        assert isinstance(done.new_state, dict)
        assert done.new_state["sha256"] == hashlib.sha256(content).hexdigest()
        again = play(tmp_path)
        assert (again.result, again.changes) == (True, {})
    (tmp_path / "roots/long").write_bytes(b"short\n")
    assert str(play(tmp_path).changes["diff"]).startswith("Replace 1310721 bytes by 6 bytes")
    assert target.read_bytes() == b"short\n"


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_a_long_source_is_checked(tmp_path: Path, kind: str) -> None:
    """A kept copy is taken when it has the checksum, whatever its kind, and no other copy is."""
    copy = tmp_path / "cache/extrn_files/base/127.0.0.1/long"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(LONG)
    digest = hashlib.new(kind, LONG, usedforsecurity=False).hexdigest()
    url = "http://127.0.0.1:1/long"
    assert play(tmp_path, source=url, source_hash=f"{kind}={digest}").result is True
    assert (tmp_path / "target").read_bytes() == LONG
    (tmp_path / "target").unlink()
    with pytest.raises(StateFailedError, match="in none of the file roots"):
        play(tmp_path, source=url, source_hash=f"{kind}={digest[::-1]}")


def test_a_long_template_is_rendered(tmp_path: Path) -> None:
    """A template is made whole, however long it is."""
    (tmp_path / "roots").mkdir()
    (tmp_path / "roots/long").write_bytes(LONG + b"{{ 1 + 1 }}\n")
    play(tmp_path, template="jinja")
    assert (tmp_path / "target").read_bytes().startswith(LONG)


@contextmanager
def served(content: bytes, *, announced_bytes: int | None = None) -> Generator[str]:
    """Serve content at a URL, which may break off before its announced end."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(announced_bytes or len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base's names)
            """Say nothing."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/long"
        finally:
            server.shutdown()
            thread.join()


def test_a_long_download_goes_to_the_disk(tmp_path: Path) -> None:
    """What is fetched and long is a file that leaves nothing behind; short content is bytes."""
    files = ProjectFiles(Roots({"base": []}, tmp_path), downloads=tmp_path)
    with served(LONG) as url:
        content = asyncio.run(files.open(url))
        assert isinstance(content, DownloadedContent)
        assert sha256_of(content) == hashlib.sha256(LONG).hexdigest()
        assert asyncio.run(whole(content)) == LONG
    with served(b"short") as url:
        assert asyncio.run(files.open(url)) == b"short"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"short", LONG])
def test_a_download_that_breaks_off_is_refused(tmp_path: Path, content: bytes) -> None:
    """A part of a source is never taken for the source, checksum or not."""
    files = ProjectFiles(Roots({"base": []}, tmp_path), downloads=tmp_path)
    with (
        served(content, announced_bytes=len(content) + 9) as url,
        pytest.raises(StateFailedError, match="ended 9 bytes early"),
    ):
        asyncio.run(files.open(url))
