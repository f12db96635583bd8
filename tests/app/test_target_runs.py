"""Whole SLS and highstates on other resources, in one run: real hosts, folders, containers and dummies."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import pwd
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.app.test_project import apply, write
from tests.app.test_targets import TOP, boxes, hosts
from tests.support.containers import needs_podman, running_engine
from tests.support.sshd import running_sshd

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError, ConfigurationError
from ensue.core.model.events import NodeFinished, RunEvent
from ensue.language.renderers.rendering import SlsRenderer

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import SlsFile


def results(report: RunReport) -> dict[str, bool | None]:
    return {returned.id: returned.result for returned in report.returns.values()}


def comments(report: RunReport) -> dict[str, str]:
    return {returned.id: returned.comment for returned in report.returns.values()}


SITE = """
{% set name = '/cfg' %}
#!delayed_block after
inner:
  file.managed:
    - name: /inner
    - contents: {{ grains.id }} after {{ prev_ret.name }}
#!end_delayed_block
cfg:
  file.managed:
    - name: {{ name }}
    - contents: {{ grains.id }} {{ opts.id }} {{ pillar.word | default('none') }}
    - delayed_render: [block: after]
told:
  test.show_notification:
    - text: ${file:cfg:path}
heard:
  test.nop:
    - listen: [file: cfg]
sub:
  test.present:
    - new_state: {root: {{ pillar.where }}/{{ opts.id }}/sub}
    - registers:
      - minion:{{ opts.id }}-sub: {root: "${self:root}"}
there:
  file.managed:
    - name: /there
    - contents: there
    - tgt: T@minion:{{ opts.id }}-sub
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Two folders as machines; one has a pillar of its own."""
    boxes(tmp_path, "web-1", "web-2")
    for id_ in ("web-1", "web-2"):
        (tmp_path / id_ / "sub").mkdir()
    write(
        tmp_path,
        pillar__top=f"{TOP}  'web-1': [own]\n  '*': [all]\n",
        pillar__own="word: mine\n",
        pillar__all=f"where: {tmp_path}\n",
        states__site=SITE,
        states__top="base:\n  'web-*': [site]\n",
    )
    return tmp_path


def test_everything_works_in_the_sls_of_a_resource(site: Path) -> None:
    """Blocks, references, requisites and targets in it are the resource's own; a second apply is clean."""
    report = apply(site, tgt="web-[12]")
    assert report.exit_code == 0
    assert (site / "web-1/cfg").read_text() == "web-1 web-1 mine\n"
    assert (site / "web-2/cfg").read_text() == "web-2 web-2 none\n"
    assert (site / "web-2/inner").read_text() == "web-2 after /cfg\n"
    assert (site / "web-2/sub/there").read_text() == "there\n"
    assert "listener_web-1 heard" in results(report)
    assert "web-1-sub web-1 there" in results(report)
    again = apply(site, tgt="web-[12]")
    assert again.exit_code == 0
    assert not [returned.id for returned in again.returns.values() if returned.changes]


READER: Final = """
read {{ opts.id }}:
  cmd.run:
    - name: cat "$ENSUE_ROOT/token"
    - read_only: true
    - tgt: web-1
"""
OWN_TOKEN: Final = """
first: {cmd.run: [{name: 'true'}]}
/token: {file.managed: [{contents: t}]}
"""


def test_what_a_host_does_on_another_comes_after_the_states_of_that_host(site: Path) -> None:
    """The plan says which state the reader waits for, and the apply waits for it."""
    write(site, states__own=OWN_TOKEN, states__reader=READER)
    write(site, states__top="base:\n  web-1: [own]\n  web-2: [reader]\n")
    plan = apply(site, tgt="web-[12]", test=True)
    assert "waits for 'web-1 first', 'web-1 /token' (known" in comments(plan)["web-1 web-2 read web-2"]
    report = apply(site, tgt="web-[12]")
    assert report.exit_code == 0
    assert results(report)["web-1 web-2 read web-2"] is True


