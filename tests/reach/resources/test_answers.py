"""Answers of a target that make no sense: each is an error with the path, never one of Python's."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.contracts.connection import Command, Completed, FileStat
from ensue.core.errors import RemoteFileError
from ensue.core.model.numbers import whole_number
from ensue.core.model.own_grains import read_own_grains
from ensue.core.model.srn import Srn
from ensue.reach.resources.answers import checked_names, digest_in, stat_in
from ensue.reach.resources.os_release import os_grains
from ensue.reach.resources.posix_files import PosixFiles
from ensue.reach.resources.posix_grains import grains_from, parse_facts
from ensue.reach.resources.ssh_host.accounts import RemoteAccounts

SRN = Srn("ssh_host", "far")
WORDS = st.sampled_from(
    ["81a4", "0", "-1", "1000", "UNKNOWN", "nan", "inf", "1e999", "9" * 5000, "x", "ffffffff", "\n", "²", "٣"]
)
PRINTED = st.one_of(
    st.binary(max_size=80), st.lists(WORDS, max_size=10).map(lambda words: " ".join(words).encode())
)


@given(PRINTED)
@example(b"81a4 0 0 root root 5 1 1")
@example(b"81a4 0 0 root root 5 1e300 1")
@example(b"0 0 0 root root 5 1 1")
def test_a_described_path_is_sensible_or_refused(printed: bytes) -> None:
    """What `stat` printed becomes a description whose numbers are some, or an error."""
    try:
        file_stat = stat_in(SRN, "/f", printed)
    except RemoteFileError as error:
        assert "/f" in str(error)  # noqa: PT017 -- most examples raise nothing
        return
    assert isinstance(file_stat, FileStat)
    assert file_stat.size_bytes >= 0
    assert abs(file_stat.mtime_s) < 1 << 40


@given(st.binary(max_size=80))
def test_a_checksum_is_one_or_refused(printed: bytes) -> None:
    """Only 64 hexadecimal digits are a checksum."""
    with pytest.raises(RemoteFileError, match="no checksum"):
        digest_in(SRN, "/f", printed)
    assert digest_in(SRN, "/f", b"\\" + b"a" * 64 + b"  -\n") == "a" * 64


@pytest.mark.parametrize("name", ["", "a/b", "../x", "/etc", "a\0b", "x" * 1_000_000])
def test_what_is_no_name_is_refused(name: str) -> None:
    """A folder that holds something with a path for a name is not listed; the message stays short."""
    with pytest.raises(RemoteFileError, match="not a name") as caught:
        checked_names(SRN, "/d", ["fine", name])
    assert len(str(caught.value)) < 300


def test_odd_names_are_names() -> None:
    """Whatever a Linux file can be called is listed; the folder itself and the one above are not."""
    odd = ["\n", "\x1b[2J", "\udcff", "a\\b", " ", "-rf", "..."]
    assert checked_names(SRN, "/d", [".", "..", *odd]) == sorted(odd)


@given(st.binary(max_size=60), st.sampled_from([0, 1, 81, 82, 88, 255, -9]))
def test_file_operations_survive_any_answer(printed: bytes, returncode: int) -> None:
    """Whatever a shell prints, and however it ends, an operation returns or raises what its contract says."""

    async def run(command: Command) -> Completed:
        del command
        return Completed(returncode=returncode, stdout=printed, stderr=printed)

    files = PosixFiles(SRN, run)

    async def all_of_them() -> None:
        for operation in (files.stat, files.checksum, files.list_directory, files.read):
            try:
                await operation("/f")
            except RemoteFileError:
                continue

    asyncio.run(all_of_them())


FACTS = [
    "num_cpus",
    "uid",
    "meminfo",
    "cpuinfo",
    "address",
    "hwaddr",
    "hosts",
    "os_release",
    "own_grains",
    "cgroup",
]
VALUES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["9" * 5000, "MemTotal: -1 kB", "eth0 ::1%x", "VERSION_ID=" + "9" * 5000, "ID='", "²"]),
)


@given(st.lists(st.tuples(st.sampled_from(FACTS), VALUES), max_size=8))
def test_any_facts_give_grains(facts: list[tuple[str, str]]) -> None:
    """Whatever a host prints when it is asked for its grains, some grains come of it."""
    text = "\n".join(f"{name}={value}" for name, value in facts)
    assert grains_from(parse_facts(text), id_="far")["id"] == "far"


@pytest.mark.parametrize(
    "text",
    [
        "a: !!bool x",
        "a: !!timestamp x",
        "a: !!int ''",
        "a: " + "[" * 100_000,
        "a: &a [*a]",
        "x0: &x0 [1]\n" + "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    ],
)
def test_own_grains_that_are_a_trap(text: str) -> None:
    """A file of own grains that cannot be read, or never ends, is not looked at."""
    with pytest.raises(ValueError, match=r"\w"):
        read_own_grains(text)
    assert grains_from(parse_facts("\n".join(f"own_grains={line}" for line in text.splitlines())), id_="far")


def test_a_release_of_many_digits_is_text() -> None:
    """Python makes no number of thousands of digits; a system does not print one either."""
    assert os_grains("ID=debian\nVERSION_ID=" + "9" * 5000, machine="")["osrelease_info"] == ["9" * 5000]
    assert whole_number("9" * 5000) is None


@given(st.text(alphabet="rot:x0123456789²\n", max_size=40))
@example("root:x:" + "9" * 5000)
def test_any_list_of_accounts_is_read(text: str) -> None:
    """A number that is not in what a host says of its users is its own name."""

    async def read(_: str) -> bytes:
        return text.encode()

    async def getent(*_: str) -> str:
        return text

    accounts = RemoteAccounts(read, getent)
    assert asyncio.run(accounts.name("passwd", 10**19)) == str(10**19)
