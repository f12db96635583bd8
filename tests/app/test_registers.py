"""What may be registered: the same rules as for resources that pillar declares, with the same places."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

NEEDY = """
SECRET_KEYS = frozenset()
def check(config):
    return [] if "url" in config else ["`url` is missing"]
def connect(context): raise NotImplementedError
async def ping(connection): return True
async def grains(connection, context): return {}
"""
BY_HAND = """
from ensue import derived
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
import asyncio
async def context(ctx, name, config):
    await asyncio.to_thread(ctx.registry.register, Srn.parse(name), config)
    return StateReturn(name=name, result=True)
async def api(ctx, name, config):
    type_, _, id_ = name.partition(":")
    await asyncio.to_thread(derived.register, ctx.opts, type_, id_, config)
    return StateReturn(name=name, result=True)
async def at_once(ctx, name, config):
    type_, _, id_ = name.partition(":")
    derived.register(ctx.opts, type_, id_, config)
async def directly(ctx, name, config):
    ctx.registry.register(Srn.parse(name), config)
FUNCTIONS = {"context": context, "api": api, "at_once": at_once, "directly": directly}
"""
UNIQUE = "ids of resources are unique over all types, minions included (choose another id)"
AN_SRN = "(write <type>:<id>, for example ssh_host:web-01)"
BOUND = (
    "holds a reference, and which resources a state registers is known before it runs (write the name out)"
)
PORT = "`port` must be a number from 1 to 65535, not"
NO_TYPE = "there is no resource type 'ssh_hots' (did you mean ssh_host?)"
UNKNOWN = "ssh_host:x is not registered: unknown key `prot` (did you mean `port`?)"


@pytest.fixture(autouse=True)
def needy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed distribution with a resource type that has a key it cannot do without."""
    site = tmp_path / "site"
    (site / "needy-1.dist-info").mkdir(parents=True)
    (site / "needy.py").write_text(NEEDY)
    (site / "needy-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: needy\nVersion: 1\n")
    (site / "needy-1.dist-info/entry_points.txt").write_text("[ensue.resources]\nneedy = needy\n")
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])


def sls(root: Path, registers: str, new_state: str = "{}") -> None:
    lines = "".join(f"      - {line}\n" for line in registers.splitlines())
    text = f"vm:\n  test.present:\n    - new_state: {new_state}\n    - registers:\n{lines}"
    write(root, states__t=text)


def refused(root: Path) -> list[str]:
    with pytest.raises(CompileError) as caught:
        apply(root, "t")
    return [f"{diagnostic.code} {diagnostic.message}" for diagnostic in caught.value.diagnostics]


def known(root: Path) -> list[str]:
    async def names() -> list[str]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return [str(record.srn) for record in await project.resources()]

    return asyncio.run(names())


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("ssh_host:x: {prot: 5}", "E0705: ssh_host:x: unknown key `prot` (did you mean `port`?)"),
        ("ssh:x: {port: many}", "E0705: ssh_host:x: `port` must be a number from 1 to 65535, not 'many'"),
        ("ssh_host:x: {user: 5}", "E0705: ssh_host:x: `user` must be text, not a number"),
        ("ssh_host:x: {5: y}", "E0705: ssh_host:x: the key 5 is not text (put it in quotes)"),
        (
            "ssh_host:x: [1]",
            "E0705: the configuration of ssh_host:x is [1] (it is a mapping, for example `host: 192.0.2.1`)",
        ),
        ("needy:x: {}", "E0705: needy:x: `url` is missing"),
        ("ssh_hots:x: {host: y}", f"E0704: {NO_TYPE}: ssh_hots:x is to be registered"),
        (
            "ssh_host: {host: y}",
            f"E0705: `registers` of 'vm' names no resource: not a resource name: 'ssh_host' {AN_SRN}",
        ),
        (
            "'ssh_host:${self:id}': {}",
            f"E0705: `registers` of 'vm' names no resource: 'ssh_host:${{self:id}}' {BOUND}",
        ),
        ("minion:m: {root: /}", f"E0702: minion:m cannot be registered: minion:m has its id: {UNIQUE}"),
        (
            "ssh_host:box: {}",
            f"E0702: ssh_host:box cannot be registered: ssh_host:box has its id: {UNIQUE}",
        ),
        (
            "ssh_host:x: {prot: '${self:port}'}",
            "E0705: ssh_host:x: unknown key `prot` (did you mean `port`?)",
        ),
    ],
)
def test_what_is_wrong_before_a_run_is_refused_before_it(entry: str, expected: str, tmp_path: Path) -> None:
    """A name, type, id or literal key that is wrong is a diagnostic with the entry's place; nothing runs."""
    write(tmp_path, pillar__top="base: {'*': [r]}\n", pillar__r="resources: {ssh_host: {box: {host: x}}}\n")
    sls(tmp_path, entry)
    assert refused(tmp_path) == [expected.replace(":", " states/t.sls:5:9:", 1)]


