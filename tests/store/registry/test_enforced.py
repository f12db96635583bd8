"""The enforced state is kept across processes, with its secrets encrypted, and found by references."""

from __future__ import annotations

import sqlite3
import stat
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ensue.core.errors import KeyFileError, StoreError, TamperedError
from ensue.core.masking import Masker
from ensue.core.model.returns import Return
from ensue.core.model.srn import Srn
from ensue.store.registry.enforced import EnforcedStore
from ensue.store.registry.enforced_file import FILE, EnforcedFile
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MINION = Srn("minion", "m1")
OPENED: list[EnforcedStore] = []


def returned(id_: str, new_state: Any, **fields: Any) -> Return:
    """Return the return of a `cloud.instance.present`."""
    known: dict[str, Any] = {
        "tag": f"cloud.instance_|-{id_}_|-{id_}_|-present",
        "id": id_,
        "name": id_,
        "sls": "vm",
        "module": "cloud.instance",
        "function": "present",
        "scope": "",
        "target": str(MINION),
        "result": True,
        "changes": {},
        "comment": "",
        "new_state": new_state,
        **fields,
    }
    return Return(**known)


def store_in(cachedir: Path, masker: Masker | None = None, environment: str = "") -> EnforcedStore:
    """Return the store as a new process would see it."""
    vault = ProjectVault.of_project(cachedir, environment={})
    masker = Masker() if masker is None else masker
    return opened(EnforcedStore(cachedir, vault=vault, masker=masker, environment=environment))


def opened(store: EnforcedStore) -> EnforcedStore:
    """Have a store closed at the end of the test."""
    OPENED.append(store)
    return store


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


def keep(cachedir: Path, *returns: Return, masker: Masker | None = None, environment: str = "") -> None:
    """Write returns as one run does."""
    store = store_in(cachedir, masker, environment)
    store.begin_run("run-1")
    for back in returns:
        store.note(back)
    store.flush()
    store.close()


def test_another_process_finds_what_was_kept(cachedir: Path) -> None:
    """What one run notes, a later one finds, with data of all kinds."""
    data = {"id": "i-1", 80: ["open", None, 1.5], "big": 2**63, "blob": b"\x00\xff", "on": True}
    keep(cachedir, returned("vm", data))
    (state,) = store_in(cachedir).find(MINION, "", "cloud.instance", "vm")
    assert state.new_state == data
    assert (state.function, state.sls, state.sensitive) == ("present", "vm", ())


def test_integers_of_any_size_are_kept(cachedir: Path) -> None:
    """An integer that is too large for the store is kept as text; the rest stays as it was."""
    keep(cachedir, returned("vm", {"huge": [2**80, 7]}))
    (state,) = store_in(cachedir).find(MINION, "", "cloud", "vm")
    assert state.new_state == {"huge": [str(2**80), 7]}


@pytest.mark.parametrize("path", ["cloud", "cloud.instance"])
def test_a_path_is_whole_or_a_dotted_prefix(cachedir: Path, path: str) -> None:
    """`cloud` means `cloud.instance`, and `clou` means nothing."""
    keep(cachedir, returned("vm", {}))
    store = store_in(cachedir)
    assert len(store.find(MINION, "", path, "vm")) == 1
    assert store.find(MINION, "", path[:-1], "vm") == []


def test_id_and_name_both_find_in_their_scope_only(cachedir: Path) -> None:
    """An entry is found by its ID and by its name, once; one of another scope is not."""
    keep(
        cachedir,
        returned("a", {"n": 1}, name="same"),
        returned("same", {"n": 2}),
        returned("same", {"n": 3}, scope="caller/block", scope_identity="c/block:block"),
    )
    states = store_in(cachedir).find(MINION, "", "cloud", "same")
    assert [entry.new_state for entry in states] == [{"n": 1}, {"n": 2}]
    (inner,) = store_in(cachedir).find(MINION, "c/block:block", "cloud", "same")
    assert inner.new_state == {"n": 3}
    assert store_in(cachedir).find(Srn("ssh_host", "m1"), "", "cloud", "same") == []


