"""What a person sees of a plan and of an apply: short views, failures with their causes, counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.shell import Shell
from tests.cli.test_terminal import on_terminal
from tests.library.states.system_states import needs_root

from ensue.cli.project_root import project_root
from ensue.core.model.missing_folders import line_of_missing_folder

TREE = """\
made:
  file.managed:
    - name: $ROOT/made
    - contents: one
gone:
  file.absent:
    - name: $ROOT/gone
producer:
  cmd.run:
    - name: echo '{"host":"x"}'
    - creates: $ROOT/made
    - delayed_render: [block: late]
user:
  test.show_notification:
    - text: ${cmd:producer:stdout_json:host}
same: test.nop
#!delayed_block late
inner: test.nop
#!end_delayed_block
"""
FAILS = """\
bad:
  cmd.run:
    - name: "echo first >&2; echo permission denied >&2; exit 3"
after:
  test.nop:
    - require: [bad]
same: test.nop
"""


def _tree(shell: Shell) -> None:
    shell.write("states/t.sls", TREE.replace("$ROOT", str(shell.root)))
    shell.write("gone", "")


def test_there_is_one_summary(shell: Shell) -> None:
    """Salt's figures are in the form of Salt, and nowhere beside the line of ensue."""
    _tree(shell)
    for words in ((), ("--state-output", "full")):
        shown = shell.run("plan", "t", *words).out
        assert ("2 to change, 1 unchanged" in shown, "Summary for" in shown) == (True, False)
    shown = shell.run("plan", "t", "--out", "highstate").out
    assert ("to change" in shown, "\nSummary for web-01\n" in shown) == (False, True)


def test_a_plan_has_a_line_per_change(shell: Shell) -> None:
    """A mark, ID, function and name for what would change; what is not known names what decides it."""
    _tree(shell)
    planned = shell.run("plan", "t")
    assert planned.code == 0, planned.err
    shown = planned.out.splitlines()[:10]
    assert shown == [
        "web-01:",
        "  t:",
        f"    + made (file.managed) {shell.root}/made",
        "      + one",
        f"    - gone (file.absent) {shell.root}/gone",
        (
            """    ? producer (cmd.run) echo '{"host":"x"}': waits for 'made' (known after apply); """
            "now: runs"
        ),
        "    ? deferred: block late (known after apply), from delayed_render of producer",
        "    ? user (test.show_notification): waits for ${cmd:producer:stdout_json:host} (known after apply)",
        "",
        "2 to change, 1 unchanged, 3 known after apply",
    ]


def test_a_command_that_reports_itself(shell: Shell) -> None:
    """The short output has the comment that a `stateful` command writes."""
    shell.write("states/report", "changed=yes comment='to schema 3'\n")
    shell.write("states/t.sls", f"s: {{cmd.run: [name: cat {shell.root}/states/report, stateful: true]}}\n")
    applied = shell.run("apply", "t", "--out", "short").out
    assert "/states/report: to schema 3, changed: yes, retcode: 0\n" in applied


def test_what_a_command_waits_for(shell: Shell) -> None:
    """The state that makes the path which the command names, and not just the first ones."""
    others = "".join(
        f"a{number}:\n  file.managed: [{{name: {shell.root}/{number}}}, {{contents: x}}]\n"
        for number in range(4)
    )
    shell.write(
        "states/t.sls",
        f"{others}key:\n  cmd.run: [{{name: echo 1}}, {{creates: {shell.root}/key}}]\n"
        f"reader:\n  cmd.run: [{{name: cat '{shell.root}/key'}}, {{read_only: true}}]\n"
        "other:\n  cmd.run: [{name: test -e nothing}, {read_only: true}]\n",
    )
    planned = shell.run("plan", "t").out
    assert f"cat '{shell.root}/key': waits for 'key' (known after apply); now: exited 1" in planned
    assert "test -e nothing: waits for 'a0', 'a1', 'a2' (known after apply); now: exited 1" in planned


def _made(shell: Shell, more: str = "") -> None:
    shell.write(
        "states/t.sls",
        f"made:\n  file.managed:\n    - name: {shell.root}/made\n    - contents: one\n{more}",
    )
    assert shell.run("apply", "t").code == 0


def test_a_diff_says_what_has_drifted(shell: Shell) -> None:
    """Beside the diff of the content, its checksum and its size say nothing; a line says that it drifted."""
    _made(shell)
    shell.write("made", "other\n")
    shown = [line.strip() for line in shell.run("plan", "t").out.splitlines()]
    by_someone = "drift since the last apply: changed by someone else"
    assert shown[2:8] == [
        f"~ made (file.managed) {shell.root}/made",
        by_someone,
        "@@ -1 +1 @@",
        "-other",
        "+one",
        "",
    ]
    as_in_salt = shell.run("plan", "t", "--out", "highstate").out
    assert "   Drift: since the last apply\n              content: changed by someone else\n" in as_in_salt
    (shell.root / "made").unlink()
    shown = [line.strip() for line in shell.run("plan", "t").out.splitlines()]
    gone = "drift since the last apply: removed by someone else"
    assert shown[2:5] == [f"+ made (file.managed) {shell.root}/made", gone, "+ one"]