def test_everything_that_is_wrong_is_told_together(tmp_path: Path) -> None:
    """All entries, all their keys and what is wrong elsewhere; two entries of one id are refused."""
    sls(tmp_path, "ssh_host:x: {prot: 5, usr: y}\nneedy:x: {url: a}\nneedy:y: {}")
    with (tmp_path / "states/t.sls").open("a") as file:
        file.write("other: test.nopp\n")
    assert [error.split(": ")[0] for error in refused(tmp_path)] == [
        "E0705 states/t.sls:5:9",
        "E0705 states/t.sls:5:9",
        "E0702 states/t.sls:6:9",
        "E0705 states/t.sls:7:9",
        "E0401 states/t.sls:8:1",
    ]


def test_pillar_and_registers_say_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What may not be registered cannot be used if pillar declares it, in the same words."""
    config = "{prot: 5, timeout: 0, files: ftp}"
    sls(tmp_path, f"ssh_host:x: {config}")
    by_state = [error.partition("9: ")[2] for error in refused(tmp_path)]
    write(
        tmp_path,
        states__t="a: test.nop\n",
        pillar__top="base: {'*': [r]}\n",
        pillar__r=f"resources:\n  ssh_host:\n    x: {config}\n",
    )
    apply(tmp_path, "t")
    (by_pillar,) = {record.getMessage() for record in caplog.records if "E0703" in record.getMessage()}
    place, _, faults = by_pillar.partition(" is not used: ")
    assert place == "E0703: pillar/r.sls:3:5: ssh_host:x"
    assert sorted(by_state) == [f"ssh_host:x: {part}" for part in sorted(faults.split("; "))]
    assert len(by_state) == 3


def test_what_only_a_run_knows_is_refused_by_the_run(tmp_path: Path) -> None:
    """Values of `${self:…}` are checked first; a fault of one entry registers none of them."""
    sls(
        tmp_path,
        "ssh_host:good: {host: '${self:host}', user: 'u-${self:port}'}\n"
        "ssh_host:bad: {host: '${self:port}', port: '${self:host}'}\nssh_host:whole: '${self:all}'\n"
        "needy:n: '${self:port}'",
        "{host: h, port: 70000, all: {usr: x}}",
    )
    for test in (True, False):
        (returned,) = apply(tmp_path, "t", test=test).returns.values()
        assert returned.result is False
        assert returned.comment.splitlines() == [
            "states/t.sls:6:9: ssh_host:bad is not registered: `host` must be text, not a number",
            f"states/t.sls:6:9: ssh_host:bad is not registered: {PORT} 'h'",
            "states/t.sls:7:9: ssh_host:whole is not registered: unknown key `usr` (did you mean `user`?)",
            "states/t.sls:8:9: the configuration of needy:n is not a mapping",
        ]
        assert known(tmp_path) == ["minion:m"]
    sls(tmp_path, "ssh_host:good: {host: '${self:host}'}\nneedy:n:", "{host: h}")
    assert [error.partition("needy")[2] for error in refused(tmp_path)] == [":n: `url` is missing"]


def test_a_conflict_registers_none_of_a_states_entries(tmp_path: Path) -> None:
    """An id that another type has fails the state by name, and its other entries are not there either."""
    sls(tmp_path, "needy:one: {url: a}")
    assert apply(tmp_path, "t").exit_code == 0
    sls(tmp_path, "ssh_host:two: {}\nssh_host:one: {}")
    (returned,) = apply(tmp_path, "t").returns.values()
    assert returned.result is False
    assert "states/t.sls:5:9: ssh_host:one cannot be registered: its id belongs to needy:one" in (
        returned.comment
    )
    assert known(tmp_path) == ["minion:m", "needy:one"]


@pytest.mark.parametrize("how", ["context", "api"])
@pytest.mark.parametrize(
    ("name", "config", "why"),
    [
        ("ssh_host:x", "{prot: 5}", UNKNOWN),
        ("needy:x", "{}", "needy:x is not registered: `url` is missing"),
        ("ssh_hots:x", "{}", f"ssh_hots:x is not registered: {NO_TYPE}"),
    ],
)
def test_a_function_that_registers_is_held_to_the_same(
    how: str, name: str, config: str, why: str, tmp_path: Path
) -> None:
    """Through its context and through `ensue.derived`: its state fails, with the state's place."""
    write(tmp_path, states__t=f"a:\n  mine.{how}:\n    - name: {name}\n    - config: {config}\n")
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(BY_HAND)
    (returned,) = apply(tmp_path, "t").returns.values()
    assert (returned.result, returned.comment) == (False, f"states/t.sls:2:3: {why}")
    assert known(tmp_path) == ["minion:m"]


