"""What to write where an SLS decides by the result of a state: a delayed block, `onchanges`, or a reference.

Ansible's names of a task's result are read as ensue's: `rc` is `retcode`.

Source: the return values of Ansible's tasks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

PAGE: Final = (
    "a state in it notifies none outside of it; the page Delayed rendering of the documentation has examples"
)
BLOCK: Final = (
    "a delayed block, which is rendered when that state has ended:\n"
    "    - delayed_render: [block: after]  (an argument of the state with the result)\n"
    "#!delayed_block after\n"
    "{% if prev_ret.new_state.stdout == 'ready' %} … {% endif %}\n"
    "#!end_delayed_block\n"
    "To run a state only if another one changed something: `- onchanges: [{cmd: ID}]`; "
    f"{PAGE}"
)
"""The construct for a decision by the result of a state that is not known."""

BLOCK_WITH_LOOP: Final = BLOCK.replace(
    "{% if prev_ret.new_state.stdout == 'ready' %} … {% endif %}",
    "{% for item in prev_ret.new_state.stdout_json %} … {% endfor %}",
)
"""The construct for a loop over such a result."""

RESULTS_OF_TASKS: Final = frozenset({
    "rc", "stdout", "stderr", "stdout_lines", "stderr_lines", "changed", "failed", "skipped", "results",
    "stat", "retcode", "stdout_json", "msg", "json", "status",
})  # fmt: skip
"""What a template reads of a result, and hardly of anything else."""

_PREVIOUS: Final = frozenset({"prev_ret", "prev", "prev_result", "previous", "result", "ret", "output"})
_PROPERTIES: Final = {
    "rc": "retcode",
    "stdout_lines": "stdout",
    "stderr_lines": "stderr",
    "json": "stdout_json",
}
_OF_RETURNS: Final = {
    "changed": "changes",
    "failed": "result",
    "succeeded": "result",
    "result": "result",
    "changes": "changes",
    "comment": "comment",
    "msg": "comment",
}
_NEW_STATE: Final = "prev_ret.new_state"
_TEXTS: Final = frozenset({"stdout", "stderr", "content", "contents"})
_LINES: Final = frozenset({"stdout_lines", "stderr_lines"})
_CALCULATED: Final = re.compile(r"[|+*/%~()]|\bif\b")
_TESTS: Final = {
    **dict.fromkeys(("changed", "change"), "`prev_ret.changes`"),
    **dict.fromkeys(("failed", "failure"), "`prev_ret.result is false`"),
    **dict.fromkeys(("succeeded", "success"), "`prev_ret.result`"),
    **dict.fromkeys(("skipped", "skip"), "`prev_ret.changes`"),
}
_REGISTERS: Final = r"^[ \t]+(?:-[ \t]+)?register[ \t]*:[ \t]*['\"]?{}['\"]?[ \t]*$"
_TOP_KEY: Final = re.compile(
    r"^(?P<quote>['\"]?)(?P<id>[^\s#'\"{-][^\n'\"{]*?)(?P=quote):[ \t]*$", re.MULTILINE
)


def decided_by(id_: str, module: str, keys: Sequence[str], tag: str) -> str:
    """Return what to write instead of a tag that decides by the result of a state.

    Args:
        id_: the ID of the state.
        module: its module.
        keys: what is read of the result, `("stdout",)`.
        tag: the tag, `if` or `for`.
    """
    read = of_return(keys)
    if tag == "for":
        shown = f"{{% for one in {_looped(keys)} %}} … {{% endfor %}}"
    else:
        shown = f"{{% if {read}{' …' if read.startswith(_NEW_STATE) else ''} %}} … {{% endif %}}"
    return (
        f"{id_} is a state, and a template is rendered before any state runs; decide in a delayed block, "
        f"which is rendered when {id_} has ended:\n"
        f"    - delayed_render: [block: after]  (an argument of {id_})\n"
        f"#!delayed_block after\n{shown}\n#!end_delayed_block\n"
        f"To run a state only if {id_} changed something: `- onchanges: [{{{module}: {id_}}}]`; {PAGE}"
    )


def loop_over(names: str) -> str:
    """Return what to write instead of `names` that are a reference.

    Args:
        names: the text, `${cmd:list:stdout}`.
    """
    from ensue.core.model.reference import Reference
    from ensue.language.references.grammar import read_text

    read = next((piece for piece in read_text(names) if isinstance(piece, Reference)), None)
    path = _looped(tuple(read.property.split(":"))) if read else f"{_NEW_STATE}.KEY"
    return (
        "write `delayed_render: [block: each]` in the other state, and the states in `#!delayed_block each` "
        f"with {{% for item in {path} %}}"
    )


def instead_of_property(module: str, id_: str, written: str, known: Collection[str]) -> str:
    """Return what to write instead of a property that no state returns; empty if it is just unknown.

    Args:
        module: the module of the state that the reference names.
        id_: its ID.
        written: the property as it is written, `stdout | upper` or `changed`.
        known: the keys that the state returns.
    """
    key = written.strip()
    if key in _LINES and _PROPERTIES[key] in known:
        whole = _PROPERTIES[key]
        return (
            f"${{{module}:{id_}:{whole}}} is the whole text; for its lines, write "
            f"{{% for line in {_looped((whole,))} %}} in {BLOCK}"
        )
    if key in _OF_RETURNS and key in RESULTS_OF_TASKS:
        return decided_by(id_, module, (key,), "if")
    if _CALCULATED.search(key) and any(property_ in re.split(r"\W+", key) for property_ in known):
        return f"a reference takes no filters and no operators; write the expression in {BLOCK}"
    return ""


def is_of_return(keys: Sequence[str]) -> bool:
    """Return whether keys read what only the return of a state has, not its `new_state`: `changed`."""
    return bool(keys) and keys[0] in _OF_RETURNS and keys[0] in RESULTS_OF_TASKS


def _looped(keys: Sequence[str]) -> str:
    """Return how a delayed block loops over a result; a text by its lines."""
    is_text = len(keys) == 1 and keys[0] in _TEXTS | _LINES
    return f"{of_return(keys)}.splitlines()" if is_text else of_return(keys)


def of_return(keys: Sequence[str]) -> str:
    """Return how a delayed block reads a result, `prev_ret.new_state.retcode`.

    Args:
        keys: the keys, perhaps those of Ansible.
    """
    own = keys[1:] if keys[:1] == ("new_state",) else keys
    if own and own[0] in _OF_RETURNS and own is keys:
        return f"prev_ret.{_OF_RETURNS[own[0]]}"
    return ".".join((_NEW_STATE, *properties(own)))


def properties(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of a `new_state` that keys of a task's result mean."""
    return tuple(_PROPERTIES.get(key, key) if not place else key for place, key in enumerate(keys))


