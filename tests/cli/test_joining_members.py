"""A resource joins a set of targets in the same run: plan and apply say what was read before that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell

PILLAR = """\
resources:
  minion:
    a: {root: $ROOT/hosts/a}
    b: {root: $ROOT/hosts/b}
mine_functions:
  port: [{mine_function: grains.get}, id]
"""
MAKE = """\
make n:
  cmd.run:
    - name: mkdir -p $ROOT/hosts/n/etc
    - tgt: vm
    - creates: $ROOT/hosts/n/etc
    - registers:
      - minion:n: {root: $ROOT/hosts/n}
"""
BLOCK = (
    MAKE
    + """\
all peers:
  test.nop:
    - tgt: N@web
    - require: [make n]
    - delayed_render: [block: peers]
#!delayed_block peers delayed_repeat_limit=None
/etc/peers:
  file.managed:
    - contents: |
        {%- for id, port in salt['$FUNCTION']($ARGUMENTS) | dictsort %}
        {{ id }} {{ port }}
        {%- endfor %}
#!end_delayed_block
"""
)
READS = """\
/etc/peers:
  file.managed:
    - source: salt://peers.j2
    - template: jinja
    - tgt: N@web
"""
COMING = "mine.get('{}') may also match minion:n, which this run registers (known after apply)"


@pytest.fixture
def project(shell: Shell) -> Shell:
    shell.write("ensue.yaml", "nodegroups: {web: 'L@a,b,n', web_ids: 'L@a,b,n'}\nderived_highstate: true\n")
    shell.write("pillar/top.sls", "base: {'*': [p]}\n")
    write(shell, "pillar/p.sls", PILLAR)
    for host in ("a", "b"):
        shell.write(f"hosts/{host}/etc/hostname", host)
    return shell


def write(shell: Shell, path: str, text: str) -> None:
    shell.write(path, text.replace("$ROOT", str(shell.root)))


def block(function: str = "mine.get", arguments: str = "'L@a,b,n', 'port', 'compound'") -> str:
    return BLOCK.replace("$FUNCTION", function).replace("$ARGUMENTS", arguments)


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ("'L@a,b,n', 'port', 'compound'", "L@a,b,n"),
        ("'[abn]', 'port'", "[abn]"),
        ("'G@id:[abn]', 'port', 'compound'", "G@id:[abn]"),
        ("'web_ids', 'port', 'nodegroup'", "N@web_ids"),
        ("'T@minion and not vm', 'port', 'compound'", "T@minion and not vm"),
    ],
)
def test_a_block_that_reads_a_growing_set_is_known_after_apply(
    project: Shell, arguments: str, target: str
) -> None:
    """A plan does not show a list as certain that an earlier state of the same run would extend."""
    write(project, "states/newhost.sls", block(arguments=arguments).replace("N@web", "N@web_ids"))
    planned = project.run("plan", "newhost")
    assert f"? deferred: block peers, {COMING.format(target)}" in planned.out, planned.out
    assert "/etc/peers" not in planned.out
    applied = project.run("apply", "newhost")
    assert applied.code == 0, applied.out
    assert "E0725" not in applied.err
    for host in ("a", "b", "n"):
        assert (project.root / f"hosts/{host}/etc/peers").read_text().split() == [
            "a",
            "a",
            "b",
            "b",
            "n",
            "n",
        ]
    again = project.run("plan", "newhost")
    assert "0 to change" in again.out, again.out


def test_a_template_that_reads_a_growing_set_is_known_after_apply(project: Shell) -> None:
    """The same holds for a template file that a state renders, and for functions that call other targets."""
    write(project, "states/newhost.sls", MAKE + READS.replace("N@web", "L@a,b,n"))
    call = "salt['publish.publish']('L@a,b,n', 'grains.get', 'id', 'compound')"
    loop = f"{{% for id, answer in {call} | dictsort %}}"
    project.write("states/peers.j2", loop + "{{ id }} {{ answer }}\n{% endfor %}")
    planned = project.run("plan", "newhost")
    reason = (
        "publish.publish('L@a,b,n') may also match minion:n, which this run registers (known after apply)"
    )
    assert f"? /etc/peers (file.managed): {reason}" in planned.out, planned.out
    applied = project.run("apply", "newhost")
    assert (project.root / "hosts/a/etc/peers").read_text().split() == ["a", "a", "b", "b", "n", "n"]
    assert "E0725" not in applied.err


def test_nothing_orders_the_states_of_several_hosts(project: Shell) -> None:
    """What another host's states register counts, however late in its own plan, and a warning says so."""
    project.write("states/top.sls", "base:\n  'vm': [newhost]\n  'a': [peers]\n")
    before = "".join(f"step {number}: test.nop\n" for number in range(50))
    write(project, "states/newhost.sls", before + MAKE)
    project.write(
        "states/peers.sls",
        "/etc/peers:\n  file.managed:\n    - source: salt://peers.j2\n    - template: jinja\n",
    )
    project.write("states/peers.j2", "{{ salt['mine.get']('[abn]', 'port') | list | join(' ') }}\n")
    planned = project.run("plan", "--tgt", "*")
    assert f"? /etc/peers (file.managed): {COMING.format('[abn]')}" in planned.out, planned.out
    assert "mine.get('[abn]') may be read before minion:n joins" in planned.err
    assert "so what is made of it may lack the resource" in planned.err