@pytest.mark.parametrize("function", ["at_once", "directly"])
def test_a_coroutine_that_would_wait_for_itself_is_refused(tmp_path: Path, function: str) -> None:
    """Registering waits for the event loop: a coroutine that does it there fails, and registers nothing."""
    write(tmp_path, states__t=f"a:\n  mine.{function}:\n    - name: dummy:x\n    - config: {{}}\n")
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(BY_HAND)
    (returned,) = apply(tmp_path, "t").returns.values()
    assert returned.result is False
    assert "a coroutine cannot call this" in returned.comment
    assert "asyncio.to_thread" in returned.comment
    assert known(tmp_path) == ["minion:m"]


def test_outside_of_a_run_the_rules_are_the_same(tmp_path: Path) -> None:
    """`ensue.derived` refuses what a type refuses; a type that is not installed is taken as it is."""
    from ensue import derived
    from ensue.core.errors import ResourceError

    opts: dict[str, Any] = {"id": "m", "root": str(tmp_path)}
    with pytest.raises(ResourceError, match=r"unknown key `prot` \(did you mean `port`\?\)"):
        derived.register(opts, "ssh_host", "x", {"prot": 5})
    derived.register(opts, "elsewhere", "x", {"prot": 5})
    assert derived.get(opts, "elsewhere", "x") == {"prot": 5}


SKIPPED = """
vm:
  cmd.run:
    - name: touch {root}/made; echo '{{"address":"192.0.2.1"}}'
    - creates: {root}/made
    - registers:
      - dummy:box: {{grains: {{address: "${{self:stdout_json:address}}"{more}}}}}
"""


def test_a_skipped_state_registers_what_it_last_made(tmp_path: Path) -> None:
    """The second apply changes nothing, and a store that was lost gets it back; nothing is pruned."""
    write(tmp_path, states__t=SKIPPED.format(root=tmp_path, more=""))
    assert apply(tmp_path, "t").exit_code == 0

    (again,) = apply(tmp_path, "t").returns.values()
    assert (again.skipped, again.changes, again.new_state) == (True, {}, None)
    assert "dummy:box" in known(tmp_path)

    (tmp_path / ".ensue/store.db").unlink()
    (lost,) = apply(tmp_path, "t").returns.values()
    assert lost.changes == {"registered": ["dummy:box"]}


def test_a_skipped_state_that_never_ran_registers_nothing(tmp_path: Path) -> None:
    """It is no fault: what is registered stays as it is."""
    (tmp_path / "made").touch()
    write(tmp_path, states__t=SKIPPED.format(root=tmp_path, more=""))

    report = apply(tmp_path, "t")

    assert report.exit_code == 0
    assert known(tmp_path) == ["minion:m"]


