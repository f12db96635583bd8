"""Mistakes with what a state returns: expressions over it, its lines, and its changes; and with pillar."""

from __future__ import annotations

from typing import Final

from tests.cli.mistakes.mistake import Mistake, state, with_files

_LIST: Final = "x:\n  cmd.run:\n    - name: echo a\n    - read_only: true\n"


def _text(argument: str) -> str:
    return f"{_LIST}{{{{ opts['root_dir'] }}}}/none:\n  file.managed:\n    - {argument}\n"


PILLAR: Final = {"pillar/top.sls": "base:\n  '*': [data]\n", "pillar/data.sls": "workers: [a]\n"}
ROWS: list[Mistake] = [
    state(
        "names that are the output of a command",
        _text("names: ${cmd:x:stdout}"),
        "7",
        says="is ${cmd:x:stdout}",
        mends="{% for item in prev_ret.new_state.stdout.splitlines() %}",
    ),
    state(
        "names that are data",
        _text("names: ${cmd:x:stdout_json:users}"),
        "7",
        says="is ${cmd:x:stdout_json:users}",
        mends="{% for item in prev_ret.new_state.stdout_json.users %}",
    ),
    state(
        "the lines of an output in a reference",
        _text("contents: ${cmd:x:stdout_lines}"),
        "7",
        says="reads what 'x' never returns",
        mends="{% for line in prev_ret.new_state.stdout.splitlines() %}",
    ),
    state(
        "the lines of an output in a delayed block",
        "x:\n  cmd.run:\n    - name: echo a\n    - delayed_render: [block: late]\n"
        "#!delayed_block late\n{% for line in prev_ret.new_state.stdout_lines %}\n"
        "b: test.nop\n{% endfor %}\n#!end_delayed_block\n",
        "6",
        says="has no key 'stdout_lines'",
        mends="the lines of an output are stdout.splitlines()",
        code=2,
    ),
    state(
        "a loop over an output",
        f"{_LIST}{{% for one in x.stdout %}}\nb: test.nop\n{{% endfor %}}\n",
        "5",
        says="'x' is undefined",
        mends="{% for one in prev_ret.new_state.stdout.splitlines() %}",
    ),
    state(
        "a filter over an output in a template",
        _text("contents: '{{ x.stdout | upper }}'"),
        "7",
        says="'x' is undefined",
        mends="to calculate with it, write a delayed block, which",
    ),
    state(
        "a filter over an output in a reference",
        _text("contents: ${cmd:x:stdout | upper}"),
        "7",
        says="reads what 'x' never returns",
        mends="a reference takes no filters and no operators; write the expression in a delayed block",
    ),
    state(
        "a function of Terraform over an output",
        _text("contents: ${upper(cmd:x:stdout)}"),
        "7",
        says="${upper(cmd:x:stdout)}",
        mends="a filter of Jinja, over what the state has returned, in a delayed block",
        code=0,
    ),
    state(
        "a condition on a change",
        _text("onlyif: '{{ x.changed }}'"),
        "7",
        says="'x' is undefined",
        mends="`- onchanges: [{cmd: x}]`",
    ),
    state(
        "a condition on an output",
        _text("onlyif: '{{ x.stdout }} == none'"),
        "7",
        says="'x' is undefined",
        mends="{% if prev_ret.new_state.stdout … %}",
    ),
    state(
        "a reference to a change",
        _text("contents: ${cmd:x:changed}"),
        "7",
        says="reads what 'x' never returns",
        mends="`- onchanges: [{cmd: x}]`",
    ),
    with_files(
        state(
            "a key of pillar as a variable",
            "{% for one in workers %}\na: test.nop\n{% endfor %}\n",
            "1",
            says="'workers' is undefined",
            mends="did you mean pillar.workers?",
        ),
        PILLAR,
    ),
    state(
        "a loop without its variable in the ID",
        "{% for one in [1, 2] %}\na:\n  test.nop\n{% endfor %}\n",
        "2",
        says="the key 'a' appears twice",
        mends="the key must contain the variable of the loop",
    ),
    state(
        "a key that pillar does not have",
        "{{ pillar['db_host'] }}:\n  test.nop\n",
        "1",
        says="a mapping has no key 'db_host'",
        mends="define it in a file of pillar that pillar/top.sls assigns, or with `--pillar KEY=VALUE`",
    ),
    Mistake(
        what="a variable that is given on the command line",
        words="apply t --pillar port=80",
        files={"states/t.sls": "a {{ port }}: test.nop\n"},
        at="states/t.sls:1",
        says="'port' is undefined",
        mends="did you mean pillar.port?",
    ),
    with_files(
        Mistake(
            what="a key of pillar as a variable in pillar",
            at="pillar/data.sls:2",
            says="'other' is undefined",
            mends="define it",
        ),
        {**PILLAR, "pillar/data.sls": "x: 1\ny: {{ other }}\n"},
    ),
]
