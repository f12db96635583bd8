"""What is in the place of a file and is none: it is named as what it is, and nothing waits for it."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from ensue.cli import main
from ensue.core.files.regular_files import LARGEST_BYTES
from ensue.reach.resources.minion.gathering import minion_grains

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STATE = "a: test.nop\n"
PILLAR_TOP = "base: {'*': [p]}\n"


def folder(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def looping(path: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


KINDS: dict[str, Callable[[Path], None]] = {
    "a folder": folder,
    "a FIFO": fifo,
    "a link to nowhere, which is not there": dangling,
    "a link that leads back to itself": looping,
    "a device": device,
    "a socket": bound_socket,
}
PLACES: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "states/t.sls": ({}, ("apply", "t"), "E0218"),
    "./states/t.sls": ({}, ("apply", "states/t.sls"), "E0218"),
    "states/u.sls": ({"states/t.sls": "include: [u]\n"}, ("apply", "t"), "E0218"),
    "states/late.sls": (
        {"states/t.sls": "a:\n  test.nop:\n    - delayed_render: [sls: late]\n"},
        ("apply", "t"),
        "E0218",
    ),
    "states/top.sls": ({}, ("apply",), "E0218"),
    "pillar/top.sls": ({"states/t.sls": STATE}, ("apply", "t"), "E0218"),
    "pillar/p.sls": ({"states/t.sls": STATE, "pillar/top.sls": PILLAR_TOP}, ("apply", "t"), "E0218"),
    "ensue.yaml": ({"states/t.sls": STATE}, ("apply", "t"), "E0218"),
    "states/m.jinja": ({"states/t.sls": "{% include 'm.jinja' %}\n" + STATE}, ("apply", "t"), "E0209"),
    "states/m.yaml": (
        {"states/t.sls": "{% import_yaml 'm.yaml' as m %}\n" + STATE},
        ("apply", "t"),
        "E0209",
    ),
}
"""By the path of what is no file: the other files, the command line, and the code."""


@pytest.fixture
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose paths are short enough for a socket."""
    made = tmp_path_factory.mktemp("p")
    for name in ("states", "pillar"):
        (made / name).mkdir()
    return made


def run(root: Path, *words: str) -> int:
    return main(["--root", str(root), *words, "--id", "box"])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_named(
    kind: str, place: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever reads it refuses it with its path and what it is."""
    files, words, code = PLACES[place]
    for name, content in files.items():
        (root / name).write_text(content)
    KINDS[kind](root / place)
    assert run(root, *words) == 1
    err = capsys.readouterr().err
    assert f"error[{code}]" in err
    assert f"{place.removeprefix('./')} is {kind}" in err


@pytest.mark.parametrize(
    "source", ["salt://m", "{{ opts.root_dir }}/states/m", "file://{{ opts.root_dir }}/states/m"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_is_no_file_is_named(
    kind: str, source: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The state that needs it fails, and says what it is."""
    KINDS[kind](root / "states/m")
    (root / "states/t.sls").write_text(f"{root}/made:\n  file.managed:\n    - source: {source}\n")
    assert run(root, "apply", "t") == 2
    assert f" is {kind}" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a folder"])
def test_a_pillar_file_that_is_no_file_is_named(
    kind: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--pillar-file` takes files, and what a shell hands over; a folder is refused by the command line."""
    (root / "states/t.sls").write_text(STATE)
    KINDS[kind](root / "given")
    assert run(root, "apply", "t", "--pillar-file", str(root / "given")) == 1
    assert f"given is {kind}" in capsys.readouterr().err


def test_a_pillar_file_may_be_a_pipe_of_the_shell(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--pillar-file <(command)` is read to its end, and /dev/null holds nothing."""
    reading, writing = os.pipe()
    os.write(writing, b"port: 8080\n")
    os.close(writing)
    try:
        given = ("--pillar-file", f"/dev/fd/{reading}", "--pillar-file", "/dev/null")
        assert run(root, "show", "pillar", *given, "--out", "json") == 0
    finally:
        os.close(reading)
    assert "8080" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_a_grains_file_that_is_no_file_is_named(
    kind: str, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The grains that are found are there all the same, and a warning says why the others are not."""
    KINDS[kind](root / "grains")
    assert minion_grains("box", own_grains_file=str(root / "grains"))["id"] == "box"
    assert f"it is {kind}" in caplog.text


def test_a_file_that_is_too_large_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bound is said, and the file is not read beyond it."""
    with (root / "states/t.sls").open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)
    assert run(root, "apply", "t") == 1
    err = capsys.readouterr().err
    assert "error[E0219]" in err
    assert "64 MiB" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize(("closed", "code"), [("states/t.sls", "E0208"), ("states", "E0114")])
def test_what_may_not_be_read_is_named(
    closed: str, code: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The owner's mode is named as the reason, of the file as of a folder above it."""
    (root / "states/t.sls").write_text(STATE)
    (root / closed).chmod(0)
    try:
        assert run(root, "apply", "t") == 1
    finally:
        (root / closed).chmod(0o700)
    err = capsys.readouterr().err
    assert f"error[{code}]" in err
    assert "Permission denied" in err