def test_only_what_was_made_true_is_kept(cachedir: Path) -> None:
    """A failed state, an undecided one and one without a new state leave the entry as it was."""
    keep(cachedir, returned("vm", {"n": 1}))
    keep(
        cachedir,
        returned("vm", {"n": 2}, result=False),
        returned("vm", {"n": 3}, result=None),
        returned("vm", None),
    )
    (state,) = store_in(cachedir).find(MINION, "", "cloud", "vm")
    assert state.new_state == {"n": 1}


def test_a_later_run_replaces_it(cachedir: Path) -> None:
    """The last apply counts."""
    keep(cachedir, returned("vm", {"n": 1}))
    keep(cachedir, returned("vm", {"n": 2}))
    state = store_in(cachedir).of_state(returned("vm", None).identity)
    assert state is not None
    assert state.new_state == {"n": 2}


def test_secrets_are_encrypted_and_masked(cachedir: Path) -> None:
    """A secret is in no file in the clear; it is read with the key, and the masker knows it from then on."""
    declared = returned("vm", {"user": "root", "auth": {"password": "hunter2-secret"}}, sensitive=("auth",))
    known = returned("other", {"line": "token=s3cr3t-token", "port": 22})
    keep(cachedir, declared, known, masker=Masker(["s3cr3t-token"]))
    written = b"".join(path.read_bytes() for path in cachedir.glob(f"{FILE}*"))
    assert b"hunter2" not in written
    assert b"s3cr3t" not in written
    shown = {entry.state.id: entry.state.new_state for entry in store_in(cachedir).shown()}
    assert shown == {
        "vm": {"user": "root", "auth": "(sensitive)"},
        "other": {"line": "(sensitive)", "port": 22},
    }
    masker = Masker()
    store = store_in(cachedir, masker)
    (state,) = store.find(MINION, "", "cloud", "vm")
    assert state.new_state == declared.new_state
    (other,) = store.find(MINION, "", "cloud", "other")
    assert (other.new_state, other.sensitive) == (known.new_state, ("line",))
    assert masker.text("hunter2-secret and token=s3cr3t-token") == "(sensitive) and (sensitive)"


def test_what_an_entry_is_called_holds_no_secret(cachedir: Path) -> None:
    """A name, an ID, a tag and a scope made of a secret are masked in the file; the entry is never found."""
    secret = "s3cr3t-token"
    called = returned(f"user-{secret}", {"n": 1}, scope=f"add-{secret}/block", scope_identity=f"{secret}/b")
    keep(cachedir, called, masker=Masker([secret]))
    assert secret.encode() not in b"".join(path.read_bytes() for path in cachedir.glob(f"{FILE}*"))
    (shown,) = store_in(cachedir).shown()
    assert (shown.scope, shown.state.id, shown.state.name) == (
        "add-(sensitive)/block",
        "user-(sensitive)",
        "user-(sensitive)",
    )
    assert store_in(cachedir, Masker([secret])).of_state(called.identity) is None


def test_its_file_is_private(cachedir: Path) -> None:
    """Nobody else may read the file, nor the files of SQLite beside it."""
    store = store_in(cachedir)
    store.note(returned("vm", {}))
    store.flush()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in cachedir.glob(f"{FILE}*")}
    store.close()
    assert modes == {0o600}


def test_without_a_file_nothing_is_known_and_none_is_made(cachedir: Path) -> None:
    """Reading makes no file, and neither does a run in which no state has a new state."""
    store = store_in(cachedir)
    store.note(returned("vm", None))
    store.flush()
    assert store.find(MINION, "", "cloud", "vm") == []
    assert list(store.shown()) == []
    assert not cachedir.exists()


def test_what_is_forgotten_is_gone(cachedir: Path) -> None:
    """The rest stays; without entries nothing is written, so that no file is made."""
    store_in(cachedir).forget([])
    assert not (cachedir / FILE).exists()
    keep(cachedir, returned("vm", {"ip": 1}), returned("db", {"ip": 2}))
    store = store_in(cachedir)
    store.forget([row for row in store.known() if row.tag == returned("vm", {}).tag])
    assert [row.tag for row in store_in(cachedir).known()] == [returned("db", {}).tag]


