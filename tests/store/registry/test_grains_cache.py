"""Cached grains: how long they are used, for whom, and what can be read of them on the disk."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.masking import MASK, Masker
from ensue.core.model.srn import Srn
from ensue.store.registry.grains_cache import GrainsCache
from ensue.store.registry.grains_file import FILE
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.store.registry.conftest import Clock

WEB = Srn("ssh_host", "web-01")
GRAINS: dict[str, Any] = {"os": "Debian", "ipv4": ["192.0.2.7"], "api_password": "hunter2-secret", "n": 1.5}


@pytest.fixture
def make_cache(cachedir: Path, clock: Clock) -> Iterator[Callable[..., GrainsCache]]:
    """Make caches of one project, each as another process would."""
    made: list[GrainsCache] = []

    def make(*, expiration_s: float = 300, masker: Masker | None = None) -> GrainsCache:
        cache = GrainsCache(
            cachedir,
            vault=ProjectVault.of_project(cachedir),
            masker=masker or Masker(),
            expiration_s=expiration_s,
            clock=lambda: clock.now_s,
        )
        made.append(cache)
        return cache

    yield make
    for cache in made:
        cache.close()


@pytest.fixture
def kept(make_cache: Callable[..., GrainsCache]) -> GrainsCache:
    """A cache with the grains of one resource."""
    cache = make_cache()
    cache.keep(WEB, "first", GRAINS)
    cache.flush()
    return cache


@pytest.mark.usefixtures("kept")
def test_another_process_reads_what_was_kept(make_cache: Callable[..., GrainsCache]) -> None:
    """Grains come back as they were, until they are too old."""
    assert make_cache().read({WEB: "first", Srn("dummy", "x"): "y"}) == {WEB: GRAINS}


@pytest.mark.usefixtures("kept")
def test_age_decides(make_cache: Callable[..., GrainsCache], clock: Clock) -> None:
    """Grains are used while they are younger than the option says; from the future they never are."""
    at_s = clock.now_s
    assert make_cache().gathered_at_s(WEB, "first") == at_s
    clock.now_s = at_s + 299
    assert make_cache().read({WEB: "first"})
    assert not make_cache(expiration_s=10).read({WEB: "first"})
    clock.now_s = at_s + 300
    assert not make_cache().read({WEB: "first"})
    clock.now_s = at_s - 1
    assert not make_cache().read({WEB: "first"})


@pytest.mark.usefixtures("kept")
def test_grains_belong_to_one_registration(make_cache: Callable[..., GrainsCache]) -> None:
    """A resource of the same name that was registered anew gets no grains of the old one."""
    assert make_cache().read({WEB: "second"}) == {}
    assert make_cache().gathered_at_s(WEB, "second") is None


def test_damage_within_the_file_is_found_when_it_is_read(
    kept: GrainsCache, make_cache: Callable[..., GrainsCache], cachedir: Path
) -> None:
    """The grains are gathered again, and the next process begins with a new file."""
    kept.close()
    with (cachedir / FILE).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 100_000)
    cache = make_cache()
    assert cache.read({WEB: "first"}) == {}
    cache.keep(WEB, "first", GRAINS)
    cache.flush()
    assert make_cache().read({WEB: "first"}) == {WEB: GRAINS}


def test_with_0_nothing_is_kept(make_cache: Callable[..., GrainsCache], cachedir: Path) -> None:
    """Neither grains nor a file."""
    cache = make_cache(expiration_s=0)
    cache.keep(WEB, "first", GRAINS)
    cache.flush()
    assert cache.read({WEB: "first"}) == {}
    assert not (cachedir / FILE).exists()


def test_nothing_of_them_is_in_the_clear(kept: GrainsCache, cachedir: Path) -> None:
    """Values and keys are encrypted, and only their owner can read the files."""
    kept.close()
    for path in cachedir.glob(f"{FILE}*"):
        content = path.read_bytes()
        assert b"hunter2" not in content
        assert b"Debian" not in content
        assert b"api_password" not in content
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_secret_stays_one(make_cache: Callable[..., GrainsCache]) -> None:
    """What was known as a secret when grains were gathered is masked by the process that reads them."""
    cache = make_cache(masker=Masker(["hunter2-secret"]))
    cache.keep(WEB, "first", {"motd": "hunter2-secret"})
    cache.flush()
    masker = Masker()
    assert make_cache(masker=masker).read({WEB: "first"}) == {WEB: {"motd": "hunter2-secret"}}
    assert masker.text("hunter2-secret") == MASK


def test_what_is_dropped_is_gone_at_once(kept: GrainsCache, make_cache: Callable[..., GrainsCache]) -> None:
    """Other processes do not see it either, and what waits to be written is not written any more."""
    kept.keep(WEB, "first", GRAINS)
    kept.drop([WEB])
    kept.flush()
    assert make_cache().read({WEB: "first"}) == {}


@pytest.mark.usefixtures("kept")
def test_with_another_key_grains_are_gathered_anew(
    make_cache: Callable[..., GrainsCache], cachedir: Path
) -> None:
    """Grains that cannot be decrypted count as absent."""
    (cachedir / "key").unlink()
    assert make_cache().read({WEB: "first"}) == {}


@pytest.mark.parametrize("damage", [b"no database" * 1000, b"", b"SQLite format 3\0" + bytes(5000)])
def test_a_damaged_file_is_made_anew(
    kept: GrainsCache, make_cache: Callable[..., GrainsCache], cachedir: Path, damage: bytes
) -> None:
    """It is replaced, since a cache can be made again."""
    kept.close()
    (cachedir / FILE).write_bytes(damage)
    cache = make_cache()
    assert cache.read({WEB: "first"}) == {}
    cache.keep(WEB, "first", GRAINS)
    cache.flush()
    assert make_cache().read({WEB: "first"}) == {WEB: GRAINS}


def test_what_is_no_data_is_not_kept(make_cache: Callable[..., GrainsCache]) -> None:
    """A grain that would come back as something else (a tuple) keeps its resource out of the cache."""
    cache = make_cache()
    cache.keep(WEB, "first", {"pair": (1, 2)})
    cache.keep(Srn("ssh_host", "huge"), "first", {"number": 2**70})
    cache.keep(Srn("ssh_host", "odd"), "first", {"what": object()})
    cache.flush()
    assert cache.read({WEB: "first", Srn("ssh_host", "huge"): "first", Srn("ssh_host", "odd"): "first"}) == {}


def test_many_are_read_with_one_query(make_cache: Callable[..., GrainsCache]) -> None:
    """There may be more resources than a statement of SQLite has parameters."""
    many = {Srn("dummy", f"d{number}"): "first" for number in range(40_000)}
    cache = make_cache()
    for srn in many:
        cache.keep(srn, "first", {"id": srn.id})
    cache.flush()
    assert len(make_cache().read(many)) == len(many)


def test_old_grains_leave_the_file(kept: GrainsCache, clock: Clock, cachedir: Path) -> None:
    """What is too old to be used is removed with the next write."""
    import sqlite3

    clock.now_s += 1000
    kept.keep(Srn("dummy", "d"), "first", {})
    kept.flush()
    with sqlite3.connect(cachedir / FILE) as connection:
        rows = connection.execute("SELECT srn FROM grains").fetchall()
    connection.close()
    assert rows == [("dummy:d",)]


def test_what_a_refresh_did_not_see_any_more_is_dropped(kept: GrainsCache) -> None:
    """The names of the last refresh are returned, and grains of resources that are gone are removed."""
    other = Srn("dummy", "d")
    assert kept.replace_seen([WEB]) == set()
    assert kept.replace_seen([other]) == {str(WEB)}
    assert kept.read({WEB: "first"}) == {}
    assert kept.replace_seen([]) == {str(other)}