def test_a_plan_names_the_state_that_caused_a_drift(shell: Shell) -> None:
    """Each form has its ID and its run, for what an apply restores and for what it takes over."""
    _made(shell)
    gone = f"gone:\n  file.absent:\n    - name: {shell.root}/made\n"
    shell.write("states/gone.sls", gone)
    assert shell.run("apply", "gone").code == 0
    run_id = shell.run("runs", "list", "--limit", "1", "--out", "json").document[0]["run_id"]
    cause = f"gone (file.absent) in run {run_id}"
    shown = [line.strip() for line in shell.run("plan", "t").out.splitlines()]
    assert shown[3] == f"drift since the last apply: removed by {cause}"
    as_in_salt = shell.run("plan", "t", "--out", "highstate").out
    assert f"   Drift: since the last apply, by {cause}\n              content: removed\n" in as_in_salt
    [[returned]] = [
        list(states.values()) for states in shell.run("plan", "t", "--out", "json").document.values()
    ]
    assert returned["drift_by"] == cause
    _made(shell)
    tight = (
        f"tight:\n  file.managed:\n    - name: {shell.root}/made\n    - replace: false\n    - mode: '0600'\n"
    )
    shell.write("states/tight.sls", tight)
    assert shell.run("apply", "tight").code == 0
    shown = shell.run("plan", "t").out.splitlines()
    assert shown[1] == "  changed by other states, not managed (an apply takes it over as it is):"
    assert shown[2].startswith(
        f"    ! made (file.managed) {shell.root}/made: mode: 0644 -> 0600, by tight (file."
    )


def test_a_change_of_the_sls_is_no_drift(shell: Shell) -> None:
    """The content differs because the SLS does, and the plan blames nobody."""
    _made(shell)
    sls = (shell.root / "states/t.sls").read_text(encoding="utf-8")
    shell.write("states/t.sls", sls.replace("one", "two"))
    assert "someone else" not in shell.run("plan", "t").out


def test_an_apply_takes_over_what_no_state_manages(shell: Shell) -> None:
    """It leaves a mode that no state asks for, and the next plan does not list it again."""
    _made(shell)
    (shell.root / "made").chmod(0o600)
    assert "an apply takes it over" in shell.run("plan", "t").out
    assert shell.run("apply", "t").code == 0
    assert (shell.root / "made").stat().st_mode & 0o777 == 0o600
    assert "someone else" not in shell.run("plan", "t").out


def test_drift_of_what_is_not_managed_is_apart(shell: Shell) -> None:
    """A mode that no state asks for is no change: it has a section after the states, beside a diff, too."""
    _made(shell)
    (shell.root / "made").chmod(0o600)
    section = [
        "  changed by someone else, not managed (an apply takes it over as it is):",
        f"    ! made (file.managed) {shell.root}/made: mode: 0644 -> 0600",
        "",
    ]
    alone = shell.run("plan", "t").out.splitlines()
    assert alone[1:5] == [*section, "0 to change, 1 unchanged"]
    assert shell.run("plan", "t", "--detailed-exitcode", "--out", "quiet").code == 0
    shell.write("made", "other\n")
    beside = shell.run("plan", "t").out.splitlines()
    assert beside[2:10] == [
        f"    ~ made (file.managed) {shell.root}/made",
        "      drift since the last apply: changed by someone else",
        "      @@ -1 +1 @@",
        "      -other",
        "      +one",
        *section,
    ]


def test_the_output_of_a_query_is_no_thing_that_somebody_changed(shell: Shell) -> None:
    """A command that only reads prints something else than in the last apply: the plan says just that."""
    query = "list:\n  cmd.run:\n    - name: ls sites\n    - read_only: true\n"
    shell.write("sites/shop", "")
    _made(shell, query.replace("ls sites", f"ls {shell.root}/sites"))
    shell.write("sites/blog", "")
    (shell.root / "made").chmod(0o600)
    shown = shell.run("plan", "t").out.splitlines()
    assert shown[1:5] == [
        "  changed by someone else, not managed (an apply takes it over as it is):",
        f"    ! made (file.managed) {shell.root}/made: mode: 0644 -> 0600",
        "  output that differs from the last apply:",
        rf"    ! list (cmd.run) ls {shell.root}/sites: stdout: shop -> blog\nshop",
    ]