def test_an_sls_that_left_the_top_file_is_missed_with_a_target_as_without(tmp_path: Path) -> None:
    """What it had registered is orphaned in either run, also if the top file assigns nothing to that."""
    registers = f"vm: {{test.present: [new_state: {{a: 1}}, registers: [minion:vm: {{root: {tmp_path}}}]]}}\n"
    write(tmp_path, states__vm=registers, states__other="x: test.nop\n")
    write(tmp_path, states__top="base: {m: [vm, other]}\n")
    assert apply(tmp_path, tgt="*").exit_code == 0
    write(tmp_path, states__top="base: {m: [other]}\n")
    for target in ("*", None):
        plan = apply(tmp_path, tgt=target, test=True)
        assert "E0718" in {warning.code for warning in plan.warnings}
    assert "E0718" in {warning.code for warning in apply(tmp_path, tgt="*").warnings}


def test_a_plan_claims_no_order_between_two_hosts_on_a_third(site: Path) -> None:
    """What the SLS of one host makes on a third is nothing that the SLS of another host waits for."""
    boxes(site, "web-1", "web-2", "web-3")
    maker = "/token: {file.managed: [{contents: t}, {tgt: web-1}]}\n"
    write(site, states__maker=maker, states__reader=READER)
    write(site, states__top="base:\n  web-2: [maker]\n  web-3: [reader]\n")
    plan = apply(site, tgt="web-[23]", test=True)
    assert results(plan)["web-1 web-2 /token"] is None
    assert results(plan)["web-1 web-3 read web-3"] is False


def test_a_plan_changes_nothing(site: Path) -> None:
    """A plan of a target says what would change on each resource, and leaves everything as it is."""
    report = apply(site, "site", tgt="web-1", test=True)
    assert report.exit_code == 0
    assert results(report)["web-1 cfg"] is None
    assert not (site / "web-1/cfg").exists()


def test_what_was_enforced_on_a_resource_is_bound_later(site: Path) -> None:
    """An SLS for a resource may refer to a state that an earlier run has applied to it."""
    apply(site, tgt="web-*")
    write(site, states__later="say: {test.show_notification: [text: '${file:cfg:path}']}\n")
    report = apply(site, "later", tgt="web-1")
    assert comments(report) == {"web-1 say": "/cfg"}


def test_tags_and_targets(site: Path) -> None:
    """ID and name of a tag are prefixed with the resource's id, as those of a state with `tgt` are."""
    write(site, states__one="cfg: {test.nop: [name: n]}\n")
    report = apply(site, "one", tgt="m or web-1")
    assert list(report.returns) == ["test_|-cfg_|-n_|-nop", "test_|-web-1 cfg_|-web-1 n_|-nop"]
    assert [returned.target for returned in report.returns.values()] == ["minion:m", "minion:web-1"]


def test_nothing_runs_when_one_resource_does_not_compile(site: Path) -> None:
    """All that is wrong is told, each with the resources that it is wrong for; there is no run."""
    write(
        site,
        states__t="a: test.nop\n{% if opts.id == 'web-2' %}\nb: test.nopp\n{% endif %}\nc: test.presen\n",
    )
    with pytest.raises(CompileError) as caught:
        apply(site, "t", tgt="web-*")
    details = {diagnostic.summary: diagnostic.detail for diagnostic in caught.value.diagnostics}
    assert details == {
        "there is no state function test.nopp": "'b' asks for it; compiled for minion:web-2",
        "there is no state function test.presen": "'c' asks for it; compiled for minion:web-1, minion:web-2",
    }
    assert not (site / ".ensue/runs").exists()


@pytest.mark.parametrize(
    ("target", "code"), [("(web", "E0701"), ("", "E0701"), ("T@mnion", "E0707"), ("N@front", "E0708")]
)
def test_a_target_that_means_nothing_is_refused(site: Path, target: str, code: str) -> None:
    """What does not parse, or names what does not exist, is an error before anything runs."""
    with pytest.raises(ConfigurationError) as caught:
        apply(site, "site", tgt=target)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]


def test_a_target_without_a_match_is_a_failed_state(site: Path) -> None:
    """The one return has the message and what is near."""
    report = apply(site, "site", tgt="wbe-1")
    assert (list(report.returns), report.exit_code) == (["no_|-states_|-states_|-None"], 2)
    assert "did you mean web-1" in report.returns["no_|-states_|-states_|-None"].comment


def test_one_resource_without_states_is_a_warning(site: Path) -> None:
    """Where others have states, a resource to which the top file gives nothing is named in a warning."""
    report = apply(site, tgt="*")
    assert report.exit_code == 0
    assert [warning.summary for warning in report.warnings] == ["the top file assigns nothing to m"]


