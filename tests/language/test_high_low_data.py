"""What `ensue show low` and `show high` give, beside what Salt 3008.5 gave for the same files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ensue.app.project import AppProject, ProjectOptions

if TYPE_CHECKING:
    from pathlib import Path

T = """
include: [u]
a:
  test.nop:
    - unless: ['false', {fun: test.fail}]
    - onlyif: 'true'
    - creates: /x
    - check_cmd: ['true']
    - failhard: true
    - retry: {attempts: 3, interval: 1}
    - parallel: true
    - order: 5
    - require:
      - test: b
      - sls: u
    - require_in:
      - test: c
    - listen: [b]
    - umask: 77
    - runas: root
    - reload_modules: true
    - fire_event: true
    - aggregate: true
    - foo: bar
b:
  test.nop:
    - names: [x, y: [{z: 1}]]
c: test.nop
d:
  test.nop:
    - watch_any: [test: c]
    - order: last
"""
U = """
e:
  test:
    - nop
    - name: named
  cmd.run:
    - name: 'true'
    - watch: [{test: e}]
"""
# As `salt-call --local state.show_low_sls t` prints it, but for `__requisites__`, which is ensue's own.
IN_T: dict[str, Any] = {"state": "test", "fun": "nop", "__sls__": "t", "__env__": "base"}
IN_U: dict[str, Any] = {"__sls__": "u", "__env__": "base", "__sls_included_from__": ["t"], "__id__": "e"}
OPTIONS = {
    "unless": ["false", {"fun": "test.fail"}],
    "onlyif": "true",
    "creates": "/x",
    "check_cmd": ["true"],
    "failhard": True,
    "retry": {"attempts": 3, "interval": 1},
    "parallel": True,
    "order": 5,
    "require": [{"test": "b"}, {"sls": "u"}],
    "require_in": [{"test": "c"}],
    "listen": ["b"],
    "umask": 77,
    "runas": "root",
    "reload_modules": True,
    "fire_event": True,
    "aggregate": True,
    "foo": "bar",
}
LOW = [
    {**IN_U, "state": "test", "fun": "nop", "name": "named", "order": 10000},
    {**IN_U, "state": "cmd", "fun": "run", "name": "true", "watch": [{"test": "e"}], "order": 10001},
    {**IN_T, "__id__": "b", "name": "x", "order": 10002.0001},
    {**IN_T, "__id__": "b", "name": "y", "z": 1, "order": 10002.0002},
    {**IN_T, "__id__": "a", "name": "a", **OPTIONS},
    {**IN_T, "__id__": "c", "name": "c", "order": 10003},
    {**IN_T, "__id__": "d", "name": "d", "watch_any": [{"test": "c"}], "order": 1010102},
]


def shown(root: Path, what: Any) -> Any:
    (root / "states").mkdir()
    (root / "states/t.sls").write_text(T)
    (root / "states/u.sls").write_text(U)

    async def show() -> Any:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.show(what, ["t"])

    return asyncio.run(show())


def test_low_data_is_what_salt_shows(tmp_path: Path) -> None:
    """Every argument, option and requisite is shown as it is written, in order of execution."""
    low = [
        {key: value for key, value in chunk.items() if key != "__requisites__"}
        for chunk in shown(tmp_path, "low")
    ]
    assert low == LOW


def test_low_data_says_what_requisites_come_to(tmp_path: Path) -> None:
    """Each state has the states that it waits for, wherever the requisite is written."""
    requisites = {chunk["name"]: chunk.get("__requisites__") for chunk in shown(tmp_path, "low")}
    assert requisites["c"] == {"require": [{"test": "a"}]}
    assert requisites["true"] == {"watch": [{"test": "e"}]}
    assert requisites["a"]["require"] == [{"test": "b"}, {"test": "b"}, {"test": "e"}, {"cmd": "e"}]
    assert requisites["x"] is None


def test_high_data_has_options_and_places(tmp_path: Path) -> None:
    """High data is the declarations with function, order, SLS, environment, and what included the SLS."""
    high = shown(tmp_path, "high")
    assert high["e"] == {
        "test": [{"name": "named"}, "nop", {"order": 10000}],
        "cmd": [{"name": "true"}, {"watch": [{"test": "e"}]}, "run", {"order": 10001}],
        "__sls__": "u",
        "__env__": "base",
        "__sls_included_from__": ["t"],
    }
    assert {
        word: value for entry in high["a"]["test"] if isinstance(entry, dict) for word, value in entry.items()
    } == OPTIONS
