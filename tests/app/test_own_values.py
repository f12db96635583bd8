"""Each scope reads its own values over many applies, whatever stands in the scopes around it."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError
from ensue.core.model.fan_out import parts_of
from ensue.store.registry.enforced_file import EnforcedFile
from ensue.store.registry.enforced_form import EnforcedRow, decode_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

pytestmark = pytest.mark.long

NEVER = "and no result of it from an apply is kept"


def write(root: Path, text: str, name: str = "t") -> None:
    path = root / "states" / f"{name}.sls"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def apply(root: Path, *mods: str, test: bool = False) -> RunReport:
    async def run() -> RunReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply(mods or ("t",), RunOptions(test=test), on_event=lambda _: None)

    return asyncio.run(run())


def comments(report: RunReport, beginning: str = "read") -> list[str]:
    """Return the comments of the states with an ID that begins with a word, in order of start."""
    matches = [
        returned for returned in every_return(report.returns.values()) if returned.id.startswith(beginning)
    ]
    return [returned.comment for returned in sorted(matches, key=lambda returned: returned.run_num)]


def every_return(returns: Iterable[Return]) -> Iterator[Return]:
    for returned in (part for whole in returns for part in parts_of(whole)):
        yield returned
        for scope in (*returned.delayed, *returned.applied):
            yield from every_return(scope.returns.values())


TWO_CALLERS = """
caller:
  test.nop:
    - names: {names}
    - delayed_render: [block: b]
#!delayed_block b delayed_repeat_limit=None
token:
  test.present:
    - new_state: {{v: "{edition} {{{{ prev_ret.name }}}}"}}
    {skip}
read:
  test.show_notification:
    - text: ${{test:token:v}}
#!end_delayed_block
"""
SKIPPED = "- unless: 'true'"


def test_the_order_of_callers_is_no_identity(tmp_path: Path) -> None:
    """Callers of one block keep their own values when they change places, and when one of them is gone."""
    write(tmp_path, TWO_CALLERS.format(names="[x, y]", edition="of", skip=""))
    assert comments(apply(tmp_path)) == ["of x", "of y"]
    for names, expected in (("[y, x]", ["of y", "of x"]), ("[y]", ["of y"]), ("[x, y]", ["of x", "of y"])):
        write(tmp_path, TWO_CALLERS.format(names=names, edition="new", skip=SKIPPED))
        assert comments(apply(tmp_path, test=True)) == expected
        assert comments(apply(tmp_path)) == expected
    write(tmp_path, TWO_CALLERS.format(names="[z]", edition="new", skip=SKIPPED))
    (comment,) = comments(apply(tmp_path))
    assert NEVER in comment


def test_a_block_and_an_id_with_slashes_are_distinguished(tmp_path: Path) -> None:
    """The scopes of block `b/c` of `a` and of block `c` of `a/b` have one path, but not one value."""
    text = (
        "{id}:\n  test.nop:\n    - delayed_render: [block: {block}]\n#!delayed_block {block}\n"
        "token:\n  test.present:\n    - new_state: {{v: {id}}}\n    {skip}\n"
        "read:\n  test.show_notification:\n    - text: ${{test:token:v}}\n#!end_delayed_block\n"
    )
    write(tmp_path, text.format(id="a", block="b/c", skip=""))
    assert comments(apply(tmp_path)) == ["a"]
    write(tmp_path, text.format(id="a/b", block="c", skip=SKIPPED))
    (comment,) = comments(apply(tmp_path))
    assert NEVER in comment
    write(tmp_path, text.format(id="a", block="b/c", skip=SKIPPED))
    assert comments(apply(tmp_path)) == ["a"]


def test_a_reference_within_a_block_reads_no_earlier_state_of_the_top(tmp_path: Path) -> None:
    """A state of another SLS can be named at the top, but not in a block: a reference crosses no scope."""
    write(tmp_path, "token:\n  test.present:\n    - new_state: {v: outer}\n", "base")
    read = "read:\n  test.show_notification:\n    - text: ${test:token:v}\n"
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n"
    apply(tmp_path, "base")
    write(tmp_path, read)
    assert comments(apply(tmp_path)) == ["outer"]
    write(tmp_path, f"{caller}#!delayed_block b\n{read}#!end_delayed_block\n")
    (entry,) = next(iter(apply(tmp_path).returns.values())).delayed
    assert entry.status == "failed"
    assert "names no state" in entry.comment


RETRIED = """
caller:
  ssh_host.state_applied:
    - name: minion:m
    - mods: there
    - retry: {attempts: 3, interval: 0.01}