@pytest.mark.openssh
def test_hosts_have_their_own_grains_and_a_silent_one_holds_up_nobody(tmp_path: Path) -> None:
    """A host that accepts connections and never answers fails alone, after all others have ended."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with (
        running_sshd(tmp_path / "one", user=user) as first,
        running_sshd(tmp_path / "two", user=user) as second,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        hung = {
            "host": "127.0.0.1",
            "port": silent.getsockname()[1],
            "password": "x-secret-x",
            "connect_timeout_s": 4,
            "connect_attempts": 1,
        }
        hosts(tmp_path, [first, second], **{"web-0": hung})
        write(
            tmp_path,
            states__t=(
                f"cfg:\n  file.managed:\n    - name: {tmp_path}/{{{{ opts.id }}}}\n"
                "    - contents: {{ grains.id }} {{ grains.kernel }}\n"
                "say:\n  cmd.run:\n    - name: echo {{ opts.id }}\n    - require: [cfg]\n"
            ),
        )
        order: list[str] = []

        def told(event: RunEvent) -> None:
            if isinstance(event, NodeFinished):
                order.append(event.returned.id)

        async def run() -> RunReport:
            async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
                return await project.apply(["t"], RunOptions(tgt="T@ssh_host"), on_event=told)

        report = asyncio.run(run())
    assert (tmp_path / "web-2").read_text() == "web-2 Linux\n"
    assert order[-1] == "web-0 states"
    assert results(report) == {
        "web-1 cfg": True,
        "web-2 cfg": True,
        "web-1 say": True,
        "web-2 say": True,
        "web-0 states": False,
    }
    assert report.exit_code == 2


@pytest.mark.openssh
def test_a_host_that_refuses_fails_alone(tmp_path: Path) -> None:
    """Where no grains are needed, the SLS is compiled, and the states of the host fail."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "one", user=user) as server:
        closed = {"host": "127.0.0.1", "port": 1, "password": "x-secret-x", "connect_attempts": 1}
        hosts(tmp_path, [server], **{"web-0": closed})
        write(tmp_path, states__t="say: {cmd.run: [name: echo hello]}\n")
        report = apply(tmp_path, "t", tgt="web-*")
    assert results(report) == {"web-0 say": False, "web-1 say": True}
    assert report.exit_code == 2


APPLY = "go:\n  ssh_host.state_applied:\n    - name: {target}\n    - mods: there\n"
THERE = (
    "cfg:\n  file.managed:\n    - name: /tmp/cfg-of-{{ opts.id }}\n    - makedirs: true\n"
    "    - contents: {{ grains.id }} {{ pillar.word }}\n"
)


def applied_by_state(root: Path, target: str) -> RunReport:
    write(root, states__go=APPLY.format(target=target), states__there=THERE)
    return apply(root, "go")


@pytest.mark.parametrize("type_", ["dummy", "minion"])
def test_state_applied_renders_with_grains_and_pillar_of_any_type(tmp_path: Path, type_: str) -> None:
    """`ssh_host.state_applied` works on every type, and its templates see that resource."""
    config = {"dummy": "{}", "minion": f"{{root: {tmp_path}/box}}"}[type_]
    (tmp_path / "box").mkdir()
    write(
        tmp_path,
        pillar__top="base:\n  '*': [all]\n  'box': [own]\n",
        pillar__all=f"word: general\nresources: {{{type_}: {{box: {config}}}}}\n",
        pillar__own="word: special\n",
    )
    report = applied_by_state(tmp_path, f"{type_}:box")
    assert results(report) == {"go": True}
    path = next(path for path in tmp_path.rglob("cfg-of-box"))
    assert path.read_text() == "box special\n"


def test_state_applied_and_a_target_work_on_containers(tmp_path: Path) -> None:
    """Templates see the container's grains, with `state_applied` and with a target of the run alike."""
    needs_podman()
    with running_engine() as engine:
        engine.start("target-run")
        config = f"{{engine: {engine.program}, container: target-run}}"
        write(
            tmp_path,
            pillar__top="base:\n  '*': [all]\n",
            pillar__all=f"word: general\nresources: {{container: {{box: {config}}}}}\n",
        )
        assert results(applied_by_state(tmp_path, "container:box")) == {"go": True}
        report = apply(tmp_path, "there", tgt="T@container")
        assert results(report) == {"box cfg": True}
        assert not report.returns["file_|-box cfg_|-box /tmp/cfg-of-box_|-managed"].changes


