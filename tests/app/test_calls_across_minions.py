"""What the call of a state on a resource of another minion brings along, and what it is refused."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.minions_together import Together

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.minions_together import Outcome

MAKER = """\
made:
  test.present:
    - new_state: {}
    - registers:
      - dummy:box: {grains: {role: web}}
"""
BLOCK = "#!delayed_block more\nmore:\n  test.nop: []\n#!end_delayed_block\n"
TGT = "    - tgt: T@dummy:*\n"
_HERE = "http://127.0.0.1:1/x"
_ASSIGN = "(assign the state to the minion that manages the resource)"


def _run(root: Path, user: str, *, test: bool = False) -> tuple[Outcome, Together]:
    """Register `dummy:box` on the minion `a`, then run states of `b`."""
    asyncio.run(Together(root, {"a": MAKER}).run())
    together = Together(root, {"b": user}, test=test)
    return asyncio.run(together.run()), together


def test_a_folder_keeps_the_files_that_states_declare(tmp_path: Path) -> None:
    """`clean` removes what nobody declares, and knows what the states of the other minion declare."""
    user = f"""\
kept:
  file.managed:
    - name: /etc/app/kept
    - contents: kept
    - makedirs: true
{TGT}other:
  file.managed:
    - name: /etc/app/other
    - contents: other
{TGT}folder:
  file.directory:
    - name: /etc/app
    - clean: true
    - require: [file: kept]
{TGT}"""
    outcome, _ = _run(tmp_path, user)
    assert "removed" not in outcome.returns("b")["box folder"].changes
    (folder,) = (tmp_path / "a").rglob("files/etc/app")
    assert sorted(path.name for path in folder.iterdir()) == ["kept", "other"]


def test_mod_watch_knows_what_has_changed(tmp_path: Path) -> None:
    """The function that is called there lists the watched states that have changed here."""
    user = f"config:\n  test.succeed_with_changes: []\nuse:\n  test.nop:\n    - watch: [test: config]\n{TGT}"
    outcome, _ = _run(tmp_path, user)
    assert outcome.returns("b")["box use"].changes == {"Requisites with changes": ["test: config"]}


def test_a_call_has_what_was_enforced_and_what_is_pending(tmp_path: Path) -> None:
    """The managing minion gets the last `new_state`, and in a plan the required states that would change."""
    user = f"""\
first:
  file.managed:
    - name: /etc/first
    - contents: new
{TGT}second:
  test.present:
    - new_state: {{digest: planted-s3cret}}
    - sensitive: [digest]
    - require: [file: first]
{TGT}"""
    outcome, together = _run(tmp_path, user)
    assert [call.enforced for _, call in together.calls] == [None, None]
    outcome, together = _run(tmp_path, user)
    second = together.calls[1][1]
    assert second.enforced == {"digest": "planted-s3cret"}
    assert second.secrets == ("planted-s3cret",)
    assert b"planted-s3cret" not in b"".join(outcome.lines["b"])
    changed = user.replace("contents: new", "contents: newer")
    _, together = _run(tmp_path, changed, test=True)
    assert together.calls[1][1].pending == ("first",)


@pytest.mark.parametrize(
    ("option", "comment"),
    [
        (
            "tgt: T@dummy:* and G@role:x",
            "has its grains and pillar (name resources of other minions by T@, L@, M@ or their ids; `and M@b",
        ),
        ("tgt: I@role:x", "E0723: it cannot be decided whether the target matches dummy:box: a, which"),
        (
            "tgt: T@dummy:*\n    - delayed_render: [block: more]",
            "E0723: another minion manages dummy:box, so that `delayed_render` cannot be rendered",
        ),
        (
            "tgt: T@dummy:*\n    - contents: __slot__:salt:grains.get(role)",
            "E0723: another minion manages dummy:box, so that a slot cannot call a function on it here",
        ),
    ],
)
def test_what_needs_the_resource_itself_fails(tmp_path: Path, option: str, comment: str) -> None:
    """Its grains, and growth and slots for it, are those of the managing minion; no call is made."""
    user = f"use:\n  file.managed:\n    - name: /etc/motd\n    - {option}\n"
    outcome, together = _run(tmp_path, user + BLOCK)
    returned = outcome.returns("b")["box use"]
    assert returned.result is False
    assert comment in returned.comment
    assert together.calls == []


@pytest.mark.parametrize(
    "state",
    [
        "ssh_host.state_applied:\n    - name: dummy:box\n    - mods: more",
        "ssh_host.state_applied:\n    - name: box\n    - mods: more",
        "ssh_host.fetch_file:\n    - name: box\n    - remote_path: /a\n    - local_path: /nowhere/a",
    ],
)
def test_a_resource_of_another_minion_is_no_name(tmp_path: Path, state: str) -> None:
    """A state that takes a resource as its name says which minion manages it, and what to do."""
    outcome, together = _run(tmp_path, f"use:\n  {state}\n")
    returned = outcome.returns("b")["use"]
    assert returned.result is False
    assert (
        "is managed by the minion a, which alone can reach it (states run on it by `tgt: " in returned.comment
    )
    assert returned.comment.startswith("E0723: ")
    assert together.calls == []


def test_a_target_by_grains_may_be_narrowed_to_the_minion(tmp_path: Path) -> None:
    """What it says to do works: resources of other minions are left out by name."""
    _pillar_of(tmp_path / "b", {"resources": {"dummy": {"own": {"grains": {"role": "web"}}}}})
    user = "use:\n  test.nop:\n    - tgt: G@role:web and M@b\n"
    outcome, together = _run(tmp_path, user)
    assert {name: returned.result for name, returned in outcome.returns("b").items()} == {"own use": True}
    assert together.calls == []


def test_a_function_on_a_resource_of_another_minion_says_who_manages_it(tmp_path: Path) -> None:
    """`publish` answers for each target; for this one it is the reason."""
    published = "salt['publish.publish']('T@dummy:*', 'test.ping', tgt_type='compound')"
    user = f"use:\n  test.present:\n    - new_state: {{{{ {published} | tojson }}}}\n"
    outcome, _ = _run(tmp_path, user)
    answers = outcome.returns("b")["use"].new_state
    assert isinstance(answers, dict)
    assert str(answers["box"]).startswith("E0723: dummy:box is managed by the minion a")


def test_what_pillar_declares_on_another_minion_is_no_target(tmp_path: Path) -> None:
    """The state fails, and says what a target matches of other minions."""
    _pillar_of(tmp_path / "a", {"resources": {"dummy": {"declared": {}}}})
    outcome, _ = _run(tmp_path, "use:\n  test.nop:\n    - tgt: T@dummy:declared\n")
    comment = outcome.returns("b")["use"].comment
    assert "no minion or resource matches the target 'T@dummy:declared'" in comment
    assert "and none that pillar declares there: `require` the state that registers it" in comment


def test_a_block_reads_what_a_state_on_the_resource_has_returned(tmp_path: Path) -> None:
    """A state of the minion itself renders the block, which has further states on the resource."""
    user = f"""\
