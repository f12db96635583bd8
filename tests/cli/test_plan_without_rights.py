"""What an ordinary user of a host may not change fails in the plan, in the words of the apply."""

from __future__ import annotations

import json
import secrets
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.support.accounts import Account, needs_root
from tests.support.sshd import running_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell

STATES = {
    "new": ("file.managed", {"contents": "x"}),
    "config": ("file.managed", {"contents": "x"}),
    "none/new": ("file.managed", {"contents": "x", "makedirs": True}),
    "folder": ("file.directory", {}),
    "none/folder": ("file.directory", {"makedirs": True}),
    "empty": ("file.touch", {}),
    "link": ("file.symlink", {"target": "x"}),
    "copy": ("file.copy", {"source": "ROOT/config"}),
    "moved": ("file.rename", {"source": "ROOT/config"}),
    "config ": ("file.append", {"name": "ROOT/config", "text": "y"}),
    "config  ": ("file.replace", {"name": "ROOT/config", "pattern": "old", "repl": "y"}),
    "config   ": ("file.keyvalue", {"name": "ROOT/config", "key": "key", "value": "y", "separator": "="}),
    "config    ": ("file.absent", {"name": "ROOT/config"}),
    "full": ("file.directory", {"clean": True}),
    "other/empty": ("file.pruned", {}),
    "tree": ("file.recurse", {"source": "salt://tree"}),
    "options": ("ini.options_present", {"sections": {"a": {"b": "c"}}}),
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, object], Path]]:
    """The entry of a host with an ordinary user, and a folder of root there that everybody may read."""
    account = Account(Path(f"/tmp/ensue-home-{secrets.token_hex(4)}"))
    with (
        running_sshd(
            tmp_path_factory.mktemp("sshd"), user=account.name, options={"PasswordAuthentication": "yes"}
        ) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        folder = Path(name)
        (folder / "full/empty").mkdir(parents=True)
        (folder / "other/empty").mkdir(parents=True)
        (folder / "config").write_text("key=old\n")
        folder.chmod(0o755)
        yield server.config(**account.login), folder
    account.remove()


@needs_root
@pytest.mark.openssh
@pytest.mark.parametrize("files", ["auto", "shell"])
def test_what_may_not_be_changed(shell: Shell, host: tuple[dict[str, object], Path], files: str) -> None:
    """Over SFTP and through a shell alike."""
    config, folder = host
    resources = {"resources": {"ssh_host": {"hosts": {"far": {**config, "files": files}}}}}
    shell.write("pillar/top.sls", "base: {'*': [resources]}\n")
    shell.write("pillar/resources.sls", yaml.safe_dump(resources))
    shell.write("states/tree/a", "x\n")
    states = {
        id_: {function: [{key: value} for key, value in {"name": f"ROOT/{id_}", **arguments}.items()]}
        for id_, (function, arguments) in STATES.items()
    }
    shell.write("states/t.sls", yaml.safe_dump(states).replace("ROOT", str(folder)))
    planned, applied = (comments(shell, verb) for verb in ("plan", "apply"))
    for id_ in STATES:
        assert "Permission denied (give the entry of the host `sudo: true`" in planned[f"far {id_}"], id_
        assert planned[f"far {id_}"] in applied[f"far {id_}"], id_


def comments(shell: Shell, verb: str) -> dict[str, str]:
    """Plan or apply the SLS, and return the comment of each state that fails, by ID."""
    ended = shell.run(verb, "t", "--tgt", "T@ssh_host:far", "--out", "json")
    assert ended.code == 2, ended.err
    [states] = json.loads(ended.out).values()
    return {each["__id__"]: each["comment"] for each in states.values() if each["result"] is False}