DERIVED = {
    "states__make": (
        "make:\n  test.present:\n    - new_state: {path: ROOT}\n    - registers:\n"
        '      - minion:new-01: {root: "${self:path}/new"}\n'
    ),
    "states__own": "own:\n  file.managed:\n    - name: /own\n    - contents: {{ grains.id }}\n",
}


@pytest.mark.parametrize("where", ["top", "ensue"])
def test_derived_highstate_is_asked_for_in_the_top_file_or_in_the_options(tmp_path: Path, where: str) -> None:
    """A resource that a state registers gets what the top file assigns to it in the same run, every time."""
    switch = "derived_highstate: true\n"
    (tmp_path / "new").mkdir()
    write(tmp_path, **{name: text.replace("ROOT", str(tmp_path)) for name, text in DERIVED.items()})
    top = "base:\n  m: [make]\n  'new-*': [own]\n"
    write(tmp_path, states__top=switch * (where == "top") + top)
    if where == "ensue":
        (tmp_path / "ensue.yaml").write_text(switch)
    report = apply(tmp_path)
    assert results(report) == {"make": True, "new-01 own": True}
    assert (tmp_path / "new/own").read_text() == "new-01\n"
    again = apply(tmp_path)
    assert results(again) == {"make": True, "new-01 own": True}
    assert not [returned for returned in again.returns.values() if returned.changes]
    assert results(apply(tmp_path, test=True)) == {"make": True, "new-01 own": True}


def test_derived_highstate_leaves_sls_by_name_alone(tmp_path: Path) -> None:
    """Only a highstate gives others theirs, and with a target only to those that it matches."""
    (tmp_path / "new").mkdir()
    write(tmp_path, **{name: text.replace("ROOT", str(tmp_path)) for name, text in DERIVED.items()})
    write(tmp_path, states__top="derived_highstate: true\nbase:\n  m: [make]\n  'new-*': [own]\n")
    assert results(apply(tmp_path, "make")) == {"make": True}
    assert results(apply(tmp_path, tgt="m")) == {"make": True}
    assert results(apply(tmp_path, tgt="m or T@minion")) == {"make": True, "new-01 own": True}


def test_what_is_wrong_with_the_sls_of_a_resource_that_appears(tmp_path: Path) -> None:
    """It fails alone, with what the compiler says; what the compiler remarks is a warning of the run."""
    (tmp_path / "new").mkdir()
    write(tmp_path, **{name: text.replace("ROOT", str(tmp_path)) for name, text in DERIVED.items()})
    write(
        tmp_path,
        states__top="derived_highstate: true\nbase:\n  m: [make]\n  'new-*': [own]\n",
        states__own="own: test.nopp\n",
    )
    report = apply(tmp_path)
    assert (results(report), report.exit_code) == ({"make": True, "new-01 states": False}, 2)
    assert "states/own.sls:1:1: there is no state function test.nopp" in comments(report)["new-01 states"]
    write(tmp_path, states__own="own:\n  test.nop:\n    - tgt: m\n    - runas: nobody\n")
    report = apply(tmp_path)
    assert results(report) == {"make": True, "m new-01 own": True}
    assert [(warning.code, str(warning.span)) for warning in report.warnings] == [
        ("E0408", "states/own.sls:4:7")
    ]


def test_derived_resources_that_register_each_other_have_one_highstate_each(tmp_path: Path) -> None:
    """A cycle of resources ends, because each gets its highstate once in a run."""
    (tmp_path / "new").mkdir()
    other = "{{ {'m': 'a', 'a': 'b', 'b': 'a'}[opts.id] }}"
    write(
        tmp_path,
        states__top="derived_highstate: true\nbase:\n  '*': [make]\n",
        states__make=(
            f"make:\n  test.present:\n    - new_state: {{path: {tmp_path}/new}}\n    - registers:\n"
            f'      - minion:{other}: {{root: "${{self:path}}"}}\n'
        ),
    )
    assert results(apply(tmp_path)) == {"make": True, "a make": True, "b make": True}