def test_drift_that_an_apply_corrects_has_the_signs_of_a_diff(shell: Shell) -> None:
    """What is there now has a minus, and what the apply restores a plus."""
    _made(shell, "    - mode: '0644'\n")
    (shell.root / "made").chmod(0o600)
    shown = [line.strip() for line in shell.run("plan", "t").out.splitlines()]
    assert shown[3:6] == ["drift since the last apply:", "- mode: 0600", "+ mode: 0644"]
    assert "not managed" not in "".join(shown)


def test_salts_form_of_a_plan(shell: Shell) -> None:
    """`--out highstate` and `--state-output` show every state."""
    _tree(shell)
    assert "          ID: same" in shell.run("plan", "t", "--out", "highstate").out
    assert "          ID: same" in shell.run("plan", "t", "--state-output", "full").out


@pytest.mark.parametrize(("sls", "code"), [("web", 0), ("t", 2), ("bad", 1), ("nosuch", 1)])
def test_detailed_exit_code(shell: Shell, sls: str, code: int) -> None:
    """0 says that nothing would change, 2 that something would, 1 that there was an error."""
    _tree(shell)
    assert shell.run("plan", sls, "--detailed-exitcode", "--out", "quiet").code == code


def test_failures_are_repeated_with_their_cause(shell: Shell) -> None:
    """Exit code, last line of stderr, ID and place come last; what required it counts as not run."""
    shell.write("states/t.sls", FAILS)
    ended = shell.run("apply", "t")
    failure = "bad (cmd.run), states/t.sls:2:3: exited 3: permission denied"
    shown = ended.out.splitlines()
    assert shown[shown.index("Failed:") + 1] == f"  {failure}"
    counts = shown[shown.index("Failed:") + 3]
    assert counts.startswith("0 changed, 1 unchanged, 1 failed, 1 not run, ")
    assert "failed: bad (cmd.run): states/t.sls:2:3: exited 3: permission denied" in ended.err


def test_an_apply_on_a_terminal_is_short(shell: Shell) -> None:
    """What did not change is counted; the full form is there on demand, and in a pipe."""
    shell.write("states/t.sls", FAILS)
    short = on_terminal(shell, "apply", "t", "--no-color")
    assert "    ! bad (cmd.run) echo first" in short
    assert "same" not in short
    assert "0 changed, 1 unchanged, 1 failed, 1 not run, " in short
    for words in (("--state-output", "full"), ("--out", "highstate")):
        assert "          ID: same" in on_terminal(shell, "apply", "t", "--no-color", *words)
    assert "          ID: same" in shell.run("apply", "t").out


def test_a_failure_is_in_full_once_on_stdout(shell: Shell) -> None:
    """The line of the state has its name; the end of the run says what happened, where, and what to do."""
    shell.write("states/t.sls", "gone:\n  file.replace: [{name: /none/x}, {pattern: a}, {repl: b}]\n")
    plan = shell.run("plan", "t", "--no-color")
    assert "    ! gone (file.replace) /none/x\n" in plan.out
    assert "  gone (file.replace), states/t.sls:2:3: /none/x: file not found\n" in plan.out
    assert plan.out.count("file not found") == 1
    assert plan.err.count("failed: gone (file.replace): states/t.sls:2:3: /none/x: file not found") == 1


def test_terse_lines_have_ids(shell: Shell) -> None:
    """Where a name is not the ID, both are shown."""
    _tree(shell)
    shown = shell.run("apply", "t", "--state-output", "terse").out
    line = next(line for line in shown.splitlines() if f"Name: {shell.root}/made - Function" in line)
    assert line.endswith(" ms - ID: made")


def test_words_of_salt(shell: Shell) -> None:
    """`test=True` and `pillar=` are understood; others are answered with the option."""
    shell.write(
        "states/t.sls",
        "{{ pillar.get('a', 'none') }}{{ pillar.get('b', '') }}:\n  test.succeed_with_changes\n",
    )
    ended = shell.run("apply", "t", "test=True", "pillar={'a': x, 'b': y}", "--out", "json")
    [returned] = ended.document["web-01"].values()
    assert (returned["__id__"], returned["result"]) == ("xy", None)
    refused = shell.run("apply", "t", "saltenv=dev")
    assert (refused.code, "--saltenv dev" in refused.err) == (1, True)
    assert "ensue apply" in shell.run("plan", "t", "test=False").err


def test_a_project_above_the_working_directory(shell: Shell) -> None:
    """The nearest folder with an ensue.yaml is the project, and is named."""
    below = shell.root / "some" / "where"
    below.mkdir(parents=True)
    shell.write("ensue.yaml", "id: web-01\n")
    ended = Shell(below).run("plan", "good")
    assert ended.code == 0, ended.err
    assert f"ensue: the project is {shell.root}" in ended.err


