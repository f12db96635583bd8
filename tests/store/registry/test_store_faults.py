"""Wrong keys, tampering, damage: each has a clear error, and nothing is lost."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.engine import make_url

from ensue.core.errors import KeyFileError, StoreError, TamperedError, WrongKeyError
from ensue.core.model.resource import DeclaredBy, RegistrationRequest
from ensue.core.model.srn import Srn
from ensue.store.registry import schema
from ensue.store.registry.store import CrossRunStore

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import MakeRegistry

HOST = Srn("ssh_host", "web-01")
ENV = Srn("starting_state", "env-01")
CONFIG: dict[str, Any] = {"host": "10.20.30.40", "password": "hunter2-secret"}
KEYS = [base64.b64encode(bytes([n]) * 32).decode() for n in range(3)]


def _row(cachedir: Path, key: str) -> bytes:
    with closing(sqlite3.connect(cachedir / "store.db")) as database:
        (config,) = database.execute("SELECT config FROM ensue_resource WHERE id = ?", (key,)).fetchone()
    assert isinstance(config, bytes)
    return config


def _change(cachedir: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(cachedir / "store.db")) as database, database:
        database.execute(statement, values)


def test_a_wrong_key_opens_nothing_and_changes_nothing(make_registry: MakeRegistry, cachedir: Path) -> None:
    """With another key nothing is read, registered or re-encrypted; with the right one all is as before."""
    make_registry(key=KEYS[0]).register(HOST, CONFIG, source=ENV)
    before = _row(cachedir, HOST.id)
    wrong = make_registry(key=KEYS[1])
    for use in (
        lambda: wrong.get(HOST),
        lambda: wrong.register(HOST, CONFIG, source=ENV),
        lambda: wrong.register(Srn("ssh_host", "new"), CONFIG),
        lambda: wrong.observe(ENV, {"status": "stopped"}),
        wrong.rotate,
    ):
        with pytest.raises((WrongKeyError, KeyFileError), match="key"):
            use()
    assert [record.srn for record in wrong.records()] == [HOST]
    assert _row(cachedir, HOST.id) == before
    assert make_registry(key=KEYS[0]).get(HOST) == CONFIG


def test_a_lost_key_file_is_not_replaced(make_registry: MakeRegistry, cachedir: Path) -> None:
    """Without its key file the store says so; no new key is made, so that the old one can be put back."""
    make_registry().register(HOST, CONFIG)
    (cachedir / "key").rename(cachedir / "elsewhere")
    lost = make_registry()
    for use in (lambda: lost.get(HOST), lambda: lost.register(HOST, CONFIG)):
        with pytest.raises(KeyFileError, match="missing"):
            use()
    assert not (cachedir / "key").exists()
    (cachedir / "elsewhere").rename(cachedir / "key")
    assert lost.get(HOST) == CONFIG


def test_a_key_file_that_others_may_read_opens_nothing(make_registry: MakeRegistry, cachedir: Path) -> None:
    """The store is not opened with such a key; after the chmod that the message names it is."""
    make_registry().register(HOST, CONFIG)
    (cachedir / "key").chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        make_registry().get(HOST)
    (cachedir / "key").chmod(0o600)
    assert make_registry().get(HOST) == CONFIG


def test_rotation_re_encrypts_everything(make_registry: MakeRegistry, cachedir: Path) -> None:
    """Every configuration is encrypted anew, reads as before, and fingerprints still hold."""
    registry = make_registry()
    hosts = [Srn("ssh_host", f"h-{n}") for n in range(1200)]
    for host in hosts[:3]:
        registry.register(host, CONFIG, source=ENV, source_grains={"status": "succeeded"})
    before = _row(cachedir, "h-1")
    early = make_registry()
    assert early.get(hosts[0]) == CONFIG
    assert registry.rotate() == 3
    assert _row(cachedir, "h-1")[2:10] != before[2:10]
    assert registry.get(hosts[1]) == early.get(hosts[1]) == make_registry().get(hosts[1]) == CONFIG
    assert not early.register(hosts[0], CONFIG, source=ENV).changed
    assert registry.observe(ENV, {"status": "succeeded"}) == []
    assert registry.observe(ENV, {"status": "stopped"}) == hosts[:3]


def test_rotation_goes_through_all_pages(make_registry: MakeRegistry, cachedir: Path) -> None:
    """A store of several pages is re-encrypted completely: the old key is not needed any more."""
    from ensue.store.registry.entry import RegistrationRequest

    registry = make_registry()
    batch = [RegistrationRequest(srn=Srn("ssh_host", f"h-{n}"), config=CONFIG) for n in range(1201)]
    registry.register_many(batch)
    assert registry.rotate() == 1201
    lines = (cachedir / "key").read_text().splitlines()
    assert len([line for line in lines if not line.startswith("#")]) == 2
    (cachedir / "key").write_text("\n".join(lines[:-1]))
    assert all(make_registry().get(request.srn) == CONFIG for request in batch[::100])


def test_keys_of_the_environment_rotate_in_two_steps(make_registry: MakeRegistry) -> None:
    """NEW,OLD and a rotation; then NEW alone reads, and OLD alone does not."""
    make_registry(key=KEYS[0]).register(HOST, CONFIG)
    assert make_registry(key=f"{KEYS[1]},{KEYS[0]}").get(HOST) == CONFIG
    assert make_registry(key=f"{KEYS[1]},{KEYS[0]}").rotate() == 1
    assert make_registry(key=KEYS[1]).get(HOST) == CONFIG
    with pytest.raises(WrongKeyError):
        make_registry(key=KEYS[0]).get(HOST)


def test_flipped_bytes_show(make_registry: MakeRegistry, cachedir: Path) -> None:
    """A changed byte anywhere in a configuration is tampering for reading and registering alike."""
    registry = make_registry()
    registry.register(HOST, CONFIG)
    sealed = _row(cachedir, HOST.id)
    for offset in range(0, len(sealed), 5):
        changed = bytearray(sealed)
        changed[offset] ^= 0x10
        _change(cachedir, "UPDATE ensue_resource SET config = ?", bytes(changed))
        with pytest.raises(TamperedError, match=str(HOST)):
            registry.get(HOST)
        with pytest.raises(TamperedError, match=str(HOST)):
            registry.register(HOST, CONFIG)
        assert _row(cachedir, HOST.id) == bytes(changed)
    _change(cachedir, "UPDATE ensue_resource SET config = ?", sealed)
    assert registry.get(HOST) == CONFIG


def test_swapped_rows_show(make_registry: MakeRegistry, cachedir: Path) -> None:
    """A configuration put under another name, type or source does not open."""
    registry = make_registry()
    registry.register(HOST, CONFIG, source=ENV)
    registry.register(Srn("ssh_host", "web-02"), {"host": "evil"}, source=ENV)
    _change(cachedir, "UPDATE ensue_resource SET config = ? WHERE id = 'web-01'", _row(cachedir, "web-02"))
    with pytest.raises(TamperedError, match="web-01"):
        registry.get(HOST)
    with pytest.raises(TamperedError, match="web-01"):
        registry.rotate()
    _change(cachedir, "UPDATE ensue_resource SET source = 'starting_state:env-09' WHERE id = 'web-02'")
    with pytest.raises(TamperedError, match="web-02"):
        registry.get(Srn("ssh_host", "web-02"))


def test_a_file_that_is_no_database_is_named_and_kept(make_registry: MakeRegistry, cachedir: Path) -> None:
    """A store file with other content is an error that names it; its content stays."""
    cachedir.mkdir(mode=0o700)
    path = cachedir / "store.db"
    for content in (b"this is not a database" * 100, b"", b"\x00" * 5000):
        path.write_bytes(content)
        registry = make_registry()
        for use in (lambda: registry.get(HOST), registry.records, lambda: registry.register(HOST, CONFIG)):  # noqa: B023  # called within this turn
            with pytest.raises(StoreError, match=str(path)):
                use()
        registry.close()
        assert path.read_bytes() == content


def test_a_damaged_database_never_lies(make_registry: MakeRegistry, cachedir: Path, tmp_path: Path) -> None:
    """With any byte of the file changed, reading gives what was registered, nothing, or a StoreError."""
    registry = make_registry()
    hosts = [Srn("ssh_host", f"web-{n:02d}") for n in range(8)]
    for host in hosts:
        registry.register(host, CONFIG, source=ENV)
    registry.close()
    path, whole = cachedir / "store.db", tmp_path / "whole"
    shutil.copy(path, whole)
    content = whole.read_bytes()
    for offset in range(0, len(content), max(1, len(content) // 150)):
        changed = bytearray(content)
        changed[offset] ^= 0xFF
        path.write_bytes(bytes(changed))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        damaged = make_registry()
        try:
            damaged.records()
            assert all(damaged.get(host) in (CONFIG, None) for host in hosts)
        except StoreError:
            pass
        damaged.close()
    shutil.copy(whole, path)
    assert make_registry().get(hosts[0]) == CONFIG


def test_a_newer_store_is_refused(make_registry: MakeRegistry, cachedir: Path) -> None:
    """A store that a newer ensue wrote is not touched."""
    make_registry().register(HOST, CONFIG)
    _change(cachedir, "UPDATE ensue_fact SET value = '99' WHERE name = 'schema_version'")
    with pytest.raises(StoreError, match="version 99"):
        make_registry().get(HOST)


def test_a_store_of_version_1_is_brought_up_to_date(make_registry: MakeRegistry, cachedir: Path) -> None:
    """What it holds is read; who registered it is not known, so that no run orphans it."""
    registry = make_registry()
    registry.register(HOST, CONFIG)
    registry.close()
    _change(cachedir, "ALTER TABLE ensue_resource DROP COLUMN orphaned")
    _change(cachedir, "ALTER TABLE ensue_resource DROP COLUMN declared_by")
    _change(cachedir, "UPDATE ensue_fact SET value = '1' WHERE name = 'schema_version'")
    first, second = make_registry(), make_registry()
    with ThreadPoolExecutor() as threads:
        assert list(threads.map(lambda reader: reader.get(HOST), (first, second))) == [CONFIG, CONFIG]
    assert first.declarations() == {}
    by = DeclaredBy(sls="t", scope="", tag="test_|-a_|-a_|-present")
    first.register_many([RegistrationRequest(srn=HOST, config=CONFIG, declared_by=by)])
    assert second.declarations() == {by: [HOST]}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(make_registry: MakeRegistry, tmp_path: Path) -> None:
    """If nothing can be made there, the error names the file."""
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"store\.db: the store cannot be created: Permission denied"):
        make_registry().register(HOST, CONFIG)
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_store_must_outlive_the_process(make_registry: MakeRegistry, url: str) -> None:
    """A database in memory is refused."""
    with pytest.raises(StoreError, match="sqlite:///FILE"):
        make_registry(store_url=url)


@pytest.mark.parametrize("url", ["nonsense", "oracle+nodriver://bob:hunter2@127.0.0.1/x"])
def test_a_url_that_cannot_be_opened_is_told_without_its_password(
    make_registry: MakeRegistry, url: str
) -> None:
    """The message names the store, never its password."""
    registry = make_registry(store_url=url)
    with pytest.raises(StoreError) as caught:
        registry.register(HOST, CONFIG)
    assert "hunter2" not in str(caught.value)


def test_the_store_may_be_elsewhere(make_registry: MakeRegistry, cachedir: Path, tmp_path: Path) -> None:
    """`store_url` names another file; its folder is made, keys and log stay below the cachedir."""
    registry = make_registry(store_url=f"sqlite:///{tmp_path}/other/place.db")
    registry.register(HOST, CONFIG)
    assert (tmp_path / "other" / "place.db").exists()
    assert sorted(path.name for path in cachedir.iterdir()) == ["audit.jsonl", "audit.jsonl.head", "key"]


@pytest.mark.parametrize("cut", [0, 1, 15, 16, 99, 100, 511, 4095, 4096, 16_000, -4096, -1])
def test_a_store_that_was_cut_off_says_so(make_registry: MakeRegistry, cachedir: Path, cut: int) -> None:
    """The error names the file, what is lost and what to do; the file stays, and a whole one works."""
    registry = make_registry()
    registry.register(HOST, CONFIG)
    registry.close()
    path = cachedir / "store.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    damaged = make_registry()
    for use in (damaged.records, lambda: damaged.get(HOST), lambda: damaged.register(HOST, CONFIG)):
        with pytest.raises(
            StoreError, match=r"(damaged|overwritten).*restore it from a copy.*register them"
        ) as caught:
            use()
        assert str(caught.value).startswith(f"{path}: ")
        assert path.read_bytes() == whole[:cut]
    damaged.close()
    path.write_bytes(whole)
    assert make_registry().get(HOST) == CONFIG


def test_what_cannot_be_logged_is_not_done(make_registry: MakeRegistry, cachedir: Path) -> None:
    """The audit line is written before the commit: without it every operation leaves the store as it was."""
    registry = make_registry()
    registry.register(HOST, CONFIG, source=ENV, source_grains={"status": "succeeded"})
    before, row = registry.records(), _row(cachedir, HOST.id)
    log = cachedir / "audit.jsonl"
    log.rename(cachedir / "elsewhere")
    log.mkdir()
    other = Srn("ssh_host", "web-02")

    for use in (
        lambda: registry.register(other, CONFIG),
        lambda: registry.register(HOST, {"host": "10.0.0.1"}),
        lambda: registry.register(other, CONFIG, scope="run"),
        lambda: registry.observe(ENV, {"status": "failed"}),
        lambda: registry.invalidate(ENV),
        lambda: registry.forget(HOST),
        lambda: registry.get(HOST),
        registry.rotate,
    ):
        with pytest.raises(StoreError, match="audit"):
            use()

    log.rmdir()
    (cachedir / "elsewhere").rename(log)
    assert registry.records() == before
    assert _row(cachedir, HOST.id) == row
    assert make_registry().get(HOST) == CONFIG


def test_a_server_that_never_answers_is_given_up(cachedir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port that accepts connections and says nothing ends within the limit for connecting."""
    pytest.importorskip("psycopg", reason="needs psycopg: pip install 'ensue[postgres]'")
    monkeypatch.setattr(schema, "CONNECT_S", 2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql+psycopg://u@127.0.0.1:{server.getsockname()[1]}/d"
        store = CrossRunStore(cachedir, url=url)
        with pytest.raises(StoreError, match="timeout"), store.reading():
            pass


def test_the_deadlines_of_a_url_have_priority() -> None:
    """What a URL says itself is not changed; drivers without libpq get none."""
    url = make_url("postgresql+psycopg://u@h/d?connect_timeout=3&keepalives_count=9")
    assert schema._deadlines(url).keys() == {"keepalives_idle", "keepalives_interval", "tcp_user_timeout"}
    assert schema._deadlines(make_url("postgresql+pg8000://u@h/d")) == {}