def test_grains_in_a_state_with_a_target_are_a_warning_with_its_place(site: Path) -> None:
    """A print in the state's own text counts once a line; other states, `tgt`, variables, raw text do not."""
    write(
        site,
        states__g=(
            "{% set mine = grains.id %}\n"
            "one:\n  test.nop:\n    - name: {{ grains.id }} {{ grains['os'] }}\n"
            "    - tgt: web-* and not {{ grains.id }}\n"
            "two:\n  test.nop:\n    - tgt: web-*\n"
            "    - name: {{ mine }} {{ pillar['grains'] | default('') }}\n"
            "{% if grains.os %}\n"
            "three {{ grains.id }}:\n  test.nop: []\n"
            "{% endif %}\n"
            "{% for number in [1, 2] %}\n"
            "four {{ number }}:\n  test.nop:\n    - tgt: web-1\n"
            "    - name: {{ salt['grains.get']('id') }} {{ number }}\n"
            "{% endfor %}\n"
            "{# {{ grains.id }} {% raw %} #}\n"
            "raw:\n  test.nop:\n    - tgt: web-1\n"
            "    - text: '{% raw %}{{ grains.id }}{% endraw %}'\n"
            "{% raw %}\n"
            "raws:\n  test.nop:\n    - tgt: web-1\n"
            "    - text: '{{ grains.id }}'\n"
            "{% endraw %}\n"
            "five {{ grains.id }}:\n  test.nop:\n    - tgt: web-1\n"
        ),
    )
    report = apply(site, "g")
    assert report.exit_code == 0
    warned = [(warning.code, str(warning.span)) for warning in report.warnings]
    assert warned == [
        ("E0716", "states/g.sls:4:13"),
        ("E0716", "states/g.sls:18:13"),
        ("E0716", "states/g.sls:31:6"),
    ]


def test_what_is_shown_of_a_target(site: Path) -> None:
    """Top file, declarations, states and pillar are shown by the resource's id."""

    async def show() -> None:
        async with AppProject.open(site, ProjectOptions(minion_id="m")) as project:
            top = await project.show_targets("top", "*", [])
            assert {id_: answer.value for id_, answer in top.items()} == {
                "m": {},
                "web-1": {"base": ["site"]},
                "web-2": {"base": ["site"]},
            }
            pillar = await project.show_targets("pillar", "web-*", [])
            assert pillar["web-1"].value["word"] == "mine"
            assert "word" not in pillar["web-2"].value
            low = await project.show_targets("low", "web-2", ["site"])
            assert low["web-2"].value[0]["contents"] == "web-2 web-2 none"

    asyncio.run(show())


def test_a_template_that_waits_is_rendered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grains, and commands on a resource, are waited for in the middle of the one rendering."""
    boxes(tmp_path, "web-1", "web-2", "web-3")
    write(
        tmp_path,
        states__t=(
            "cfg:\n  test.nop:\n    - comment: {{ grains.id }}\n"
            "said:\n  test.nop:\n    - comment: {{ salt['cmd.run']('echo hello') }}\n"
        ),
    )
    rendered: list[str] = []
    render_file = SlsRenderer.render_file

    def noted(self: SlsRenderer, file: SlsFile, *args: Any) -> Stream:
        if file.name == "t":
            rendered.append(file.name)
        return render_file(self, file, *args)

    monkeypatch.setattr(SlsRenderer, "render_file", noted)
    report = apply(tmp_path, "t", tgt="web-*")
    assert set(results(report).values()) == {True}
    assert len(rendered) == 3


def test_an_interrupted_wait_for_grains_leaves_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The tasks that gather grains end with the command, without an exception that nobody retrieves."""
    write(
        tmp_path,
        pillar__top="base: {'*': [all]}\n",
        states__t="t:\n  test.nop:\n    - comment: {{ grains.kernel }}\n",
    )

    async def run() -> None:
        connected = asyncio.Event()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connected.set()
            await reader.read()
            writer.close()

        async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
            host = {"host": "127.0.0.1", "port": server.sockets[0].getsockname()[1], "password": "x-secret-x"}
            write(tmp_path, pillar__all=json.dumps({"resources": {"ssh_host": {"hosts": {"web-0": host}}}}))
            async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
                applied = asyncio.create_task(
                    project.apply(["t"], RunOptions(tgt="web-0"), on_event=lambda _: None)
                )
                await connected.wait()
                applied.cancel()
                with suppress(asyncio.CancelledError):
                    await applied

    asyncio.run(run())
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []
