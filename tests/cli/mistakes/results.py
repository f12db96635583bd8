"""Mistakes with what a state returns: expressions over it, its lines, and its changes."""

from __future__ import annotations

from typing import Final

from tests.cli.mistakes.mistake import Mistake, state

_LIST: Final = "x:\n  cmd.run:\n    - name: echo a\n    - read_only: true\n"


def _text(argument: str) -> str:
    return f"{_LIST}{{{{ opts['root_dir'] }}}}/none:\n  file.managed:\n    - {argument}\n"


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
]