def test_new_keys_reseal_it(cachedir: Path) -> None:
    """After a rotation the old key is not needed any more."""
    secret = returned("vm", {"password": "hunter2-secret"}, sensitive=("password",))
    keep(cachedir, secret, returned("plain", {"n": 1}))
    vault = ProjectVault.of_project(cachedir, environment={})
    store = opened(EnforcedStore(cachedir, vault=vault, masker=Masker()))
    vault.rotate()
    assert store.reseal() == 1
    (state,) = store_in(cachedir).find(MINION, "", "cloud", "vm")
    assert state.new_state == secret.new_state


def test_a_lost_key_and_a_changed_entry_are_said(cachedir: Path) -> None:
    """Without the key, and for an entry put in another's place, there is an error and no data."""
    keep(cachedir, *(returned(id_, {"p": "hunter2-" + id_}, sensitive=("p",)) for id_ in ("a", "b")))
    file = EnforcedFile(cachedir)
    first, second = file.all()
    file.write([msgspec.structs.replace(first, entry=second.entry)])
    file.close()
    with pytest.raises(TamperedError):
        store_in(cachedir).of_state(returned("a", None).identity)
    next(cachedir.glob("*key*")).unlink()
    with pytest.raises(KeyFileError):
        store_in(cachedir).find(MINION, "", "cloud", "b")


def test_a_secret_of_another_environment_cannot_be_put_in_place(cachedir: Path) -> None:
    """An encrypted value counts for its state in its environment alone."""
    for environment in ("", "--pillarenv dev", "--pillarenv prod"):
        secret = returned("a", {"p": f"hunter2-{environment}"}, sensitive=("p",))
        keep(cachedir, secret, environment=environment)
        assert store_in(cachedir, environment=environment).of_state(secret.identity) is not None
    file = EnforcedFile(cachedir)
    _, of_dev, of_prod = file.all()
    file.write([msgspec.structs.replace(of_dev, entry=of_prod.entry)])
    file.close()
    with pytest.raises(TamperedError):
        store_in(cachedir, environment="--pillarenv dev").of_state(returned("a", None).identity)


def test_new_keys_reseal_all_environments(cachedir: Path) -> None:
    """Each environment reads its own secret with the new key."""
    environments = ("", "--pillarenv dev", "--saltenv dev --pillarenv dev")
    for environment in environments:
        keep(cachedir, returned("a", {"p": f"of {environment}"}, sensitive=("p",)), environment=environment)
    vault = ProjectVault.of_project(cachedir, environment={})
    vault.rotate()
    assert opened(EnforcedStore(cachedir, vault=vault, masker=Masker())).reseal() == len(environments)
    for environment in environments:
        state = store_in(cachedir, environment=environment).of_state(returned("a", None).identity)
        assert state is not None
        assert state.new_state == {"p": f"of {environment}"}


@pytest.mark.parametrize(("content", "meant"), [(b"no database at all\n" * 99, "it is not an ensue store")])
def test_a_damaged_file_is_said(cachedir: Path, content: bytes, meant: str) -> None:
    """A file that is no database is named, with a way out."""
    cachedir.mkdir()
    (cachedir / FILE).write_bytes(content)
    with pytest.raises(StoreError, match=f"{FILE}: {meant}"):
        store_in(cachedir).find(MINION, "", "cloud", "vm")


def test_a_newer_file_is_refused(cachedir: Path) -> None:
    """A file of a later version is left alone."""
    keep(cachedir, returned("vm", {}))
    with sqlite3.connect(cachedir / FILE) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="use a newer ensue"):
        store_in(cachedir).find(MINION, "", "cloud", "vm")


def test_a_long_output_that_holds_a_secret_is_cut_after_masking(cachedir: Path) -> None:
    """No part of a secret is left at the end of what is kept in the clear, and both cuts are recorded."""
    masker = Masker()
    masker.add("hunter22-hunter22")
    vault = ProjectVault.of_project(cachedir, environment={})
    store = opened(EnforcedStore(cachedir, vault=vault, masker=masker, keep_output_bytes=20))
    store.note(returned("vm", {"out": "twelve chars hunter22-hunter22", "other": "y" * 30}))
    store.flush()
    (shown,) = store.shown()
    assert "hunter22" not in str(shown.state.new_state)
    assert shown.state.cut == (("out",), ("other",))
    (state,) = store.find(MINION, "", "cloud", "vm")
    assert state.whole == {}
    assert b"hunter22" not in (cachedir / FILE).read_bytes()