@needs_root
def test_a_project_of_somebody_else_above_is_passed_over(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code would run with the rights of this user; who called sudo and root may have written it."""
    shell.write("ensue.yaml", "id: web-01\n")
    (shell.root / "below").mkdir()
    monkeypatch.chdir(shell.root / "below")
    monkeypatch.delenv("SUDO_UID", raising=False)
    assert project_root() == shell.root
    os.chown(shell.root / "ensue.yaml", 65534, 65534)
    assert project_root() == Path()
    monkeypatch.setenv("SUDO_UID", "65534")
    assert project_root() == shell.root


def test_what_is_missing_is_named_where_it_is_asked_for(shell: Shell) -> None:
    """A top file's line, and a command whose output is no JSON."""
    shell.write("states/top.sls", "base:\n  '*':\n    - good\n    - nosuch\n")
    assert "states/top.sls:4" in shell.run("plan").err
    shell.write(
        "states/t.sls",
        "make:\n  cmd.run:\n    - name: echo no\nuse:\n  test.nop:\n    - text: ${cmd:make:stdout_json:a}\n",
    )
    assert "stdout of `make` is not JSON" in shell.run("apply", "t").out


def test_an_unknown_pillar_environment(shell: Shell) -> None:
    """It is refused with those that there are."""
    ended = shell.run("plan", "good", "--pillarenv", "nosuch")
    assert (ended.code, "E0106" in ended.err) == (1, True)


def test_explain_takes_a_number(shell: Shell) -> None:
    """`804` means E0804."""
    assert shell.run("explain", "804").out.startswith("E0804: ")


CONTENT = """
made:
  file.managed:
    - name: $ROOT/made
    - contents: |
        listen 80
        password = s3cr3t-of-mine
        {%- for number in range(30) %}
        line {{ number }}
        {%- endfor %}
"""


def test_a_plan_shows_the_content_of_a_new_file(shell: Shell) -> None:
    """The first 20 lines are below the line of the state, secrets masked, then how many more there are."""
    shell.write("states/t.sls", CONTENT.replace("$ROOT", str(shell.root)))
    lines = shell.run("plan", "t").out.splitlines()
    assert lines[3:6] == ["      + listen 80", "      + password = (sensitive)", "      + line 0"]
    assert lines[22:24] == ["      + line 17", "      + … 12 more lines"]
    [returned] = shell.run("plan", "t", "--out", "json").document["web-01"].values()
    assert returned["changes"] == {"newfile": f"{shell.root}/made"}
    assert returned["preview"].startswith("listen 80\npassword = (sensitive)\nline 0\n")


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ("contents: 'one'", ["+ one"]),
        ("contents: ''\n    - allow_empty: true", []),
        ("contents: 'one'\n    - show_changes: false", ["+ <show_changes=False>"]),
        ("source: salt://binary", ["+ binary content, 7 bytes"]),
        ("source: salt://long", ["+ a", "+ … 1 more line"]),
    ],
)
def test_content_that_is_not_shown_is_named(shell: Shell, more: str, shown: list[str]) -> None:
    """Binary and hidden content are named; a line that is too long for the bound is counted."""
    (shell.root / "states").mkdir(exist_ok=True)
    (shell.root / "states/binary").write_bytes(b"\0\1\2\3\4\5\6")
    shell.write("states/long", "a\n" + "b" * 3000 + "\n")
    shell.write("states/t.sls", f"made:\n  file.managed:\n    - name: {shell.root}/made\n    - {more}\n")
    lines = [line.strip() for line in shell.run("plan", "t").out.splitlines()]
    assert lines[3 : lines.index("")] == shown


def test_no_checksum_is_beside_a_diff(shell: Shell) -> None:
    """In the blocks, too, drift of the content is not repeated as a checksum and a size."""
    shell.write(
        "states/t.sls", f"made:\n  file.managed:\n    - name: {shell.root}/made\n    - contents: one\n"
    )
    assert shell.run("apply", "t").code == 0
    shell.write("made", "other\n")
    shown = shell.run("plan", "t", "--state-output", "full").out
    assert "-other" in shown
    assert "sha256" not in shown


def test_a_missing_folder_fails_in_the_plan(shell: Shell) -> None:
    """It does unless an earlier state makes the folder; the apply names the folder and the way out."""
    root = shell.root
    shell.write(
        "states/t.sls",
        f"{root}/none/a: {{file.managed: [contents: a]}}\n"
        f"{root}/none/b: {{file.managed: [contents: b]}}\n"
        f"{root}/made: file.directory\n"
        f"{root}/made/c: {{file.managed: [contents: c]}}\n"
        f"{root}/deep/er/d: {{file.managed: [contents: d, makedirs: true]}}\n"
        f"{root}/deep/e: {{file.managed: [contents: e]}}\n",
    )
    planned = shell.run("plan", "t")
    assert planned.code == 2
    assert "4 to change, 0 unchanged, 2 would fail" in planned.out
    assert f"Parent directory not present: {root}/none (`makedirs: true` makes it)" in planned.out
    applied = shell.run("apply", "t")
    assert f"Parent directory not present: {root}/none (`makedirs: true` makes it)" in applied.out
    assert "4 changed, 0 unchanged, 2 failed" in applied.out


