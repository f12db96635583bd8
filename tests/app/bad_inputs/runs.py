"""What only a run finds out: functions and commands that return odd data, values that are bound too often."""

from tests.app.bad_inputs.row import Row, sls

CIRCLE = "    l = []\n    l.append(l)\n"
DEEP = "    l = []\n    for i in range(3000):\n        l = [l]\n"
BOMB = "    l = [1]\n    for i in range(12):\n        l = [l] * 9\n"


def returned(what: str, body: str, key: str, expected: str) -> Row:
    """Return a project's own state function that returns a list `l` under a key."""
    values = {"changes": "{}", "new_state": "None", "old_state": "None", key: "{'x': l}"}
    fields = "".join(f", '{name}': {value}" for name, value in values.items())
    code = f"def x(name):\n{body}    return {{'name': name, 'result': True, 'comment': ''{fields}}}\n"
    return Row(
        what=what, files={"states/t.sls": "a: mine.x\n", "states/_states/mine.py": code}, expected=expected
    )


def function(what: str, body: str, words: tuple[str, ...], expected: str) -> Row:
    """Return a project's own execution function that returns a list `l`."""
    files = {
        "states/t.sls": "a:\n  module.run:\n    - mine.x: []\n",
        "states/_modules/mine.py": f"def x():\n{body}    return l\n",
    }
    return Row(what=what, files=files, expected=expected, words=words)


def bound(times: int, states: int, form: str) -> str:
    """Return states of which each holds several times what the one before it holds."""
    first = "a0:\n  test.present:\n    - new_state: {v: xxxxxxxxx}\n"
    for number in range(1, states):
        value = form.format(", ".join([f"${{test:a{number - 1}:v}}"] * times))
        first += f"a{number}:\n  test.present:\n    - new_state: {{v: {value}}}\n"
    return first


ROWS = [
    returned("changes that hold themselves", CIRCLE, "changes", "run: a list or mapping holds itself"),
    returned("a new_state that holds itself", CIRCLE, "new_state", "run: a list or mapping holds itself"),
    returned("an old_state that holds itself", CIRCLE, "old_state", "run: a list or mapping holds itself"),
    returned("changes of 3,000 levels", DEEP, "changes", "run: levels deep"),
    returned("changes that are a bomb", BOMB, "changes", "run: add more than 1,000,000"),
    function(
        "a function that returns a cycle", CIRCLE, ("apply", "t"), "run: a list or mapping holds itself"
    ),
    function(
        "a call that returns a cycle", CIRCLE, ("call", "*", "mine.x"), "run: a list or mapping holds itself"
    ),
    function("a call that returns 3,000 levels", DEEP, ("call", "*", "mine.x"), "run: levels deep"),
    sls(
        "references that are a bomb of text",
        bound(30, 7, "'{}'"),
        "run: more than 1,000,000 values are bound",
    ),
    sls(
        "references of more and more levels",
        bound(1, 40, "[" * 50 + "'{}'" + "]" * 50),
        "run: levels deep",
    ),
    sls("an ID of half a pair", '#!json\n{"\\ud800": {"test.nop": []}}\n', "E0303 states/t.sls"),
    sls(
        "a name of half a pair",
        '#!json\n{"a": {"test.nop": [{"name": "\\ud800"}]}}\n',
        "E0303 states/t.sls",
    ),
    sls("half a pair from a template", "a: {{ '\"a\\\\ud800\"' | load_json }}\n", "E0201 states/t.sls:1"),
    sls(
        "a name that is bound to half a pair",
        '#!json\n{"a": {"test.present": [{"new_state": {"v": "\\ud800"}}]},'
        ' "b": {"test.nop": [{"name": "${test:a:v}"}]}}\n',
        "run: half of a surrogate pair",
    ),
]