WORDS = """
from ensue.core.model.returns import StateReturn
import asyncio
async def words(ctx, name, config):
    arguments = eval(name)
    done = await asyncio.to_thread(ctx.registry.register, *arguments, config, source="cloud:vm-1")
    return StateReturn(name=name, result=True, changes={"changed": done.changed})
FUNCTIONS = {"words": words}
"""


@pytest.mark.parametrize("arguments", ['("dummy", "db-01")', '("dummy:db-01",)'])
def test_a_plug_in_names_a_resource_as_it_likes(tmp_path: Path, arguments: str) -> None:
    """By type and id, or by both in one; its source is text."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/reg.py").write_text(WORDS)
    write(tmp_path, states__t=f"vm:\n  reg.words:\n    - name: '{arguments}'\n    - config: {{}}\n")

    (returned,) = apply(tmp_path, "t").returns.values()

    assert returned.changes == {"changed": True}, returned.comment
    assert "dummy:db-01" in known(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('("dummy",)', "not a resource name: 'dummy'"),
        ('("dummy", "a", "b")', 'write register("ssh_host", "db-01"'),
        ('("", "a")', "not a resource name: ':a'"),
    ],
)
def test_a_name_that_is_none_says_how_to_write_it(tmp_path: Path, arguments: str, message: str) -> None:
    """Nothing is registered."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/reg.py").write_text(WORDS)
    write(tmp_path, states__t=f"vm:\n  reg.words:\n    - name: '{arguments}'\n    - config: {{}}\n")

    (returned,) = apply(tmp_path, "t").returns.values()

    assert message in returned.comment
    assert known(tmp_path) == ["minion:m"]


def test_two_states_claim_one_id(tmp_path: Path) -> None:
    """Two types of one id are refused before anything runs, with both places; one resource twice is not."""
    state = "{0}:\n  test.present:\n    - new_state: a\n    - registers:\n      - {1}: {2}\n"
    write(tmp_path, states__t=state.format("a", "dummy:one", "{}") + state.format("b", "minion:one", "{}"))
    (error,) = refused(tmp_path)
    assert error.startswith("E0702 states/t.sls:10:9: dummy:one and minion:one have one id")
    assert "dummy:one is registered at states/t.sls:5" in error

    write(tmp_path, states__t=state.format("a", "dummy:one", "{}") + state.format("b", "dummy:one", "{}"))
    assert apply(tmp_path, "t").exit_code == 0


def test_a_plan_says_that_an_id_is_taken(tmp_path: Path) -> None:
    """The same as the apply, of what an earlier run registered."""
    state = "a:\n  test.present:\n    - new_state: a\n    - registers:\n      - {0}: {{}}\n"
    write(tmp_path, states__t=state.format("dummy:one"), states__u=state.format("minion:one"))
    assert apply(tmp_path, "t").exit_code == 0

    (planned,) = apply(tmp_path, "u", test=True).returns.values()
    (applied,) = apply(tmp_path, "u").returns.values()

    assert planned.result is applied.result is False
    assert planned.comment == applied.comment
    assert "its id belongs to dummy:one" in planned.comment


TWO_STATES = """
one:
  test.present:
    - new_state: {{address: 192.0.2.1}}
    - registers: [dummy:box: {{grains: {{address: 192.0.2.1}}}}]
two:
  test.present:
    - new_state: {{address: "{address}"}}
    - registers: [dummy:box: {{grains: {{address: "${{self:address}}"}}}}]
"""
SAME = TWO_STATES.format(address="192.0.2.1")
OTHER = TWO_STATES.format(address="192.0.2.9")
NAMES = """
one:
  test.present:
    - names:
      - x: [{new_state: {address: 192.0.2.1}}]
      - y: [{new_state: {address: 192.0.2.9}}]
    - registers: [dummy:box: {grains: {address: "${self:address}"}}]
"""
BLOCK = """
one:
  test.present:
    - new_state: {address: 192.0.2.1}
    - registers: [dummy:box: {grains: {address: 192.0.2.1}}]
    - delayed_render: [{block: more}]
#!delayed_block more
two:
  test.present:
    - new_state: {address: 192.0.2.9}
    - registers: [dummy:box: {grains: {address: 192.0.2.9}}]
#!end_delayed_block
"""