@pytest.mark.parametrize("function", ["file.touch", "file.absent"])
def test_a_warning_is_no_change(shell: Shell, function: str) -> None:
    """A state that is shown for its warning alone has the sign of what does not change, as it is counted."""
    text = f"a:\n  {function}:\n    - name: {shell.root}/a\n    - onlyif: no-such-command-here\n"
    shell.write("states/t.sls", text)
    for shown in (shell.run("plan", "t").out, on_terminal(shell, "apply", "t", "--no-color")):
        assert f"    = a ({function}) {shell.root}/a" in shown
        assert "      warning: " in shown
        assert ", 1 unchanged" in shown


def test_changes_of_a_plug_in_have_any_keys(shell: Shell) -> None:
    """A plan looks for paths in the changes of every state."""
    shell.write(
        "states/_states/odd.py",
        "def changed(name):\n"
        "    test = None if __opts__['test'] else True\n"
        "    return {'name': name, 'result': test, 'changes': {1: 'x', (2, 3): ''}, 'comment': ''}\n",
    )
    shell.write("states/t.sls", f"odd: odd.changed\n{shell.root}/a: file.touch\n")
    planned = shell.run("plan", "t")
    assert (planned.code, planned.out.splitlines()[-1]) == (0, "2 to change, 0 unchanged")


def test_what_creates_names_is_removed_before(shell: Shell) -> None:
    """A command that its `creates` skips now may run in the apply, if an earlier state removes the file."""
    root = shell.root
    gone = f"gone:\n  file.absent: [name: {root}/d]\n"
    again = f"again:\n  cmd.run: [name: mkdir -p {root}/d && touch {root}/d/x, creates: {root}/d/x]\n"
    other = f"other:\n  cmd.run: [name: 'true', creates: {root}/kept]\n"
    shell.write("states/t.sls", gone + again + other)
    shell.write("d/x", "")
    shell.write("kept", "")
    planned = shell.run("plan", "t")
    assert "waits for 'gone' (known after apply); now:" in planned.out
    assert "1 to change, 1 unchanged, 1 known after apply" in planned.out
    assert "2 changed, 1 unchanged" in shell.run("apply", "t").out


def test_what_an_uncalled_state_may_make(shell: Shell) -> None:
    """A plan does not call a state that depends on changes; what it may make is not missing for certain."""
    root = shell.root
    shell.write(
        "states/t.sls",
        f"conf:\n  file.managed: [name: {root}/conf, contents: x]\n"
        f"make:\n  file.directory: [name: {root}/new, onfail: [file: conf]]\n"
        f"in it:\n  file.managed: [name: {root}/new/f, contents: x]\n",
    )
    planned = shell.run("plan", "t")
    assert "would fail" not in planned.out
    assert planned.code == 0


def test_a_missing_folder_that_a_command_may_make(shell: Shell) -> None:
    """What an earlier command or package makes is not known in a plan: a line below the file says that."""
    root = shell.root
    shell.write(
        "states/t.sls",
        f"build: {{cmd.run: [name: 'mkdir {root}/none']}}\n{root}/none/a: {{file.managed: [contents: a]}}\n",
    )
    planned = shell.run("plan", "t")
    assert planned.code == 0
    assert line_of_missing_folder(f"{root}/none") in planned.out
    assert shell.run("apply", "t").code == 0


@pytest.mark.parametrize(
    "state",
    [
        "ssh_auth.present: [user: root, enc: ssh-ed25519, config: {}]",
        "ssh_known_hosts.present: [user: root, enc: ssh-ed25519, key: AAAA, config: {}]",
        "sysctl.present: [value: '1', config: {}]",
    ],
)
def test_a_missing_folder_that_a_state_makes_beside_its_name(shell: Shell, state: str) -> None:
    """The states of keys and of sysctl make the folder of their file, which is not their name."""
    root = shell.root
    made = state.format(f"{root}/none/own")
    shell.write(
        "states/t.sls", f"net.core.own: {{{made}}}\n{root}/none/config: {{file.managed: [contents: a]}}\n"
    )
    planned = shell.run("plan", "t")
    assert f"Parent directory not present: {root}/none" not in planned.out
    assert line_of_missing_folder(f"{root}/none") in planned.out