"""
THERE = """
token:
  test.present:
    - new_state: {v: EDITION}
    - unless: test -e ROOT/mark
read:
  cmd.run:
    - name: echo read ${test:token:v} >> ROOT/read
mark:
  cmd.run:
    - name: touch ROOT/mark
ready:
  cmd.run:
    - name: echo x >> ROOT/calls; test $(wc -l < ROOT/calls) -gt LEAST
"""


def test_an_attempt_reads_what_the_attempt_before_made(tmp_path: Path) -> None:
    """A state that the first attempt made is skipped in the next, and is what the first made of it."""
    write(tmp_path, RETRIED)
    for edition, least in (("first", 1), ("second", 3)):
        write(
            tmp_path,
            THERE.replace("EDITION", edition).replace("ROOT", str(tmp_path)).replace("LEAST", str(least)),
            "there",
        )
        (tmp_path / "mark").unlink(missing_ok=True)
        assert [returned.result for returned in apply(tmp_path).returns.values()] == [True]
    lines = (tmp_path / "read").read_text().splitlines()
    assert lines == ["read first", "read first", "read second", "read second"]


def test_a_check_reads_what_the_state_made(tmp_path: Path) -> None:
    """The check of a `prereq` and a plan read what the apply of the same SLS made."""
    write(
        tmp_path,
        "before:\n  test.nop:\n    - prereq: [ssh_host: caller]\n"
        "caller:\n  ssh_host.state_applied:\n    - name: minion:m\n    - mods: there\n",
    )
    there = "token:\n  test.present:\n    - new_state: {v: 1}\n    SKIP\n"
    there += "read:\n  test.show_notification:\n    - text: ${test:token:v}\n"
    change = "change:\n  test.succeed_with_changes: []\n"
    write(tmp_path, there.replace("SKIP", "") + change, "there")
    assert comments(apply(tmp_path)) == ["1"]
    write(tmp_path, there.replace("SKIP", SKIPPED) + change, "there")
    for test in (True, False, True):
        assert comments(apply(tmp_path, test=test)) == ["1"]
    write(tmp_path, there.replace("SKIP", SKIPPED), "there")
    report = apply(tmp_path, test=True)
    assert [returned.result for returned in report.returns.values()] == [True, True]


def test_what_is_torn_down_is_named_by_its_own_scope(tmp_path: Path) -> None:
    """An SLS that takes things down reads the values of the top; the block's own end reads the block's."""
    token = "token:\n  test.present:\n    - new_state: {v: WHERE}\n"
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n#!delayed_block b\n"
    inner = f"{token.replace('WHERE', 'inner')}#!end_delayed_block\n"
    write(tmp_path, token.replace("WHERE", "outer") + caller + inner)
    apply(tmp_path)
    down = "read down:\n  test.show_notification:\n    - text: remove ${test:token:v}\n"
    write(tmp_path, f"{down}{caller}{down}#!end_delayed_block\n")
    for test in (True, False):
        assert comments(apply(tmp_path, test=test)) == ["remove outer", "remove inner"]


KNOWN = """
def known(ctx, name, v):
    before = ctx.enforced
    comment = f"knows {before.new_state['v'] if before else None}"
    return {"name": name, "result": True, "changes": {}, "comment": comment, "new_state": {"v": v}}


FUNCTIONS = {"known": known}
"""


def test_a_function_knows_what_it_made_in_its_own_scope(tmp_path: Path) -> None:
    """`ctx.enforced` of a state in a block is the entry of that state, not of its namesake outside."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/own.py").write_text(KNOWN)
    token = "token:\n  own.known: [v: {}]\n"
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n#!delayed_block b\n"
    write(tmp_path, token.format("outer"))
    assert comments(apply(tmp_path), "token") == ["knows None"]
    write(tmp_path, f"{token.format('outer')}{caller}{token.format('inner')}#!end_delayed_block\n")
    assert comments(apply(tmp_path), "token") == ["knows outer", "knows None"]
    assert comments(apply(tmp_path), "token") == ["knows outer", "knows inner"]