def test_two_states_that_register_the_same_change_nothing(tmp_path: Path) -> None:
    """The second says what is so already, in the first run and in the next."""
    write(tmp_path, states__t=SAME)
    first = apply(tmp_path, "t")
    assert [returned.changes for returned in first.returns.values()] == [{"registered": ["dummy:box"]}, {}]
    second = apply(tmp_path, "t")
    assert [returned.changes for returned in second.returns.values()] == [{}, {}]
    assert (first.exit_code, second.exit_code) == (0, 0)


@pytest.mark.parametrize("test", [False, True])
@pytest.mark.parametrize("how", ["registers", "context"])
def test_what_a_state_failed_to_register_is_not_registered_for_another(
    how: str, tmp_path: Path, *, test: bool
) -> None:
    """The second state that says the same fails as the first does: nothing is registered."""
    register = {
        "registers": "test.present: [registers: [{'ssh_host:box': {host: h}}]",
        "context": "mine.context: [name: 'ssh_host:box', config: {host: h}",
    }[how]
    taken = "taken: {test.present: [registers: [{'dummy:box': {}}]]}"
    write(
        tmp_path,
        states__taken=taken,
        states__t=f"one: {{{register}]}}\ntwo: {{{register}, onfail: [id: one]]}}\n",
    )
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(BY_HAND)
    assert apply(tmp_path, "taken").exit_code == 0
    first, second = apply(tmp_path, "t", test=test).returns.values()
    assert first.result is second.result is False
    assert "its id belongs to dummy:box" in second.comment


@pytest.mark.parametrize(
    ("text", "place", "other"),
    [(OTHER, "t.sls:9:19", "'one' (states/t.sls:3:3)"), (NAMES, "t.sls:7:19", "'one' (states/t.sls:3:3)")],
)
@pytest.mark.parametrize("test", [False, True])
def test_two_states_that_register_different_things_are_a_conflict(
    tmp_path: Path, text: str, place: str, other: str, *, test: bool
) -> None:
    """The second fails with both places, in a plan as well, and what the first registered stays."""
    write(tmp_path, states__t=text)
    for _ in range(2):
        _, second = apply(tmp_path, "t", test=test).returns.values()
        assert second.result is False
        what = "dummy:box was registered by"
        assert f"{place}: E0702: {what} {other} with another configuration" in second.comment
    assert known(tmp_path) == (["minion:m"] if test else ["dummy:box", "minion:m"])


def test_a_block_that_registers_another_thing_is_a_conflict(tmp_path: Path) -> None:
    """The scope does not matter."""
    write(tmp_path, states__t=BLOCK)
    report = apply(tmp_path, "t")
    (outer,) = report.returns.values()
    (inner,) = outer.delayed[0].returns.values()
    assert "E0702: dummy:box was registered by 'one'" in inner.comment
    assert report.exit_code == 2


@pytest.mark.parametrize(("address", "code"), [("192.0.2.1", 0), ("192.0.2.9", 2)])
def test_projects_that_share_a_store_do_not_take_each_others_resources(
    tmp_path: Path, address: str, code: int
) -> None:
    """Another project may say the same; the same declaration in another checkout may change it."""
    text = "one:\n  test.present:\n    - registers: [dummy:box: {{grains: {{address: {}}}}}]\n"
    for name in ("a", "b", "checkout"):
        write(tmp_path / name, states__t=text.format("192.0.2.1"))
        (tmp_path / name / "ensue.yaml").write_text(
            f"store_url: sqlite:///{tmp_path}/shared.db\nkey_source: file\ncachedir: {tmp_path}/cache\n"
        )
    write(tmp_path / "b", states__other=text.replace("one", "two").format(address))
    write(tmp_path / "checkout", states__t=text.format("192.0.2.5"))
    assert apply(tmp_path / "a", "t").exit_code == 0
    report = apply(tmp_path / "b", "other")
    assert report.exit_code == code
    (two,) = report.returns.values()
    assert two.changes == {}
    if code:
        assert f"E0702: dummy:box is registered by the SLS t of {tmp_path}/a with another" in two.comment
    assert apply(tmp_path / "checkout", "t").exit_code == 0
