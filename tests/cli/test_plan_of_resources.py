"""What a plan says of resources that do not exist yet: as text, as data, and from the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

TOP = """\
derived_highstate: true
base:
  web-01: [make]
  'new-*': [web, base]
"""
MAKE = """\
make:
  test.present:
    - changes: {made: true}
    - new_state: {a: 1}
    - registers:
      - dummy:new-01: {}
      - dummy:new-02: {}
      - dummy:apart: {}
configured:
  ssh_host.state_applied:
    - name: dummy:new-01
    - mods: web
"""
SHOWN = """\
web-01:
  make:
    ~ make (test.present): made: True
      ? registers dummy:new-01
      ? registers dummy:new-02
      ? registers dummy:apart
      ? applies web, base to dummy:new-01 (its states are known after apply)
      ? applies web, base to dummy:new-02 (its states are known after apply)
    ? configured (ssh_host.state_applied) dummy:new-01: waits for 'make', which may register dummy:new-01 \
(known after apply)
      ? applies web to dummy:new-01 (its states are known after apply)

1 to change, 0 unchanged, 1 resource will be registered, 2 resources will join, \
their states are known after apply
"""


def _tree(shell: Shell, top: str = TOP) -> None:
    shell.write("states/top.sls", top)
    shell.write("states/make.sls", MAKE)
    shell.write("states/web.sls", "web: test.nop\n")
    shell.write("states/base.sls", "base: test.nop\n")


def test_a_plan_names_what_joins(shell: Shell) -> None:
    """What is registered, and the SLS by name; `state_applied` counts the states that it would apply."""
    _tree(shell)
    planned = shell.run("plan")
    assert planned.code == 0, planned.err
    assert planned.out.startswith(SHOWN)
    assert shell.run("plan", "--detailed-exitcode", "--out", "quiet").code == 2


def test_the_same_as_data_and_from_the_journal(shell: Shell) -> None:
    """JSON has the names, `runs show` has what the plan printed, and an apply registers them."""
    _tree(shell)
    planned = shell.run("plan", "--out", "json").document
    made, configured = planned["web-01"].values()
    assert made["foreseen"]["registers"] == ["dummy:new-01", "dummy:new-02", "dummy:apart"]
    assert [apply["target"] for apply in made["foreseen"]["applies"]] == ["dummy:new-01", "dummy:new-02"]
    web = {"target": "dummy:new-01", "sls": ["web"], "complete": True}
    assert configured["foreseen"] == {"applies": [web]}
    run = shell.run("runs", "list", "--out", "json").document[0]["run_id"]
    assert shell.run("runs", "show", run, "--out", "json").document == planned
    applied = shell.run("apply", "--out", "json").document["web-01"]
    assert all("foreseen" not in returned for returned in applied.values())
    ids = [returned["__id__"] for returned in applied.values()]
    assert sorted(ids) == ["configured", "make", "new-01 base", "new-01 web", "new-02 base", "new-02 web"]


def test_a_name_is_not_masked(shell: Shell) -> None:
    """The name of an SLS or a resource stays readable if a secret is spelled the same."""
    _tree(shell)
    shell.write("pillar/top.sls", "base: {'*': [own]}\n")
    shell.write("pillar/own.sls", "some_password: web\n")
    assert "applies web, base to dummy:new-01" in shell.run("plan").out
    run = shell.run("runs", "list", "--out", "json").document[0]["run_id"]
    assert "applies web, base to dummy:new-01" in shell.run("runs", "show", run).out


def test_a_target_that_needs_grains_is_not_decided(shell: Shell) -> None:
    """A resource that does not exist has no grains, and nothing waits for them."""
    _tree(shell, TOP + "  'G@os:Alpine': [alpine]\n")
    shown = shell.run("plan").out
    assert "? applies web, base and what its grains or pillar decide to dummy:new-01" in shown
    assert "? applies what its grains or pillar decide to dummy:apart" in shown


def test_only_what_the_top_file_reads_decides(shell: Shell) -> None:
    """Pillar that needs grains leaves open only targets and templates that read pillar; an id is known."""
    _tree(shell)
    shell.write("pillar/top.sls", "base: {'new-*': [own]}\n")
    shell.write("pillar/own.sls", "number: {{ grains.id[-1] }}\n")
    by_pillar = TOP + "  'I@number:1': [first]\n"
    shell.write("states/top.sls", by_pillar)
    assert "? applies web, base, first to dummy:new-01 (" in shell.run("plan").out
    shell.write("pillar/own.sls", "number: {{ grains.get('nr', 1) }}\n")
    shown = shell.run("plan").out
    assert "? applies web, base and what its grains or pillar decide to dummy:new-01" in shown
    by_template = TOP.replace("[web, base]", "[web, base, {{ pillar.get('number', 'x') }}]")
    shell.write("states/top.sls", by_template)
    assert "? applies what its grains or pillar decide to dummy:new-01" in shell.run("plan").out
    shell.write("states/top.sls", TOP.replace("'new-*'", "'new-* and {{ grains.id }}'"))
    assert "? applies web, base to dummy:new-01 (" in shell.run("plan").out


def test_without_derived_highstate_resources_are_only_registered(shell: Shell) -> None:
    """They join only what `state_applied` applies to them."""
    _tree(shell, TOP.partition("\n")[2])
    assert "2 resources will be registered, 1 resource will join, its states" in shell.run("plan").out


def test_a_registered_resource_will_not_be_registered_again(shell: Shell) -> None:
    """Unless its configuration is known to differ; what a state is going to return is not known."""
    sls = (
        "fixed:\n  cmd.run:\n    - name: 'true'\n    - registers: [dummy:fixed: {grains: {os: Debian}}]\n"
        "read:\n  cmd.run:\n    - name: echo Debian\n"
        "    - registers: [dummy:read: {grains: {os: '${self:stdout}'}}]\n"
    )
    shell.write("states/hosts.sls", sls)
    assert "2 resources will be registered" in shell.run("plan", "hosts").out
    assert shell.run("apply", "hosts").code == 0
    again = shell.run("plan", "hosts").out
    assert "2 to change" in again
    assert "regist" not in again
    shell.write("states/hosts.sls", sls.replace("Debian}}]", "Arch}}]"))
    changed = shell.run("plan", "hosts").out
    assert "? registers dummy:fixed" in changed
    assert "1 resource will be registered" in changed


def test_a_registered_resource_does_not_join(shell: Shell) -> None:
    """Its states are known after an apply, which registers it again, but it is no new resource."""
    _tree(shell)
    assert shell.run("apply").code == 0
    shell.write("states/make.sls", MAKE.replace("new-02", "new-03"))
    planned = shell.run("plan").out
    assert (
        "1 resource will join, its states are known after apply,"
        " 1 resource is registered, its states are known after apply"
    ) in planned, planned
    made, _ = shell.run("plan", "--out", "json").document["web-01"].values()
    assert [(each["target"], "registered" in each) for each in made["foreseen"]["applies"]] == [
        ("dummy:new-01", True),
        ("dummy:new-03", False),
    ]


def test_a_plan_of_a_target_leaves_out_what_does_not_match(shell: Shell) -> None:
    """With `--tgt`, only what matches the target gets its highstate."""
    _tree(shell)
    shown = shell.run("plan", "--tgt", "web-01 or new-02").out
    assert "applies web, base to dummy:new-02" in shown
    assert "applies web, base to dummy:new-01" not in shown


def test_what_an_apply_has_changed_is_no_drift_of_the_next_plan(shell: Shell) -> None:
    """`state_applied` counts what one call changed, and nobody else has changed that."""
    shell.write("states/web.sls", "web: {test.succeed_with_changes: []}\n")
    shell.write("states/t.sls", MAKE.replace("    - changes: {made: true}\n", ""))
    assert shell.run("apply", "t").code == 0
    shell.write("states/web.sls", "web: test.nop\n")
    assert "changed by someone else" not in shell.run("plan", "t").out


BLOCK = """\
fleet:
  cmd.run:
    - name: echo '{{ pillar.hosts | tojson }}'
    - delayed_render: [block: each]