@pytest.mark.parametrize(
    ("marks", "code"), [("", 0), ('@makes_only("name", "paths")', 0), ('@makes_only("name")', 2)]
)
def test_a_function_of_the_project_says_what_it_makes(shell: Shell, marks: str, code: int) -> None:
    """A later file whose folder is missing fails in the plan only if the function makes no other path."""
    shell.write(
        "states/_states/own.py",
        "from ensue.plugin import StateReturn, makes_only\n\n"
        f"{marks}\n"
        "def made(ctx, name):\n"
        "    return StateReturn.planned(name, 'x', {'a': 'b'})\n\n"
        "FUNCTIONS = {'made': made}\n",
    )
    file = f"{shell.root}/none/a: {{file.managed: [contents: a]}}\n"
    shell.write("states/t.sls", f"x: own.made\n{file}")
    assert shell.run("plan", "t").code == code


def test_a_missing_folder_behind_a_link(shell: Shell) -> None:
    """An earlier state may make it by its other name, so that a plan does not count it as a failure."""
    root = shell.root
    (root / "real").mkdir()
    (root / "alias").symlink_to("real")
    shell.write(
        "states/t.sls",
        f"{root}/real/app: file.directory\n{root}/alias/app/x: {{file.managed: [contents: x]}}\n",
    )
    assert "2 to change, 0 unchanged\n" in shell.run("plan", "t").out
    assert shell.run("apply", "t").code == 0


def test_a_missing_user_or_group_fails_in_the_plan(shell: Shell) -> None:
    """A file or folder with an owner that the target lacks would fail, unless an earlier state makes it."""
    root = shell.root
    files = (
        f"{root}/a: {{file.managed: [contents: a, user: nosuchuser-1]}}\n"
        f"{root}/b: {{file.directory: [group: nosuchgroup-1]}}\n"
        f"{root}/c: {{file.managed: [contents: c, user: root, group: '0']}}\n"
    )
    shell.write("states/t.sls", files)
    planned = shell.run("plan", "t")
    assert planned.code == 2
    assert "there is no user `nosuchuser-1`" in planned.out
    assert "there is no group `nosuchgroup-1`" in planned.out
    assert "1 to change, 0 unchanged, 2 would fail" in planned.out
    assert shell.run("apply", "t").code == 2
    made = "nosuchgroup-1: group.present\nnosuchuser-1: user.present\n"
    shell.write("states/t.sls", made + files)
    assert shell.run("plan", "t").code == 0


@pytest.mark.parametrize(
    ("lacks", "made", "problem"),
    [
        (
            "cwd: ROOT/none",
            "ROOT/none: file.directory",
            'Desired working directory "{}/none" is not available',
        ),
        ("runas: nosuchuser-1", "nosuchuser-1: user.present", "there is no user `nosuchuser-1`"),
        ("group: nosuchgroup-1", "nosuchgroup-1: group.present", "there is no group `nosuchgroup-1`"),
    ],
)
def test_a_command_that_cannot_start_fails_in_the_plan(
    shell: Shell, lacks: str, made: str, problem: str
) -> None:
    """In whatever way it would be run, unless an earlier state makes what it lacks."""
    commands = (
        "a: {cmd.run: [name: 'true', LACKS]}\n"
        "b: {cmd.run: [name: 'true', stateful: true, LACKS]}\n"
        "c: {cmd.script: [source: salt://c.sh, LACKS]}\n"
    ).replace("LACKS", lacks)
    write = f"{commands}d: test.succeed_with_changes\ne: {{cmd.wait: [name: 'true', watch: [d], {lacks}]}}\n"
    shell.write("states/c.sh", "true\n")
    shell.write("states/t.sls", write.replace("ROOT", str(shell.root)))
    planned = shell.run("plan", "t")
    assert problem.format(shell.root) in planned.out
    assert "4 would fail" in planned.out, planned.out
    assert shell.run("apply", "t").code == 2
    shell.write("states/t.sls", f"{made}\n{write}".replace("ROOT", str(shell.root)))
    assert shell.run("plan", "t").code == 0


def test_a_check_of_the_content_is_named_in_the_plan(shell: Shell) -> None:
    """A plan writes nothing that the command could check."""
    shell.write(
        "states/t.sls", f"{shell.root}/a: {{file.managed: [contents: a, check_cmd: touch {shell.root}/b]}}\n"
    )
    assert f"? checked by `touch {shell.root}/b` in the apply" in shell.run("plan", "t").out
    assert not (shell.root / "b").exists()
    assert shell.run("apply", "t").code == 0
    assert "checked by" not in shell.run("plan", "t").out


