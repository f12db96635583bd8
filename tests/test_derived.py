"""The public functions over a project's registry."""

from __future__ import annotations

import asyncio
import base64
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ensue import derived
from ensue.core.errors import ResourceConflictError, ResourceError, StoreError, WrongKeyError
from ensue.core.masking import Masker
from ensue.core.model.srn import Srn

CONFIG: dict[str, Any] = {"host": "10.20.30.40", "user": "worker", "password": "hunter2-secret"}
HOST = Srn("ssh_host", "jumphost-env-01")
ENV = Srn("starting_state", "env-01")


@pytest.fixture
def opts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.delenv("ENSUE_KEY", raising=False)
    return {"id": "minion-1", "root": str(tmp_path), "cachedir": ".ensue"}


def test_the_five_functions_outside_of_runs(opts: dict[str, Any]) -> None:
    """Register, read, list, trace and invalidate work with nothing but the project's options."""
    assert derived.get(opts, "ssh_host", HOST.id) is None
    assert derived.register(opts, "ssh_host", HOST.id, CONFIG, "starting_state:env-01").changed
    assert not derived.register(opts, "ssh_host", HOST.id, CONFIG, source_srn=ENV).changed
    assert derived.get(opts, "ssh_host", HOST.id) == CONFIG
    assert derived.list_for_type(opts, "ssh_host") == [HOST.id]
    assert derived.provenance(opts, str(HOST)) == (ENV,)
    assert derived.invalidate(opts, "starting_state:env-01") == [HOST]
    assert derived.get(opts, "ssh_host", HOST.id) is None


def test_the_options_say_where_everything_is(opts: dict[str, Any], tmp_path: Path) -> None:
    """A relative cachedir is below the root, an absolute one is itself, store_url may be elsewhere."""
    derived.register(opts, "dummy", "a", {})
    assert (tmp_path / ".ensue" / "store.db").exists()
    elsewhere = {**opts, "cachedir": str(tmp_path / "abs"), "store_url": f"sqlite:///{tmp_path / 'b.db'}"}
    derived.register(elsewhere, "dummy", "b", {})
    assert (tmp_path / "b.db").exists()
    assert (tmp_path / "abs" / "key").exists()
    assert derived.list_for_type(opts, "dummy") == ["a"]


def test_another_process_sees_it(opts: dict[str, Any]) -> None:
    """What one process registered another one reads, at the same time."""
    derived.register(opts, "ssh_host", "a", CONFIG)
    program = f"from ensue import derived; print(derived.get({opts!r}, 'ssh_host', 'a')['host'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "10.20.30.40"


def test_inside_a_run_the_runs_registry_is_used(opts: dict[str, Any]) -> None:
    """Entries of the run are seen by tasks and threads of the run, and by nobody else."""

    async def run() -> list[list[str]]:
        with derived.using_registry(derived.open_registry(opts, run_id="run-1")) as registry:
            derived.register(opts, "ssh_host", HOST.id, CONFIG, scope="run")
            seen = [await asyncio.to_thread(derived.list_for_type, opts, "ssh_host")]
            async with asyncio.TaskGroup() as group:
                inner = group.create_task(asyncio.to_thread(derived.list_for_type, opts, "ssh_host"))
            registry.close()
        return [*seen, inner.result(), derived.list_for_type(opts, "ssh_host")]

    assert asyncio.run(run()) == [[HOST.id], [HOST.id], []]


def test_a_given_masker_is_told(opts: dict[str, Any]) -> None:
    """A registry opened with a masker tells it every secret it reads."""
    derived.register(opts, "ssh_host", HOST.id, CONFIG)
    masker = Masker()
    with derived.using_registry(derived.open_registry(opts, masker=masker)) as registry:
        derived.get(opts, "ssh_host", HOST.id)
        registry.close()
    assert masker.text("hunter2-secret") == "(sensitive)"
    assert derived.mask_config(CONFIG)["password"] == "(sensitive)"


@pytest.mark.parametrize("name", ["", "no-colon", "bad type:x", "t:", "t: x"])
def test_a_malformed_name_is_refused(opts: dict[str, Any], name: str) -> None:
    """A name that is no SRN is told as such, with the form it should have."""
    with pytest.raises(ResourceError, match="<type>:<id>"):
        derived.invalidate(opts, name)
    with pytest.raises(ResourceError, match="<type>:<id>"):
        derived.register(opts, "dummy", "a", {}, source_srn=name)


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/derived-store.md shows works as it stands there."""
    monkeypatch.delenv("ENSUE_KEY", raising=False)
    page = (Path(__file__).parent.parent / "docs" / "derived-store.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    variables: dict[str, Any] = {}
    exec("\n".join(examples).replace("/srv/project", str(tmp_path)), variables)  # noqa: S102  # our own page
    assert (tmp_path / ".ensue" / "store.db").exists()
    assert derived.get(variables["opts"], "ssh_host", "jumphost-env-01") is None


def test_faults_come_through(opts: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A conflict, an unknown key source and a wrong key are told as what they are."""
    derived.register(opts, "dummy", "a", {})
    with pytest.raises(ResourceConflictError, match="dummy:a"):
        derived.register(opts, "ssh_host", "a", {})
    with pytest.raises(StoreError, match="key_source"):
        derived.get({**opts, "key_source": "nowhere"}, "dummy", "a")
    monkeypatch.setenv("ENSUE_KEY", base64.b64encode(b"o" * 32).decode())
    with pytest.raises(WrongKeyError, match="ENSUE_KEY"):
        derived.get(opts, "dummy", "a")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"scope": "rn"}, "scope is 'rn' .*`cache` or `run`"),
        ({"ttl_s": "60"}, "ttl_s is '60' .*number of seconds"),
        ({"ttl_s": True}, "ttl_s is True .*number of seconds"),
    ],
)
def test_an_option_of_a_wrong_value_is_refused(
    opts: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    """A misspelt scope is not another one; nothing is registered."""
    with pytest.raises(ResourceError, match=message):
        derived.register(opts, "ssh_host", "a", CONFIG, **more)
    assert derived.list_for_type(opts, "ssh_host") == []


def test_a_type_is_listed_by_its_other_name(opts: dict[str, Any]) -> None:
    """`ssh` is `ssh_host` in every function."""
    derived.register(opts, "ssh", "a", CONFIG)

    assert derived.list_for_type(opts, "ssh") == ["a"]
    assert derived.get(opts, "ssh", "a") == CONFIG