#!delayed_block each
{% for name in prev_ret.new_state.stdout_json %}
{{ name }}:
  test.nop:
    - registers:
      - dummy:{{ name }}: {}
{% endfor %}
#!end_delayed_block
"""
DECIDED = "    ? deferred: block each (known after apply), from delayed_render of fleet\n"


def test_what_a_block_that_is_not_rendered_registered_before(shell: Shell) -> None:
    """The plan names it, and what would be applied to it if it stays."""
    _tree(shell, TOP.replace("[make]", "[fleet]"))
    shell.write("states/fleet.sls", BLOCK)
    shell.write("pillar/top.sls", "base: {'*': [p]}\n")
    shell.write("pillar/p.sls", "hosts: [new-01, new-02, apart]\n")
    planned = shell.run("plan").out
    assert DECIDED in planned, planned
    assert "orphaned" not in planned
    assert shell.run("apply").code == 0
    shell.write("pillar/p.sls", "hosts: [new-01]\n")
    planned = shell.run("plan").out
    lines = (
        "      ? dummy:apart stays registered or is orphaned (known after apply)\n"
        "      ? dummy:new-01, dummy:new-02 stay registered or are orphaned (known after apply);"
        " applies web, base to those that stay\n"
    )
    assert f"{lines}{DECIDED}" in planned, planned
    assert "3 resources may be orphaned" in planned
    (fleet,) = shell.run("plan", "--out", "json").document["web-01"].values()
    assert [each["target"] for each in fleet["foreseen"]["undecided"]] == [
        "dummy:apart",
        "dummy:new-01",
        "dummy:new-02",
    ]
    applied = shell.run("apply")
    assert ("new-01 web" in applied.out, "new-02 web" in applied.out) == (True, False)
    assert "orphaned" in applied.err


def test_a_heading_has_the_host_and_a_line_the_rest_of_the_id(shell: Shell) -> None:
    """A state with `tgt` keeps the id of the host whose SLS declares it, as does an ID that begins so."""
    shell.write("pillar/top.sls", "base: {'*': [hosts]}\n")
    shell.write("pillar/hosts.sls", "resources: {dummy: {hosts: {d1: {}, d2: {}}}}\n")
    changes = "test.succeed_with_changes"
    shell.write(
        "states/two.sls",
        f"a: {changes}\n'd1 b': {changes}\n'of {{{{ grains.id }}}}':\n  {changes}: [name: x, tgt: d1]\n",
    )
    shown = shell.run("plan", "two", "--tgt", "d1 or d2").out
    lines = [line.split(" (")[0].strip() for line in shown.splitlines() if changes in line or " on " in line]
    assert lines == [
        "two on dummy:d1:", "~ a", "~ d1 b", "~ d1 of d1", "~ d2 of d2", "two on dummy:d2:", "~ a", "~ d1 b",
    ]  # fmt: skip


def test_a_refused_configuration_is_one_failure_of_its_host(shell: Shell) -> None:
    """No state of the SLS is planned or run on the host, and the other hosts go on."""
    shell.write("pillar/top.sls", "base: {'*': [hosts]}\n")
    shell.write(
        "pillar/hosts.sls",
        "resources: {dummy: {hosts: {d1: {}}}, ssh_host: {hosts: {h1: {host: x, ansible_port: 22}}}}\n",
    )
    shell.write("states/many.sls", "a: test.nop\nb: test.nop\nc: {cmd.run: [name: 'true']}\n")
    for word in ("plan", "apply"):
        returns = shell.run(word, "many", "--tgt", "h1 or d1", "--out", "json").document
        of_host = [
            returned
            for returned in next(iter(returns.values())).values()
            if returned["__id__"].startswith("h1 ")
        ]
        assert [(returned["__id__"], returned["result"]) for returned in of_host] == [("h1 states", False)]
        assert of_host[0]["comment"] == (
            "ssh_host:h1 is not configured properly: unknown key of Ansible (for `ansible_port` write `port`)"
        )
