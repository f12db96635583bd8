"""Resources that pillar declares, and resource types of the project, that make no sense."""

from dataclasses import replace

from tests.app.bad_inputs.row import Content, Row, pillar

CONNECT = "def connect(context):\n    return object()\n"


def under_dummy(what: str, body: str, expected: str) -> Row:
    """Return what pillar has under a type, from the third line on."""
    return pillar(what, f"resources:\n  dummy:\n    {body}\n", expected)


def type_(what: str, expected: str, files: dict[str, Content], declared: str = "") -> Row:
    """Return a resource type `box` of the project: files below its folder."""
    content: dict[str, Content] = {
        "states/t.sls": "a: test.nop\n",
        "pillar/top.sls": "base: {'*': [p]}\n",
        "pillar/p.sls": declared or "resources: {box: {b: {}}}\n",
        "states/_resources/box/__init__.py": CONNECT,
    }
    content |= {f"states/_resources/{name}": text for name, text in files.items()}
    return Row(what=what, files=content, expected=expected, words=("resources", "list"))


def unusable(what: str, declared: str, words: str) -> Row:
    """Declare a resource `a`, which is refused and fails when it is called."""
    row = pillar(what, f"resources:\n  {declared}\n", f"run: {words}")
    return replace(row, words=("call", "a", "test.ping"))


HERE = "states/_resources"

