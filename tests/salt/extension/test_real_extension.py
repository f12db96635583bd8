"""ensue in stock Salt: its states in `state.apply`, and its resources as targets of the master."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from tests.salt.extension.stock import StockSalt

HOST = "jumphost-env-01"
PING = ("-C", f"T@ssh_host:{HOST}", "test.ping")
BOUND = """\
made:
  test.present:
    - new_state: {word: bound}
used:
  file.managed:
    - name: /bound
    - contents: ${test:made:word}
    - delayed_render:
      - block: later
#!delayed_block later
late:
  test.nop: []
#!end_delayed_block
"""
OWN_STATE = """\
def made(name):
    config = {"host": "192.0.2.9", "user": "planted-user"}
    changed = __salt__["derived_resources.register"]("ssh_host", name, config, "own:source")
    listed = name in __salt__["derived_resources.list_for_type"]("ssh_host")
    gone = __salt__["derived_resources.invalidate"]("own:source")
    comment = f"{changed} {listed} {gone}"
    return {"name": name, "result": True, "changes": {}, "comment": comment}
"""


def _by(key: str, returns: Any) -> dict[str, Any]:
    assert isinstance(returns, dict), returns
    return {returned[key]: returned for returned in returns.values()}


def _by_id(returns: Any) -> dict[str, Any]:
    return _by("__id__", returns)


def _apply(stock: StockSalt) -> dict[str, Any]:
    returns = _by_id(stock.call("state.apply", "env"))
    assert [returned["result"] for returned in returns.values()] == [True] * 3, returns
    stock.until(lambda: stock.salt(*PING) == {HOST: True}, "no such resource")
    return returns


if HAS_SALT:

    def test_the_document_runs_in_stock_salt(stock: StockSalt) -> None:
        """One `state.apply` creates a host, configures it, and fetches a file; a second changes nothing."""
        _apply(stock)
        config = (stock.base / "root" / "root" / "env-01-vpn.ovpn").read_text()
        assert "remote vpn.example.org 1194" in config
        again = _apply(stock)
        assert [returned["changes"] for returned in again.values()] == [{}] * 3, again
        assert not [returned for returned in again.values() if "warnings" in returned], again

    def test_the_master_calls_functions_on_a_derived_resource(stock: StockSalt) -> None:
        """The resource answers by its id, by its type, by a glob of its grain, and by its bare id."""
        _apply(stock)
        command = ("cmd.run", "grep -c ^remote /etc/openvpn/client.ovpn")
        expected = {HOST: "1"}
        for target in (("-C", f"T@ssh_host:{HOST}"), ("-C", "T@ssh_host"), ("-G", "id:jumphost-*"), (HOST,)):
            assert stock.salt(*target, *command) == expected, target
        assert stock.run("ensue.call", "T@ssh_host:jumphost-*", *command) == expected
        assert stock.run("ensue.call", "T@ssh_host:other-*", *command) == {}
        assert stock.run("ensue.target", "T@ssh_host:jump* or web1") == f"( T@ssh_host:{HOST} ) or web1"
        assert stock.salt("web1", "ensue.call", "T@ssh_host:jumphost-*", *command) == {"web1": expected}
        listed = stock.salt("web1", "ensue.resources")["web1"]
        assert listed[f"ssh_host:{HOST}"] == {
            "status": "active",
            "source": "starting_state:env-01",
            "origin": "derived",
        }

    def test_a_resource_has_only_the_functions_of_its_type(stock: StockSalt) -> None:
        """Modules of ensue run on the resource; any other function is refused, and runs nowhere."""
        _apply(stock)
        target = ("-C", f"T@ssh_host:{HOST}")
        grains = stock.salt(*target, "grains.items")[HOST]
        assert (grains["id"], grains["kernel"]) == (HOST, "Linux")
        assert stock.salt(*target, "file.file_exists", "/etc/openvpn/server.conf") == {HOST: True}
        refused = stock.salt(*target, "pillar.items")[HOST]
        assert "not supported for resource type 'ssh_host'" in refused, refused
        failed = stock.salt(*target, "file.read", "/etc/absent")[HOST]
        assert "/etc/absent" in failed, failed

    def test_states_run_on_a_resource(stock: StockSalt) -> None:
        """`state.apply` and `state.single` of the master change the resource once, and the minion never."""
        _apply(stock)
        target, path = ("-C", f"T@ssh_host:{HOST}"), str(stock.base / "out" / "marked")
        (stock.base / "states" / "mark.sls").write_text(
            f"{path}:\n  file.managed:\n    - contents: {{{{ grains['id'] }}}}\n    - makedirs: true\n"
        )
        planned = _by("name", stock.salt(*target, "state.apply", "mark", "test=True")[HOST])[path]
        assert planned["result"] is None, planned
        first = _by("name", stock.salt(*target, "state.apply", "mark")[HOST])[path]
        assert (first["result"], bool(first["changes"])) == (True, True), first
        single = ("state.single", "file.managed", f"name={path}", f"contents={HOST}")
        again = _by("name", stock.salt(*target, *single)[HOST])[path]
        assert (again["result"], again["changes"]) == (True, {}), again
        runner = stock.run("ensue.call", "T@ssh_host:jumphost-*", "state.apply", "mark")[HOST]
        assert [returned["changes"] for returned in runner.values()] == [{}], runner
        assert not (stock.base / "out" / "marked").exists()

    def test_a_removed_environment_is_no_target(stock: StockSalt) -> None:
        """After `starting_state.absent` the master no longer finds the resource."""
        _apply(stock)
        returns = _by_id(stock.call("state.apply", "teardown"))
        assert returns["remove_environment"]["changes"]["invalidated"] == [f"ssh_host:{HOST}"], returns
        stock.until(lambda: not stock.salt("-C", "T@ssh_host", "test.ping"), "it is still a target")

    def test_failures_are_those_of_the_state(stock: StockSalt) -> None:
        """A resource that does not exist fails its own state, with near names, and a plan says so."""
        (stock.base / "states" / "wrong.sls").write_text(
            "no-such-host:\n  ssh_host.state_applied:\n    - mods: openvpn.init\n"
            "env-02:\n  starting_state.deployed:\n    - provider: nobody\n"
        )
        returns = _by_id(stock.call("state.apply", "wrong"))
        assert [returned["result"] for returned in returns.values()] == [False, False], returns
        assert "no-such-host" in returns["no-such-host"]["comment"]
        assert "nobody" in returns["env-02"]["comment"]

    def test_ensue_applies_sls_on_a_minion(stock: StockSalt) -> None:
        """`ensue.apply` compiles with ensue: references are resolved, and delayed blocks run."""
        (stock.base / "states" / "bound.sls").write_text(BOUND)
        planned = stock.salt("web1", "ensue.plan", "bound")["web1"]
        assert not (stock.base / "root" / "bound").exists(), planned
        returns = _by_id(stock.salt("web1", "ensue.apply", "bound")["web1"])
        assert set(returns) == {"made", "used", "late"}, returns
        assert (stock.base / "root" / "bound").read_text() == "bound\n"
        (stock.base / "states" / "bound.sls").unlink()
        gone = stock.salt("web1", "ensue.apply", "bound")["web1"]
        assert "bound" in gone, gone
        assert isinstance(gone, str), "Salt's cache still has the file, and the master does not"

    def test_the_runner_applies_sls_to_minions(stock: StockSalt) -> None:
        """`salt-run ensue.apply` is a run over minions, with the master's own configuration."""
        (stock.base / "states" / "nop.sls").write_text("quiet:\n  test.nop: []\n")
        returns = _by_id(stock.run("ensue.apply", "web1", "nop")["web1"])
        assert returns["quiet"]["result"] is True, returns

    def test_state_modules_of_users_register_resources(stock: StockSalt) -> None:
        """The module `derived_resources` registers in ensue's registry; configurations are encrypted."""
        folder = stock.base / "states" / "_states"
        folder.mkdir(exist_ok=True)
        (folder / "own.py").write_text(OWN_STATE)
        (stock.base / "states" / "own.sls").write_text("vm-9:\n  own.made: []\n")
        assert stock.call("saltutil.sync_states") == ["states.own"]
        returned = _by_id(stock.call("state.apply", "own"))["vm-9"]
        assert returned["comment"] == "True True ['ssh_host:vm-9']", returned
        planted = [
            path
            for path in (stock.base / "web1").rglob("*")
            if path.is_file() and b"planted-user" in path.read_bytes() and "own" not in path.name
        ]
        assert planted == [], [*map(str, planted)]