def test_what_is_registered_after_a_state_is_not_read_by_it(project: Shell) -> None:
    """The plan shows the list that the apply writes, and both name what it lacks."""
    write(project, "states/newhost.sls", READS.replace("N@web", "a") + MAKE)
    project.write("states/peers.j2", "{{ salt['mine.get']('[abn]', 'port') | list | join(' ') }}\n")
    planned = project.run("plan", "newhost")
    assert "+ /etc/peers (file.managed)\n      + a b\n" in planned.out, planned.out
    assert "mine.get('[abn]') is read before minion:n joins" in planned.err
    applied = project.run("apply", "newhost")
    assert (project.root / "hosts/a/etc/peers").read_text() == "a b\n"
    assert "mine.get('[abn]') was read before minion:n joined" in applied.err


def test_a_set_that_nothing_joins_is_planned(project: Shell) -> None:
    """A target that the new resource cannot match is read in the plan."""
    write(project, "states/newhost.sls", block(arguments="'L@a,b', 'port', 'compound'").replace("N@web", "a"))
    planned = project.run("plan", "newhost")
    assert "+ /etc/peers (file.managed)" in planned.out, planned.out
    assert "E0725" not in planned.err


PEERS = """\
/etc/peers:
  file.managed:
    - contents: |
        {%- for id, port in salt['mine.get']('L@a,b,n', 'port', 'compound') | dictsort %}
        {{ id }} {{ port }}
        {%- endfor %}
"""


def test_what_is_read_before_a_resource_joins_is_reported(project: Shell) -> None:
    """An SLS is rendered before the run: plan and apply name the call and what it lacks."""
    project.write("states/top.sls", "base:\n  'vm': [newhost]\n  'L@a,b,n': [peers]\n")
    write(project, "states/newhost.sls", MAKE)
    project.write("states/peers.sls", PEERS)
    planned = project.run("plan", "--tgt", "*")
    assert "states/peers.sls:4" in planned.err, planned.err
    assert "mine.get('L@a,b,n') is read before minion:n joins" in planned.err, planned.err
    applied = project.run("apply", "--tgt", "*")
    assert "E0725" in applied.err
    assert "mine.get('L@a,b,n') was read before minion:n joined" in applied.err, applied.err
    assert "apply again, or read it after that" in applied.err
    second = project.run("apply", "--tgt", "*")
    assert "2 changed" in second.out, second.out
    assert "E0725" not in second.err
    third = project.run("plan", "--tgt", "*")
    assert ("0 to change" in third.out, "E0725" in third.err) == (True, False)


def test_what_is_read_before_a_resource_leaves_is_reported(project: Shell) -> None:
    """A host is orphaned at the end of the run: what was made of the list has it until the next apply."""
    project.write("states/top.sls", "base:\n  'vm': [newhost]\n  'L@a,b,n': [peers]\n")
    write(project, "states/newhost.sls", MAKE)
    project.write("states/peers.sls", PEERS)
    project.run("apply", "--tgt", "*")
    project.write("states/newhost.sls", "nothing: test.nop\n")
    planned = project.run("plan", "--tgt", "*")
    assert "mine.get('L@a,b,n') is read before minion:n leaves" in planned.err, planned.err
    assert "E0725" not in planned.err
    applied = project.run("apply", "--tgt", "*")
    assert "mine.get('L@a,b,n') was read before minion:n left" in applied.err, applied.err
    again = project.run("apply", "--tgt", "*")
    assert "2 changed" in again.out, again.out
    assert "E0726" not in again.err


def test_what_is_read_before_a_resource_is_unregistered_is_reported(project: Shell) -> None:
    """It leaves the list as an orphaned one does, in the plan and in the apply."""
    project.write("states/top.sls", "base:\n  'vm': [newhost]\n  'L@a,b,n': [peers]\n")
    write(project, "states/newhost.sls", MAKE)
    project.write("states/peers.sls", PEERS)
    project.run("apply", "--tgt", "*")
    project.write("states/newhost.sls", "minion:n: resource.unregistered\n")
    planned = project.run("plan", "--tgt", "*")
    assert "mine.get('L@a,b,n') is read before minion:n leaves" in planned.err, planned.err
    assert "E0718" not in planned.err
    applied = project.run("apply", "--tgt", "*")
    assert "mine.get('L@a,b,n') was read before minion:n left" in applied.err, applied.err
    assert "E0726" not in project.run("apply", "--tgt", "*").err


CALL = "salt['publish.publish']('T@dummy', 'test.ping', [], 'compound')"


@pytest.mark.parametrize(
    ("sls", "place"),
    [
        (
            "{% import 'lists.j2' as lists %}\nbox: {test.nop: [registers: [dummy:box: {}]]}\n",
            "lists.j2:2",
        ),
        (f"#!mako|yaml\n<% hosts = {CALL} %>\nbox: {{test.nop: [registers: [dummy:box: {{}}]]}}\n", "t.sls"),
        (
            (
                f"#!py\ndef run():\n    hosts = __{CALL.replace('salt', 'salt__')}\n"
                "    return {'box': {'test.nop': [{'registers': [{'dummy:box': {}}]}]}}\n"
            ),
            "t.sls:3",
        ),
        (
            f"#!pyobjects\nhosts = {CALL}\nTest.nop('box', registers=[{{'dummy:box': {{}}}}])\n",
            "t.sls:2",
        ),
    ],
)
def test_the_place_of_a_call_is_named_in_every_renderer(shell: Shell, sls: str, place: str) -> None:
    """Of an import it is the line in the imported file; Mako has no lines of what is running."""
    shell.write("states/t.sls", sls)
    shell.write("states/lists.j2", f"{{# all hosts #}}\n{{% set hosts = {CALL} %}}\n")
    applied = shell.run("apply", "t")
    assert f"  --> states/{place}\n" in applied.err, applied.err
    assert "E0725" in applied.err