ROWS = [
    pillar("resources that are a number", "resources: 7\n", "E0703 pillar/p.sls:1:1"),
    pillar("resources that are false", "resources: false\n", "E0703 pillar/p.sls:1:1"),
    pillar("a type that is a list", "resources:\n  dummy: [a]\n", "E0703 pillar/p.sls:2:3"),
    pillar("a type that is a text", "resources:\n  dummy: a\n", "E0703 pillar/p.sls:2:3"),
    pillar("a type that is false", "resources:\n  dummy: false\n", "E0703 pillar/p.sls:2:3"),
    pillar("a type with an empty name", "resources:\n  '': {a: {}}\n", "E0704 pillar/p.sls:2:3"),
    pillar("a type with a colon", "resources:\n  'du:my': {a: {}}\n", "E0704 pillar/p.sls:2:3"),
    pillar("a type that is a path", "resources:\n  ../dummy: {a: {}}\n", "E0704 pillar/p.sls:2:3"),
    pillar("a type that is nearly one", "resources:\n  dumy: {a: {}}\n", "E0704 pillar/p.sls:2:3"),
    under_dummy("hosts that are a list", "hosts: [a]", "E0703 pillar/p.sls:3:5"),
    under_dummy("hosts that are an empty list", "hosts: []", "E0703 pillar/p.sls:3:5"),
    under_dummy("hosts that are false", "hosts: false", "E0703 pillar/p.sls:3:5"),
    under_dummy("hosts that are a number", "hosts: 0", "E0703 pillar/p.sls:3:5"),
    under_dummy("resource_ids that are a text", "resource_ids: a", "E0703 pillar/p.sls:3:5"),
    under_dummy("resource_ids that are a list of lists", "resource_ids: [[a]]", "E0703 pillar/p.sls:3:5"),
    under_dummy("an id among resource_ids twice", "resource_ids: [a, a]", "E0702 pillar/p.sls:3:5"),
    under_dummy("an id that is a number", "7: {}", "E0703 pillar/p.sls:3:5"),
    under_dummy("an id that is null", "~: {}", "E0703 pillar/p.sls:2:3"),
    under_dummy("an id that is true", "true: {}", "E0703 pillar/p.sls:2:3"),
    under_dummy("an id of blanks", "'  ': {}", "E0703 pillar/p.sls:3:5"),
    under_dummy("an id with a blank at its beginning", "' a': {}", "E0703 pillar/p.sls:3:5"),
    under_dummy("an id of two lines", '"a\\nb": {}', "E0703 pillar/p.sls:3:5"),
    under_dummy("an id with a NUL", '"a\\0b": {}', "E0703 pillar/p.sls:3:5"),
    under_dummy("an id that is a list", "? [a, b]\n    : {}", "E0201 pillar/p.sls:3:7"),
    under_dummy("an id twice", "a: {}\n    a: {}", "E0202 pillar/p.sls:4:5"),
    under_dummy("a configuration that is a list", "a: [x]", "E0703 pillar/p.sls:3:5"),
    under_dummy("a configuration that is a number", "a: 7", "E0703 pillar/p.sls:3:5"),
    under_dummy("a configuration that is false", "a: false", "E0703 pillar/p.sls:3:5"),
    unusable("a key that there is not", "dummy: {a: {grians: {}}}", "dummy:a is not configured properly"),
    unusable("a key that is a number", "dummy: {a: {7: x}}", "the key 7 is not text (put it in quotes)"),
    unusable("a value of the wrong kind", "dummy: {a: {grains: [x]}}", "`grains` must be a mapping"),
    under_dummy("the id of this machine", "box: {}", "E0702 pillar/p.sls:3:5"),
    pillar("this machine declared", "resources:\n  minion:\n    box: {}\n", "E0702 pillar/p.sls:3:5"),
    pillar(
        "a resource under both names of its type",
        "resources:\n  ssh: {a: {host: x}}\n  ssh_host: {a: {host: x}}\n",
        "E0702 pillar/p.sls:3:14",
    ),
    unusable(
        "a default that the type does not know",
        "ssh_host: {usr: x, hosts: {a: {}}}",
        "ssh_host:a is not configured properly: unknown key `usr` (did you mean `user`?)",
    ),
    unusable("a port that is a text", "ssh_host: {a: {port: many}}", "`port` must be a number"),
    type_(
        "a type that does not parse",
        f"E0710 {HERE}/box/__init__.py:1",
        {"box/__init__.py": "x = (\n"},
    ),
    type_(
        "a type that leaves the process",
        f"E0710 {HERE}/box/__init__.py:1",
        {"box/__init__.py": "raise SystemExit(3)\n"},
    ),
    type_(
        "a type that is not UTF-8",
        f"E0710 {HERE}/box/__init__.py:1",
        {"box/__init__.py": b"\xff\xfe"},
    ),
    type_(
        "a type without hooks",
        f"E0710 {HERE}/box/__init__.py:1",
        {"box/__init__.py": ""},
    ),
    type_(
        "a hook with other parameters",
        f"E0710 {HERE}/box/__init__.py:3",
        {"box/__init__.py": CONNECT + "def ping(a, b): return 1\n"},
    ),
    type_(
        "a check that returns numbers",
        f"E0711 {HERE}/box/__init__.py:3",
        {"box/__init__.py": CONNECT + "def check(config): return [1]\n"},
    ),
    type_(
        "a discover that returns an id of two lines",
        f"E0712 {HERE}/box/__init__.py:3",
        {"box/__init__.py": CONNECT + "def discover(opts): return {'a\\nb': {}}\n"},
    ),
    type_(
        "a discover that returns this machine's id",
        f"E0702 {HERE}/box/__init__.py:3",
        {"box/__init__.py": CONNECT + "def discover(opts): return {'box': {}}\n"},
    ),
    type_(
        "grains that are a list",
        "run: returned list, not a mapping",
        {"box/__init__.py": CONNECT + "def grains(connection): return [1]\n"},
    ),
    type_(
        "grains that are not data",
        "run: returned object",
        {"box/__init__.py": CONNECT + "def grains(connection): return {'a': object()}\n"},
    ),
    type_(
        "an override that does not parse",
        f"E0710 {HERE}/box/states/it.py:1",
        {"box/states/it.py": "def it(ctx, name:\n"},
    ),
    type_(
        "an override that leaves the process",
        f"E0710 {HERE}/box/states/it.py:1",
        {"box/states/it.py": "raise SystemExit\n"},
    ),
    type_(
        "an override whose FUNCTIONS are a list",
        f"E0710 {HERE}/box/modules/it.py:1",
        {"box/modules/it.py": "FUNCTIONS = [1]\n"},
    ),
    type_(
        "an override whose function is a number",
        f"E0710 {HERE}/box/modules/it.py:1",
        {"box/modules/it.py": "FUNCTIONS = {'a': 1}\n"},
    ),
    type_(
        "an override without ctx",
        f"E0710 {HERE}/box/modules/it.py:1",
        {"box/modules/it.py": "def it(name): return 1\n"},
    ),
    type_("a type whose name is two words", f"E0710 {HERE}/my type", {"my type/__init__.py": CONNECT}),
    type_("a type with capitals", f"E0710 {HERE}/Cup", {"Cup/__init__.py": CONNECT}),
    type_("a type with the other name of one of ours", f"E0710 {HERE}/ssh", {"ssh/__init__.py": CONNECT}),
    type_("a type that would be this machine's", f"E0710 {HERE}/minion", {"minion/__init__.py": CONNECT}),
]
ROWS = [
    Row(what=row.what, files=row.files, expected=row.expected, words=("call", "b", "grains.items"))
    if row.expected.startswith("run:") and row.words[0] != "call"
    else row
    for row in ROWS
]