def test_a_skipped_state_registers_what_it_made_in_its_own_scope(tmp_path: Path) -> None:
    """A resource that a skipped state of a block registers is configured by that state's own value."""
    for folder in ("outer", "inner"):
        (tmp_path / folder).mkdir()
    make = "make:\n  test.present:\n    - new_state: {path: ROOT/WHERE}\n".replace("ROOT", str(tmp_path))
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n#!delayed_block b\n"
    registers = '    - registers:\n      - minion:box: {root: "${self:path}"}\n    SKIP\n'
    file = "file:\n  file.managed:\n    - name: /EDITION\n    - contents: x\n    - tgt: T@minion:box\n"
    outer, inner = make.replace("WHERE", "outer"), make.replace("WHERE", "inner") + registers
    text = f"{outer}{caller}{inner}#!end_delayed_block\n{file}"
    for edition, skip in (("first", ""), ("second", SKIPPED)):
        write(tmp_path, text.replace("SKIP", skip).replace("EDITION", edition))
        assert apply(tmp_path).exit_code == 0
    assert {path.name for path in (tmp_path / "inner").iterdir()} == {"first", "second"}


@dataclass
class Scope:
    """A scope that a test writes: the IDs of its producers, and the scopes that its callers open."""

    producers: list[str]
    callers: list[tuple[str, Scope]] = field(default_factory=list)


@dataclass
class Edition:
    """What one run makes of a tree of scopes: the producers it skips, the callers it lacks, and its order."""

    skipped: set[str]
    missing: set[str]
    backwards: set[str]
    number: int


def _scopes(below: st.SearchStrategy[Scope]) -> st.SearchStrategy[Scope]:
    kinds = st.sampled_from(["block", "sls", "apply", "require", "twins"])
    return st.builds(
        Scope,
        st.lists(st.sampled_from("ab"), unique=True, min_size=1),
        st.lists(st.tuples(kinds, below), max_size=2),
    )


TREES = _scopes(_scopes(_scopes(st.builds(Scope, st.just(["a", "b"])))))


def _places(scope: Scope, above: str = "") -> Iterator[tuple[str, Scope]]:
    yield above, scope
    for number, (kind, below) in enumerate(scope.callers):
        place = f"{above}{number}"
        if kind == "twins":
            yield from ((where, Scope(below.producers)) for where in (place, f"{place}x", f"{place}y"))
        else:
            yield from _places(below, place)


@st.composite
def histories(draw: st.DrawFn) -> tuple[Scope, list[Edition]]:
    """Return a tree of scopes, and editions of it."""
    tree = draw(TREES)
    places = dict(_places(tree))
    producers = [f"{place}{id_}" for place, scope in places.items() for id_ in scope.producers]
    some = st.sets(st.sampled_from(producers))
    editions = [
        Edition(
            skipped=draw(some) if number else set(),
            missing=draw(st.sets(st.sampled_from(sorted(places)))) - {""},
            backwards=draw(st.sets(st.sampled_from(sorted(places)))),
            number=number,
        )
        for number in range(3)
    ]
    return tree, editions


class Writer:
    """Writes the SLS of one edition, and works out what its readers have to read.

    Args:
        edition: the edition.
        known: what each producer last made true; updated as the edition runs.
    """

    def __init__(self, edition: Edition, known: dict[str, str]) -> None:
        self._edition = edition
        self.known = dict(known)
        self.expected: dict[str, str | None] = {}
        self.files: dict[str, str] = {}

    def text(self, scope: Scope, place: str = "") -> str:
        parts = [self._producer([place], place, id_) for id_ in scope.producers]
        parts += [
            self._caller(f"{place}{number}", kind, below)
            for number, (kind, below) in enumerate(scope.callers)
            if f"{place}{number}" not in self._edition.missing
        ]
        return "".join(reversed(parts) if place in self._edition.backwards else parts)

    def _producer(self, places: list[str], written: str, id_: str) -> str:
        """Return a producer and its reader; in a block of twins, `written` stands for several places."""
        is_skipped = f"{places[0]}{id_}" in self._edition.skipped
        for key in (f"{place}{id_}" for place in places):
            if not is_skipped:
                self.known[key] = f"{key} {self._edition.number}"
            self.expected[f"read {key}"] = self.known.get(key)
        skip = "    - creates: /\n" if is_skipped else ""
        value = f"{written}{id_} {self._edition.number}"
        return (
            f"{id_}:\n  test.present:\n    - new_state:\n        v: {value}\n{skip}"
            f"read {written}{id_}:\n  test.show_notification:\n    - text: ${{test:{id_}:v}}\n"
        )

    def _twins(self, place: str, below: Scope) -> str:
        """Return a declaration of two states that call one block."""
        names = [name for name in "xy" if f"{place}{name}" not in self._edition.missing]
        if not names:
            return ""
        if place in self._edition.backwards:
            names.reverse()
        own = f"c{place[-1]}"
        places = [f"{place}{name}" for name in names]
        inner = [self._producer(places, f"{place}{{{{ prev_ret.name }}}}", id_) for id_ in below.producers]
        return (
            f"{own}:\n  test.nop:\n    - names: {names}\n    - delayed_render: [block: {own}]\n"
            f"#!delayed_block {own} delayed_repeat_limit=None\n{''.join(inner)}#!end_delayed_block {own}\n"
        )

    def _caller(self, place: str, kind: str, below: Scope) -> str:
        if kind == "twins":
            return self._twins(place, below)
        name = f"c{place[-1]}"
        text = self.text(below, place)
        if kind in {"sls", "apply"}:
            self.files[f"late{place}"] = text
        if kind == "block":
            caller = f"{name}:\n  test.nop:\n    - delayed_render: [block: {name}]\n"
            return f"{caller}#!delayed_block {name}\n{text}#!end_delayed_block {name}\n"
        if kind == "require":
            return f"{name}:\n  test.nop: []\n#!require:{name}\n{text}#!END\n"
        if kind == "sls":
            return f"{name}:\n  test.nop:\n    - delayed_render: [sls: late{place}]\n"
        return f"{name}:\n  ssh_host.state_applied:\n    - name: minion:m\n    - mods: late{place}\n"