use:
  file.managed:
    - name: /etc/motd
    - contents: hello
{TGT}after:
  test.present:
    - new_state: {{path: "${{file:use[box]:path}}"}}
    - delayed_render: [block: more]
#!delayed_block more
late:
  file.managed:
    - name: {{{{ prev_ret.new_state.path }}}}.late
    - contents: late
{TGT}#!end_delayed_block
"""
    outcome, together = _run(tmp_path, user)
    (more,) = outcome.returns("b")["after"].delayed
    assert [returned.result for returned in more.returns.values()] == [True]
    assert [call.name for _, call in together.calls] == ["/etc/motd", "/etc/motd.late"]


@pytest.mark.parametrize(
    ("function", "arguments", "refused"),
    [
        ("file.managed", {"contents": "1 + 1", "template": "jinja"}, "a template"),
        ("file.managed", {"source": "/etc/hostname"}, "the source /etc/hostname"),
        ("file.managed", {"source": "file:///etc/hostname"}, "the source file:///etc/hostname"),
        ("file.managed", {"source": _HERE, "skip_verify": True}, f"the source {_HERE}"),
        ("file.managed", {"contents_pillar": "password"}, "pillar.get"),
        ("file.serialize", {"dataset_pillar": "password", "serializer": "json"}, "pillar.get"),
        (
            "file.accumulated",
            {"filename": "/etc/motd", "text": "x", "require_in": [{"file": "last"}]},
            "an accumulated text",
        ),
        ("starting_state.deployed", {"provider": "command", "command": "x"}, "the provider command"),
        ("module.run", {"pillar.items": []}, "pillar.items"),
        ("test.nop", {"unless": [{"fun": "pillar.get", "args": ["password"]}]}, "pillar.get"),
        ("test.nop", {"unless": [{"fun": "http.query", "args": [_HERE]}]}, "http.query"),
        ("test.nop", {"unless": [{"fun": "sdb.get", "args": ["sdb://x/y"]}]}, "sdb.get"),
    ],
)
def test_a_state_of_another_minion_reaches_the_resource_alone(
    tmp_path: Path, function: str, arguments: dict[str, Any], refused: str
) -> None:
    """What it sends is no template, and reads no file, no pillar and no program of the managing minion."""
    _pillar_of(tmp_path / "a", {"password": "planted-in-pillar"})
    options = {"name": "/etc/motd", "tgt": "dummy:box", **arguments}
    states = {
        "use": {function: [{name: value} for name, value in options.items()]},
        "last": {"file.touch": [{"name": str(tmp_path / "last")}]},
    }
    outcome, _ = _run(tmp_path, f"#!json\n{json.dumps(states)}")
    returned = outcome.returns("b")["box use"]
    assert returned.result is False
    assert f"E0897: {refused} is not for states of other minions {_ASSIGN}" in returned.comment
    assert b"planted-in-pillar" not in b"".join(outcome.lines["b"])


def _pillar_of(root: Path, pillar: dict[str, Any]) -> None:
    folder = root / "pillar"
    folder.mkdir(parents=True)
    (folder / "top.sls").write_text("base: {'*': [own]}\n")
    (folder / "own.sls").write_text(json.dumps(pillar))