def test_the_mode_of_a_folder_is_said_once(shell: Shell) -> None:
    """Salt's changes of a folder have it by the path, and bare."""
    folder = shell.root / "folder"
    folder.mkdir(mode=0o755)
    shell.write("states/t.sls", f"{folder}: {{file.directory: [mode: '0700']}}\n")
    assert f"~ {folder} (file.directory): mode: 0755 -> 0700\n" in shell.run("plan", "t").out
    assert (
        f"~ {folder} (file.directory): mode: 0755 -> 0700\n" in shell.run("apply", "t", "--out", "short").out
    )


def test_a_plan_says_where_failhard_stops_the_apply(shell: Shell) -> None:
    """At the first failure that does; what comes after it is planned, too, and not applied."""
    shell.write(
        "states/t.sls",
        "a: test.fail_without_changes\nb: {test.fail_without_changes: [failhard: true]}\n"
        "c: test.succeed_with_changes\nd: {test.fail_without_changes: [failhard: true]}\n",
    )
    planned = shell.run("plan", "t")
    assert planned.err.count("warning[E0730]") == 1
    assert "'b' would fail, and its `failhard` stops the apply there" in planned.err
    assert "1 to change, 0 unchanged, 3 would fail" in planned.out
    applied = shell.run("apply", "t")
    assert "2 not run" in applied.out
    assert "E0730" not in applied.err
    shell.write("states/t.sls", "a: test.fail_without_changes\nc: test.succeed_with_changes\n")
    assert "E0730" not in shell.run("plan", "t").err
    shell.write("ensue.yaml", "id: m\nfailhard: true\n")
    assert "'a' would fail, and" in shell.run("plan", "t").err


def test_an_account_that_is_missing_fails_in_the_plan(shell: Shell) -> None:
    """Whatever is done as that user, or for it, unless an earlier state makes it."""
    root, key = shell.root, "AAAAC3NzaC1lZDI1NTE5AAAAIGrbSMwwD1CjxkuNqPVmyzSWUFKXkxNmCuE8CtfTRgWe"
    states = (
        f"a: {{git.cloned: [name: 'file:///none', target: {root}/a, user: nosuchuser-1]}}\n"
        "b: {git.config_set: [name: a.b, value: c, global: true, user: nosuchuser-1]}\n"
        f"c: {{ssh_auth.present: [name: {key}, enc: ssh-ed25519, user: nosuchuser-1]}}\n"
        f"d: {{virtualenv.managed: [name: {root}/d, user: nosuchuser-1]}}\n"
        f"e: {{acl.present: [name: {root}, acl_type: user, acl_name: nosuchuser-1, perms: r]}}\n"
        "f: {group.present: [name: root, addusers: [nosuchuser-1]]}\n"
        "g: {group.present: [name: nosuchgroup-2, members: [nosuchuser-1]]}\n"
        "h: {user.present: [name: nosuchuser-2, gid: nosuchgroup-1]}\n"
    )
    for id_, line in zip("abcdefgh", states.splitlines(), strict=True):
        shell.write("states/t.sls", f"{line}\n")
        planned = shell.run("plan", "t")
        kind, name = ("group", "nosuchgroup-1") if id_ == "h" else ("user", "nosuchuser-1")
        assert f"there is no {kind} `{name}`" in planned.out, (id_, planned.out)
        assert planned.code == 2
    made = "nosuchgroup-1: group.present\nnosuchuser-1: user.present\n"
    shell.write("states/t.sls", made + states)
    assert shell.run("plan", "t").code == 0


def test_what_would_fail_makes_nothing(shell: Shell) -> None:
    """A folder whose own state would fail does not count as made for what is in it."""
    root = shell.root
    shell.write(
        "states/t.sls",
        f"{root}/x: {{file.directory: [user: nosuchuser-1]}}\n{root}/x/a: {{file.managed: [contents: a]}}\n",
    )
    assert "0 to change, 0 unchanged, 2 would fail" in shell.run("plan", "t").out


def test_a_state_that_runs_after_a_failure_is_no_change(shell: Shell) -> None:
    """Whether the other state fails is known after apply."""
    shell.write(
        "states/t.sls",
        "risky: {cmd.run: [name: 'true']}\nrescue: {cmd.run: [name: 'true', onfail: [risky]]}\n",
    )
    plan = shell.run("plan", "t")
    assert "    ? rescue (cmd.run) true: runs only if risky fails (known after apply)" in plan.out
    assert "1 to change, 0 unchanged, 1 known after apply" in plan.out


def test_a_plan_without_states_has_no_group(shell: Shell) -> None:
    """Its end says why there are none."""
    shell.write("states/top.sls", "base: {}\n")
    plan = shell.run("plan")
    assert "inline" not in plan.out
    assert "Failed:\n  states: No states found for this minion: the top file assigns nothing to" in plan.out


