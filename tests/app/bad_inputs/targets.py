"""Targets that do not parse, wherever they are written."""

from tests.app.bad_inputs.row import Row, command, options, sls, top

STATE = "a: test.nop\n"
NESTED = "(" * 3000 + "a" + ")" * 3000


def tgt(what: str, value: str, expected: str) -> Row:
    """Return a state's target, on the third line."""
    return sls(what, f"a:\n  test.nop:\n    - tgt: {value}\n", expected)


ROWS = [
    tgt("3,000 parentheses", f"'{NESTED}'", "E0701 states/t.sls:3:63"),
    tgt("3,000 parentheses that are never closed", f"'{'(' * 3000}'", "E0701 states/t.sls:3:63"),
    tgt("a count that is too large", "E@a{99999999999}", "E0701 states/t.sls:3:14"),
    tgt("a regular expression that is none", "E@(", "E0701 states/t.sls:3:14"),
    tgt(
        "a regular expression of 3,000 groups",
        f"'E@{chr(34)}{'(?:' * 3000}{')' * 3000}{chr(34)}'",
        "E0701 states/t.sls:3:15",
    ),
    tgt("a count that is too large in a grain", "P@os:a{99999999999}", "E0701 states/t.sls:3:14"),
    tgt("a count that is too large in pillar", "J@a:b:c{99999999999}", "E0701 states/t.sls:3:14"),
    tgt("an empty target", "''", "E0701 states/t.sls:3:7"),
    tgt("blanks", "'   '", "E0701 states/t.sls:3:13"),
    tgt("an operator alone", "'and'", "E0701 states/t.sls:3:13"),
    tgt("an operator too many", "a and and b", "E0701 states/t.sls:3:18"),
    tgt("an operator at the end", "a or", "E0701 states/t.sls:3:16"),
    tgt("two words without an operator", "a b", "E0701 states/t.sls:3:14"),
    tgt("a parenthesis that is never closed", "(a", "E0701 states/t.sls:3:14"),
    tgt("a parenthesis too many", "a)", "E0701 states/t.sls:3:13"),
    tgt("nothing in parentheses", "()", "E0701 states/t.sls:3:13"),
    tgt("a quote that is never closed", "'a \"b'", "E0701 states/t.sls:3:15"),
    tgt("an engine that there is not", "X@a", "E0701 states/t.sls:3:12"),
    tgt("an engine without a pattern", "E@", "E0701 states/t.sls:3:12"),
    tgt("an address that is none", "S@300.1.1.1", "E0701 states/t.sls:3:14"),
    tgt("a network that is none", "S@10.0.0.0/99", "E0701 states/t.sls:3:14"),
    tgt("a range that is never closed", "'R@web-[1'", "E0701 states/t.sls:3:15"),
    tgt("a range that ends before it begins", "'R@web-[9-1]'", "E0701 states/t.sls:3:15"),
    tgt("a range of a billion names", "'R@web-[1-1000000000]'", "E0701 states/t.sls:3:15"),
    tgt("a range of 30 digits", f"'R@web-[1-{'9' * 30}]'", "E0701 states/t.sls:3:15"),
    tgt("a target that is a list", "[a, b]", "E0312 states/t.sls:3:7"),
    tgt("a target that is a mapping", "{a: b}", "E0312 states/t.sls:3:7"),
    tgt("a target that is a number", "7", "E0312 states/t.sls:3:7"),
    tgt("a target that is null", "", "E0312 states/t.sls:3:7"),
    tgt("a target with a NUL", '"a\\0 b"', "E0701 states/t.sls:3:7"),
    tgt("a nodegroup that there is not", "N@nobody", "E0708 states/t.sls:3:12"),
    sls("tgt_optional without tgt", "a:\n  test.nop:\n    - tgt_optional: true\n", "E0312 states/t.sls:3:7"),
    sls(
        "tgt_optional that is a text",
        "a:\n  test.nop:\n    - tgt: a\n    - tgt_optional: perhaps\n",
        "E0312 states/t.sls:4:7",
    ),
    command("a target of 3,000 parentheses", "call", NESTED, "test.ping", expected="E0701"),
    command(
        "a target with a count that is too large", "call", "E@a{99999999999}", "test.ping", expected="E0701"
    ),
    command("a target that is empty", "call", "", "test.ping", expected="E0701"),
    command(
        "a target that matches nothing", "call", "nobody", "test.ping", expected="run: no target matched"
    ),
    top(
        "a top file with a target of 3,000 parentheses",
        f"base:\n  ? '{NESTED}'\n  : [t]\n",
        "E0701 states/top.sls:2:5",
    ),
    top(
        "a top file with a count that is too large",
        "base:\n  'E@a{99999999999}': [t]\n",
        "E0701 states/top.sls:2:3",
    ),
    top(
        "a top file with a regular expression",
        "base:\n  'a{99999999999}':\n    - match: pcre\n    - t\n",
        "E0701 states/top.sls:2:3",
    ),
    top(
        "a top file with a match that there is not",
        "base:\n  '*':\n    - match: guess\n    - t\n",
        "E0602 states/top.sls:2:3",
    ),
    top(
        "a top file with a match that is a list",
        "base:\n  '*':\n    - match: [glob]\n    - t\n",
        "E0602 states/top.sls:2:3",
    ),
    top(
        "a top file with an address that is none",
        "base:\n  '300.1.1.1':\n    - match: ipcidr\n    - t\n",
        "E0701 states/top.sls:2:3",
    ),
    top("a top file with a target that is empty", "base:\n  '': [t]\n", "E0701 states/top.sls:2:3"),
    top(
        "a subfilter that does not parse",
        "base:\n  '*':\n    - subfilter:\n        '(': [t]\n",
        "E0701 states/top.sls:2:3",
    ),
    top("a top file that is a list", "- t\n", "E0601 states/top.sls:1"),
    top("a top file that is a text", "t\n", "E0601 states/top.sls:1"),
    top("an environment that is a list", "base: [t]\n", "E0601 states/top.sls:1:1"),
    top("an environment that is a text", "base: t\n", "E0601 states/top.sls:1:1"),
    top("a target that is a text", "base:\n  '*': t\n", "E0601 states/top.sls:2:3"),
    top("a target without SLS", "base:\n  '*':\n", "E0601 states/top.sls:2:3"),
    top("an SLS that there is not", "base:\n  '*': [u]\n", "E0301 states/top.sls:2:3"),
    top("an include of a number", "include: 7\nbase:\n  '*': [t]\n", "E0601 states/top.sls:1:1"),
    top(
        "a top file with a block",
        "base:\n  '*': [t]\n#!delayed_block x\n#!end_delayed_block\n",
        "E0906 states/top.sls:3:1",
    ),
    Row(
        what="a pillar top file with a count that is too large",
        files={"states/t.sls": STATE, "pillar/top.sls": "base:\n  'E@a{99999999999}': [p]\n"},
        expected="E0701 pillar/top.sls:2:3",
    ),
    Row(
        what="a pillar top file that is a list",
        files={"states/t.sls": STATE, "pillar/top.sls": "- p\n"},
        expected="E0601 pillar/top.sls:1",
    ),
    Row(
        what="a pillar SLS that there is not",
        files={"states/t.sls": STATE, "pillar/top.sls": "base: {'*': [p]}\n"},
        expected="E0603 pillar/top.sls:1:8",
    ),
    options(
        "a nodegroup with a count that is too large",
        "nodegroups:\n  g: E@a{99999999999}\n",
        "E0701 ensue.yaml:2:3",
    ),
    options("a nodegroup of 3,000 parentheses", f"nodegroups:\n  g: '{NESTED}'\n", "E0701 ensue.yaml:2:3"),
    options("a nodegroup that names itself", "nodegroups:\n  a: N@a\n", "E0709 ensue.yaml:2:3"),
    options(
        "nodegroups in a cycle", "nodegroups:\n  a: N@b\n  b: N@c\n  c: x or N@a\n", "E0709 ensue.yaml:2:3"
    ),
    options(
        "nodegroups of 400 levels",
        "nodegroups:\n" + "".join(f"  g{i}: N@g{i + 1}\n" for i in range(400)),
        "E0709 ensue.yaml:301:3",
    ),
    options(
        "nodegroups of nine others each, over 12 levels, of which the last is not there",
        "nodegroups:\n" + "".join(f"  g{i}: {' and '.join([f'N@g{i + 1}'] * 9)}\n" for i in range(12)),
        "E0708 ensue.yaml:13:3",
    ),
    options("a nodegroup that is a mapping", "nodegroups:\n  g: {a: b}\n", "E0709 ensue.yaml:2:3"),
]