def read_in(report: RunReport) -> Mapping[str, str | None]:
    """Return what each reader read; None where its producer was skipped and has never run."""
    readers = [
        returned for returned in every_return(report.returns.values()) if returned.id.startswith("read ")
    ]
    assert all(reader.result is True or NEVER in reader.comment for reader in readers)
    return {reader.id: reader.comment if reader.result is True else None for reader in readers}


@settings(max_examples=settings.default.max_examples // 2)
@given(histories())
def test_every_scope_reads_its_own_values(history: tuple[Scope, list[Edition]]) -> None:
    """Whatever is skipped, missing or in another order, a reference reads what its own producer last made.

    All scopes have states of the same IDs and names; a dictionary by place is the reference.
    """
    tree, editions = history
    known: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for edition in editions:
            writer = Writer(edition, known)
            write(root, writer.text(tree))
            for name, text in writer.files.items():
                write(root, text, name)
            assert dict(read_in(apply(root, test=True))) == writer.expected
            assert dict(read_in(apply(root))) == writer.expected
            known = writer.known


def test_values_that_an_older_version_kept_for_a_path_are_not_read(tmp_path: Path) -> None:
    """Entries of ensue 0.1.0 for a path of scopes are shown, and never read; those of the top are read."""
    skipped = "token:\n  test.present:\n    - unless: 'true'\n"
    read = "read:\n  test.show_notification:\n    - text: ${test:token:v}\n"
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n"
    write(tmp_path, f"{skipped}{read}{caller}#!delayed_block b\n{skipped}{read}#!end_delayed_block\n")
    tag = "test_|-token_|-token_|-present"
    encode = msgspec.msgpack.encode
    file = EnforcedFile(tmp_path / ".ensue")
    for scope in ("", "caller/b", "test_|-caller_|-caller_|-nop/block:b"):
        own = ("test", "present", "token", "token", "t", encode({"v": f"of {scope or 'top'}"}), (), None, ())
        file.write([EnforcedRow("minion:m", scope, tag, "earlier", decode_entry(encode(own)))])
    file.close()
    of_top, of_block = comments(apply(tmp_path))
    assert of_top == "of top"
    assert NEVER in of_block

    async def shown() -> list[tuple[str, Any]]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            return [
                (entry.scope, entry.state.new_state)
                for entry in await project.enforced()
                if entry.state.id == "token"
            ]

    assert asyncio.run(shown())[:2] == [("", {"v": "of top"}), ("caller/b", {"v": "of caller/b"})]


ZONES = """
{id}:
  cmd.run:
    - name: echo '["{zone}"]' | tee {root}/z.json
    - {condition}
    - delayed_render: [block: each]
read:
  test.show_notification:
    - text: ${{cmd:{id}:stdout}}
#!delayed_block each
{{% for zone in prev_ret.new_state.stdout_json %}}
zone {{{{ zone }}}}:
  file.managed: [name: "{root}/zone-{{{{ zone }}}}", contents: x]
{{% endfor %}}
#!end_delayed_block
"""
CONDITIONS = ("creates: {root}/z.json", "unless: test -e {root}/z.json", "onlyif: test ! -e {root}/z.json")


def zones(root: Path, condition: str, *, id_: str = "zones", zone: str = "a", more: str = "") -> None:
    words = {"id": id_, "zone": zone, "root": root, "condition": condition.format(root=root)}
    write(root, ZONES.format(**words) + more)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_renamed_id_keeps_the_value(tmp_path: Path, condition: str) -> None:
    """The function, the name and the target are those of a state that is declared no more: it is that one."""
    zones(tmp_path, condition)
    assert apply(tmp_path).exit_code == 0
    for id_ in ("all zones", "zones", "each zone"):
        zones(tmp_path, condition, id_=id_)
        for test in (True, False):
            report = apply(tmp_path, test=test)
            assert (report.exit_code, comments(report)) == (0, ['["a"]']), id_
            assert not [returned for returned in every_return(report.returns.values()) if returned.changes]
            assert report.warnings == ()


def test_a_renamed_id_keeps_the_value_in_another_sls(tmp_path: Path) -> None:
    """If the former SLS is gone, or part of the run; one that may still declare the state is asked first."""
    zones(tmp_path, CONDITIONS[0])
    apply(tmp_path)
    zones(tmp_path, CONDITIONS[0], id_="all zones")
    (tmp_path / "states/t.sls").rename(tmp_path / "states/two.sls")
    write(tmp_path, "another: test.nop\n")
    assert NEVER in comments(apply(tmp_path, "two", test=True))[0]
    assert comments(apply(tmp_path, "t", "two", test=True)) == ['["a"]']
    (tmp_path / "states/t.sls").unlink()
    for test in (True, False):
        assert comments(apply(tmp_path, "two", test=test)) == ['["a"]']


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("test", [True, False])
def test_a_value_belongs_to_the_command_that_ran(tmp_path: Path, condition: str, *, test: bool) -> None:
    """An edited command that is skipped has none; the messages say what ran, and its block leaves nothing."""
    zones(tmp_path, condition)
    first = apply(tmp_path).run_id
    zones(tmp_path, condition, zone="b")
    report = apply(tmp_path, test=test)
    (read,) = comments(report)
    (block,) = (returned.delayed[0] for returned in report.returns.values() if returned.id == "zones")
    for message in (read, block.comment):
        assert f"and the value of run {first} belongs to its former name `echo '[\"a\"]'" in message
        assert "keep that name, have it run once, without what skips it, or read what it made" in message
        assert "not JSON" not in message
        assert "\n" not in message
    assert report.warnings == ()


def test_a_renamed_id_with_another_command_is_another_state(tmp_path: Path) -> None:
    """What its block declares is not known then, so that nothing of it is reported as declared no more."""
    zones(tmp_path, CONDITIONS[0])
    apply(tmp_path)
    zones(tmp_path, CONDITIONS[0], id_="all zones", zone="b")
    report = apply(tmp_path, test=True)
    assert NEVER in comments(report)[0]
    assert report.warnings == ()


def test_a_value_of_a_declared_state_is_of_no_other(tmp_path: Path) -> None:
    """Two states with one command: the value is that of the one that ran, and not of the new one."""
    zones(tmp_path, CONDITIONS[0])
    apply(tmp_path)
    former = (tmp_path / "states/t.sls").read_text().partition("    - delayed_render")[0]
    zones(tmp_path, CONDITIONS[0], id_="more zones", more=former)
    assert NEVER in comments(apply(tmp_path, test=True))[0]


def test_one_of_several_former_states_is_not_chosen(tmp_path: Path) -> None:
    """Two states with one command lose their declarations: neither is more the renamed one than the other."""
    template = "{id}:\n  cmd.run: [name: echo x, unless: 'test -e {root}/done']\n"
    write(tmp_path, "".join(template.format(id=id_, root=tmp_path) for id_ in ("a", "b")))
    apply(tmp_path)
    (tmp_path / "done").touch()
    read = "read:\n  test.show_notification: [text: '${cmd:c:stdout}']\n"
    write(tmp_path, template.format(id="c", root=tmp_path) + read)
    assert "its former ID `" in comments(apply(tmp_path, test=True))[0]
    write(tmp_path, template.format(id="b", root=tmp_path) + template.format(id="c", root=tmp_path) + read)
    assert comments(apply(tmp_path, test=True)) == ["x"]


NESTED = """
{outer}:
  cmd.run:
    - name: echo x
    - read_only: true
    - delayed_render: [block: outer]
#!delayed_block outer
{inner}:
  cmd.run:
    - name: echo y
    - read_only: true
    - delayed_render: [block: inner]
#!delayed_block inner
{id}:
  cmd.run:
    - name: cat {root}/value
    - creates: {root}/done
    - sensitive: {sensitive}
read:
  test.show_notification: [text: '${{cmd:{id}:stdout}}']
#!end_delayed_block
#!end_delayed_block
"""


@pytest.mark.parametrize("sensitive", ["false", "true"])
def test_values_of_a_block_follow_a_caller_with_another_id(tmp_path: Path, sensitive: str) -> None:
    """Whichever state on the way to the block is renamed, once or more: the name and the function stay."""

    def nested(**ids: str) -> None:
        words = {"outer": "a", "inner": "b", "id": "c", "root": tmp_path, "sensitive": sensitive} | ids
        write(tmp_path, NESTED.format(**words))

    (tmp_path / "value").write_text("a value")
    nested()
    assert apply(tmp_path).exit_code == 0
    (tmp_path / "done").touch()
    (tmp_path / "value").write_text("another value")
    for ids in (
        {"outer": "a2"},
        {"outer": "a3"},
        {"inner": "b2"},
        {"outer": "x", "inner": "y", "id": "z"},
        {},
    ):
        nested(**ids)
        for test in (True, False):
            assert comments(apply(tmp_path, test=test)) == ["a value"], (ids, test)
    file = EnforcedFile(tmp_path / ".ensue")
    readable = [row for row in file.all() if row.entry.name.startswith("cat") and row.is_readable]
    assert [row.entry.path for row in readable] == ["a/outer/b/inner"]
    assert all(
        (b"a value" in row.entry.shown) == (sensitive == "false")
        for row in file.all()
        if row.entry.name.startswith("cat")
    )
    file.close()


def test_values_of_a_block_belong_to_its_caller(tmp_path: Path) -> None:
    """A caller with another command is another one, under any ID; the message says so."""
    caller = "{id}:\n  cmd.run: [name: {command}, read_only: true, delayed_render: [block: b]]\n"
    inner = f"#!delayed_block b\nmake:\n  cmd.run: [name: echo x, unless: 'test -e {tmp_path}/done']\n"
    read = "read:\n  test.show_notification: [text: '${cmd:make:stdout}']\n#!end_delayed_block\n"
    write(tmp_path, caller.format(id="list", command="echo a") + inner + read)
    run_id = apply(tmp_path).run_id
    (tmp_path / "done").touch()
    for id_, then in (("list", "echo a"), ("zones", "list")):
        write(tmp_path, caller.format(id=id_, command="echo b") + inner + read)
        (comment,) = comments(apply(tmp_path, test=True))
        assert (
            f"{NEVER} in {id_}/b; the value of run {run_id} is that of the caller `{then}`, which" in comment
        )


def test_the_value_of_a_renamed_state_is_its_own_from_then_on(tmp_path: Path) -> None:
    """An apply that skips it keeps the value under its new ID, so that a later message knows what ran."""
    zones(tmp_path, CONDITIONS[0])
    first = apply(tmp_path).run_id
    zones(tmp_path, CONDITIONS[0], id_="all zones")
    apply(tmp_path)
    zones(tmp_path, CONDITIONS[0], id_="all zones", zone="b")
    (comment,) = comments(apply(tmp_path, test=True))
    assert f"and the value of run {first} belongs to its former name `echo" in comment


def test_a_reference_to_a_state_that_an_earlier_apply_ran_in_a_block(tmp_path: Path) -> None:
    """The message says in which scope it ran: no reference crosses the border of one."""
    zones(tmp_path, CONDITIONS[0])
    apply(tmp_path)
    write(tmp_path, "reads:\n  test.show_notification: [text: '${file:zone a:path}']\n", "outside")
    with pytest.raises(CompileError) as raised:
        apply(tmp_path, "outside")
    [error] = raised.value.diagnostics
    assert error.detail == "'file' has no state of the ID or name 'zone a' in this scope"
    assert error.help.startswith(
        "an earlier apply ran it in zones/each, and its states are a scope of their own"
    )