def test_the_short_form_of_an_apply_into_a_pipe(shell: Shell) -> None:
    """It is that of a plan, with each failure in full; `runs show` has it, too, and it ignores ensue.yaml."""
    shell.write("ensue.yaml", "id: web-01\nstate_verbose: true\n")
    shell.write("states/f.sls", FAILS)
    shown = shell.run("apply", "f", "--out", "short").out
    assert "same" not in shown
    assert "bad (cmd.run), states/f.sls:2:3: exited 3: permission denied" in shown
    assert "0 changed, 1 unchanged, 1 failed, 1 not run" in shown
    assert "! bad (cmd.run)" in shown
    again = shell.run("runs", "show", "last", "--out", "short").out
    assert again.splitlines()[:-1] == shown.splitlines()[:-1]
    assert "is not one of highstate, short" in shell.run("apply", "f", "--out", "plan").err
    shell.write("states/same.sls", "same: test.nop\n")
    assert shell.run("plan", "same", "--out", "short").out == shell.run("plan", "same").out


def test_an_undeclared_requisite_names_the_sls_that_has_it(shell: Shell) -> None:
    """Of the SLS that are not in this run, those that declare such a state."""
    shell.write("states/t.sls", "c: {test.nop: [listen_in: [{cmd: hup}]]}\n")
    shell.write("states/other.sls", "hup: {test.nop: []}\n")
    shell.write("states/web/init.sls", "hup:\n  cmd.wait:\n    - name: 'true'\n")
    assert "  = help: include the SLS that declares it: web\n" in shell.run("plan", "t").err
    shell.write("states/web/init.sls", "hup: {cmd.wait: [name: 'true']}\n")
    assert "  = help: include the SLS that declares it: web\n" in shell.run("plan", "t").err


def test_a_failure_is_named_once_for_all_states_that_it_prevents(shell: Shell) -> None:
    """The progress has no line about them, and the short view one for each cause, also from the journal."""
    bad = "".join(f"bad{number}: {{cmd.run: [name: exit {number}]}}\n" for number in (3, 4))
    shell.write(
        "states/t.sls",
        bad
        + "".join(f"dep{n}: {{test.nop: [require: [bad3]]}}\n" for n in range(25))
        + "deep: {test.nop: [require: [dep24]]}\n"
        + "both: {test.nop: [require: [bad3, bad4]]}\n"
        + "ok: test.nop\n"
        + "handler: {test.nop: [onchanges: [bad3, ok]]}\n",  # Nothing that it reacts to has changed.
    )
    applied = shell.run("apply", "t", "--out", "short")
    assert applied.err.splitlines() == [
        "failed: bad3 (cmd.run): states/t.sls:1:8: exited 3",
        "failed: bad4 (cmd.run): states/t.sls:2:8: exited 4",
    ]
    named = ", ".join(f"dep{n}" for n in range(10))
    lines = [
        f"    ! not run because bad3 failed: {named} and 16 more",
        "    ! not run because bad3 and bad4 failed: both",
    ]
    for text in (applied.out, shell.run("runs", "show", "last", "--out", "short").out):
        assert [line for line in text.splitlines() if "not run because" in line] == lines
    assert "0 changed, 2 unchanged, 2 failed, 27 not run" in applied.out
    shell.write("states/t.sls", "bad: test.fail_without_changes\nx: {test.nop: [require: [bad]]}\n")
    assert "    ! not run because bad would fail: x\n" in shell.run("plan", "t", "--out", "short").out


def test_states_of_one_id_are_told_apart(shell: Shell) -> None:
    """The lists of states that were not run have the names of those whose ID several have."""
    after_bad = "require: [bad]"
    shell.write(
        "states/t.sls",
        "bad: {cmd.run: [name: exit 3]}\n"
        f"tree: {{test.nop: [names: [x, y], {after_bad}]}}\n"
        f"last: {{test.nop: [{after_bad}]}}\n",
    )
    applied = shell.run("apply", "t", "--out", "short").out
    assert "! not run because bad failed: tree x, tree y, last\n" in applied
    stopped = shell.run("apply", "t", "--failhard").out
    assert "Not run: 3 states\n  tree (test.nop) x\n  tree (test.nop) y\n  last (test.nop)\n" in stopped


def test_the_diff_of_appended_lines_has_no_header(shell: Shell, tmp_path: Path) -> None:
    """Salt ends its header lines twice."""
    (tmp_path / "a").write_text("first\n\nthird\n")
    shell.write("states/t.sls", f"{tmp_path}/a: {{file.append: [text: [one, two]]}}\n")
    shown = shell.run("apply", "t", "--out", "short").out
    assert "      @@ -1,3 +1,5 @@\n       first\n       \n       third\n      +one\n      +two\n" in shown
    assert "+++" not in shown
