"""Trees with delayed blocks, and the same content for Salt, which needs a second apply for what a block does.

Salt renders everything before anything runs. So what stands in a block goes into an SLS of its own, and
`state.apply` is called twice, one after the other; there is nothing else in Salt that does it on one machine.
"""

from __future__ import annotations


def repeated_block(count: int) -> str:
    """Return an SLS in which many states call for one block, with one state in it."""
    return (
        f"{{% for number in range({count}) %}}\n"
        "caller-{{ number }}:\n"
        "  test.nop:\n"
        "    - delayed_render:\n"
        "      - block: repeated\n"
        "{% endfor %}\n"
        "#!delayed_block repeated delayed_repeat_limit=None\n"
        "after-{{ prev_ret.name }}:\n"
        "  test.nop: []\n"
        "#!end_delayed_block\n"
    )


def blocks(count: int, states: int) -> str:
    """Return an SLS of many blocks, each with a caller of its own."""
    return "".join(
        f"caller-{number}:\n"
        "  test.nop:\n"
        "    - delayed_render:\n"
        f"      - block: block-{number}\n"
        f"#!delayed_block block-{number}\n"
        f"{_states(number, states)}"
        "#!end_delayed_block\n"
        for number in range(count)
    )


def two_applies(count: int, states: int) -> tuple[str, str]:
    """Return two SLS that together have the states of `count` callers and of what their blocks would hold."""
    callers = (
        f"{{% for number in range({count}) %}}\ncaller-{{{{ number }}}}:\n  test.nop: []\n{{% endfor %}}\n"
    )
    return callers, "".join(_states(number, states) for number in range(count))


def _states(caller: int, count: int) -> str:
    return "".join(f"after-{caller}-{number}:\n  test.nop: []\n" for number in range(count))