def is_previous(name: str, keys: Sequence[str]) -> bool:
    """Return whether a variable that does not exist must be the result of a state.

    Args:
        name: the variable.
        keys: what is read of it.
    """
    return (
        name == "prev_ret"
        or (name in _PREVIOUS and bool(keys))
        or keys[:1] in {(key,) for key in RESULTS_OF_TASKS}
    )


def of_previous(name: str, keys: Sequence[str], tag: str, *, is_late: bool) -> str:
    """Return what to write instead of a variable for the result of a state that is not named.

    Args:
        name: the variable.
        keys: what is read of it.
        tag: the tag in which it is read, `if` or `for`; empty for a printed value.
        is_late: whether the template is one of a delayed rendering.
    """
    if is_late:
        return f"the result of the state that calls this block is prev_ret: write {of_return(keys)}"
    what = "prev_ret is known only in a delayed block" if name == "prev_ret" else f"no state sets {name}"
    if tag:
        return f"{what}; decide by the result of a state in {BLOCK}"
    path = ":".join(properties(keys[1:] if keys[:1] == ("new_state",) else keys)) or "property"
    return f"{what}; write ${{cmd:ID:{path}}} with the module and the ID of the state, or use {BLOCK}"


def registering(name: str, text: str) -> str:
    """Return the ID of the state that names its result with Ansible's `register`; empty if none does.

    Args:
        name: the name.
        text: the SLS.
    """
    match = re.search(_REGISTERS.format(re.escape(name)), text, re.MULTILINE)
    if match is None:
        return ""
    above = list(_TOP_KEY.finditer(text, 0, match.start()))
    return above[-1]["id"] if above else ""


def instead_of_test(name: str) -> str:
    """Return what to write instead of a test of Ansible for results, `is changed`; empty if it is none."""
    if name not in _TESTS:
        return ""
    return f"`is {name}` is Ansible's: write {_TESTS[name]} in {BLOCK}"
