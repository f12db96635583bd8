"""Types of a project: overrides, hooks with their defaults, discovery, and every way to get one wrong."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write
from tests.reach.resources.dummy.test_dummy import call, results
from tests.support.resource_types import write_types

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.resource import ResourceRecord

BOX = '''
"""Boxes that remember what they hold, in memory."""
from pathlib import Path

SECRET_KEYS = {"pin"}
LOG = Path(__file__).with_name("log.txt")


def log(word):
    with LOG.open("a") as file:
        file.write(word + "\\n")


def init(opts):
    log("init " + opts["id"])


def shutdown():
    log("shutdown")


def discover():
    log("discover")
    return {"found": {"colour": "red", "pin": "4711secret"}, "known": {"colour": "blue"}}


class Box:
    def __init__(self, colour):
        self.colour = colour

    async def read(self, path):
        return b"content of " + path.encode()


def connect(context):
    log("connect " + context.srn.id)
    return Box(context.config.get("colour", "none"))


async def ping(context):
    return context.srn.id != "silent"


def grains(connection):
    return {"colour": connection.colour}
'''

PAINT = '''
def colour(ctx):
    """A plain function, which may block."""
    return ctx.connection.colour


async def here(ctx):
    return await ctx.minion().call("test.echo", ctx.srn.id)
'''

PAINTED = """
from ensue.core.model.returns import StateReturn


async def done(ctx, name, colour):
    if await ctx.call("paint.colour") == colour:
        return StateReturn(name, True, {}, "It has that colour")
    return StateReturn(name, False, {}, "It cannot be painted")
"""


def make(root: Path, files: dict[str, str], declared: str = "box: {known: }") -> Path:
    write(root, pillar__top="base:\n  '*':\n    - r\n", pillar__r=f"resources:\n  {declared}\n")
    return write_types(root, files)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return make(
        tmp_path,
        {"box/__init__.py": BOX, "box/modules/paint.py": PAINT, "box/states/painted.py": PAINTED},
    )


def log_of(root: Path) -> list[str]:
    path = root / "states/_resources/box/log.txt"
    return path.read_text().splitlines() if path.exists() else []


def records(root: Path) -> dict[str, ResourceRecord]:
    async def ask() -> dict[str, ResourceRecord]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return {str(resource.srn): resource for resource in await project.resources()}

    return asyncio.run(ask())


def refusal(root: Path) -> list[tuple[str, str, str]]:
    with pytest.raises(CompileError) as refused:
        records(root)
    return [
        (diagnostic.code, str(diagnostic.span), diagnostic.summary)
        for diagnostic in refused.value.diagnostics
    ]


def test_a_project_s_type_has_overrides_and_hooks(box: Path) -> None:
    """Overrides run with the resource as `ctx`, plain or async; `minion()` is the way to this machine."""
    assert call(box, "T@box", "paint.colour") == {"found": (True, "red"), "known": (True, "none")}
    assert call(box, "found", "paint.here")["found"] == (True, "found")
    assert call(box, "T@box and G@colour:red", "file.read", "/x") == {"found": (True, "content of /x")}


def test_what_the_connection_lacks_fails_under_the_name_that_was_called(box: Path) -> None:
    """A connection object with `read` alone runs no commands and writes no files, on this machine neither."""
    for function, arguments in {
        "cmd.run": ("touch stray",),
        "file.write": ("/stray", "x"),
        "pkg.version": ("vim",),
        "service.status": ("x",),
    }.items():
        assert call(box, "known", function, *arguments)["known"] == (
            False,
            f"{function} is not available for box",
        )


def test_states_of_a_type_compile_where_the_target_may_be_of_it(box: Path) -> None:
    """A state that only the type has compiles with a `tgt`, is refused without, and arguments are checked."""
    write(box, states__t="a:\n  painted.done:\n    - tgt: T@box:found\n    - colour: red\n")
    assert results(apply(box, "t")) == {"found a": (True, "It has that colour")}
    write(box, states__t="a:\n  painted.done:\n    - tgt: '* and not M@m'\n    - colour: red\n")
    apply(box, "t", test=True)
    write(box, states__t="a:\n  painted.done:\n    - tgt: T@box\n    - color: red\n")
    with pytest.raises(CompileError, match="takes no argument 'color'"):
        apply(box, "t")
    write(box, states__t="a:\n  painted.done:\n    - colour: red\n")
    with pytest.raises(CompileError, match=r"no state function painted\.done"):
        apply(box, "t")


def test_init_and_shutdown_are_called_once(box: Path) -> None:
    """However many resources are used, and also when a state fails."""
    write(box, states__t="a:\n  painted.done:\n    - tgt: T@box\n    - colour: red\n")
    assert apply(box, "t").exit_code == 2
    log = log_of(box)
    assert log[:2] == ["init m", "discover"]
    assert sorted(log[2:-1]) == ["connect found", "connect known"]
    assert log[-1] == "shutdown"


def test_shutdown_is_called_after_an_interrupt(box: Path) -> None:
    """A run that is cancelled ends its types, too."""
    write(box, states__t="a:\n  test.nop: []\n")
    (box / "states/_modules").mkdir()
    (box / "states/_modules/waiting.py").write_text(
        "import asyncio\nasync def forever(ctx):\n    await asyncio.Event().wait()\n"
        "FUNCTIONS = {'forever': forever}\n"
    )

    async def interrupted() -> None:
        async with AppProject.open(box, ProjectOptions(minion_id="m")) as project:

            async def ask() -> None:
                async for _ in project.call("found", "waiting.forever", [], {}):
                    pass

            task = asyncio.create_task(ask())
            while "connect found" not in log_of(box):  # noqa: ASYNC110 -- another thread writes it
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(interrupted())
    assert log_of(box)[-1] == "shutdown"


def test_discovered_resources_are_added_to_pillar_s(box: Path) -> None:
    """What is discovered can be targeted and listed; pillar's own declaration wins; defaults hold for all."""
    assert {name: record.origin for name, record in records(box).items()} == {
        "box:found": "discovered",
        "box:known": "pillar",
        "minion:m": "itself",
    }
    make(box, {}, "box: {size: 3, hosts: {known: {colour: green}}}")
    assert call(box, "T@box", "paint.colour") == {"found": (True, "red"), "known": (True, "green")}

    async def config() -> Any:
        from ensue.core.model.srn import Srn

        async with AppProject.open(box, ProjectOptions(minion_id="m")) as project:
            return await project.resource_config(Srn("box", "found"))

    assert asyncio.run(config()) == {"size": 3, "colour": "red", "pin": "(sensitive)"}


def test_a_type_of_the_project_needs_no_pillar(tmp_path: Path) -> None:
    """A project's type is asked what there is without being named in pillar."""
    root = make(tmp_path, {"box/__init__.py": BOX}, "{}")
    assert {"box:found", "box:known"} <= records(root).keys()


def test_what_is_discovered_is_never_rendered(tmp_path: Path) -> None:
    """Braces and references in a discovered configuration are text."""
    discover = "def discover():\n    return {'a': {'text': '{{ 1 + 1 }} ${x:y:z}'}}\n"
    modules = {"box/modules/paint.py": "def text(ctx):\n    return ctx.config['text']\n"}
    root = make(tmp_path, {"box/__init__.py": discover, **modules})
    assert call(root, "box:a or a", "paint.text")["a"] == (True, "{{ 1 + 1 }} ${x:y:z}")


def test_a_ping_that_says_no_is_an_unreachable_resource(tmp_path: Path) -> None:
    """False and an error of the operating system both mean that the resource does not answer."""
    body = (
        "def connect(context):\n    return object()\n"
        "def ping(context):\n    if context.srn.id == 'no':\n        return False\n"
        "    if context.srn.id == 'refused':\n        raise ConnectionRefusedError('refused it')\n    1 / 0\n"
    )
    root = make(tmp_path, {"box/__init__.py": body}, "box: {'no': , refused: , broken: }")
    answers = call(root, "T@box", "test.ping")
    assert answers["no"] == (False, "box:no does not answer")
    assert answers["refused"] == (False, "box:refused does not answer: ConnectionRefusedError: refused it")
    broken = answers["broken"][1]
    assert "`ping` of the resource type 'box' (states/_resources/box) raised for box:broken" in broken
    assert "ZeroDivisionError" in broken


def test_a_type_may_be_nothing_but_overrides(tmp_path: Path) -> None:
    """Without hooks a resource answers, has its names as grains, and everything else fails by name."""
    files = {"box/__init__.py": "", "box/modules/paint.py": "def it(ctx):\n    return ctx.config['c']\n"}
    root = make(tmp_path, files, "box: {a: {c: 1}}")
    assert call(root, "a", "test.ping")["a"] == (True, True)
    assert call(root, "a", "paint.it")["a"] == (True, 1)
    assert call(root, "a", "grains.items")["a"][1] == {"id": "a", "resource_id": "a", "resource_type": "box"}
    assert call(root, "a", "file.read", "/x")["a"] == (False, "file.read is not available for box")


def test_packages_of_a_type_import_each_other(tmp_path: Path) -> None:
    """A type is a package: its files use relative imports."""
    files = {
        "box/__init__.py": "from .api import connect\n",
        "box/api.py": "def connect(context):\n    return object()\n",
        "box/modules/paint.py": "from .. import api\n\ndef it(ctx):\n    return api.__name__[-3:]\n",
    }
    root = make(tmp_path, files)
    assert call(root, "known", "paint.it")["known"] == (True, "api")


@pytest.mark.parametrize(
    ("files", "place", "words"),
    [
        ({"box/__init__.py": "def connect(context:\n"}, "states/_resources/box/__init__.py:1", "SyntaxError"),
        ({"box/__init__.py": "x = 1\nimport nowhere\n"}, "states/_resources/box/__init__.py:2", "nowhere"),
        ({"box/__init__.py": ""}, "states/_resources/box/__init__.py:1", "neither `connect` nor a folder"),
        ({"box/__init__.py": "connect = 1\n"}, "states/_resources/box", "`connect` is 1, not a function"),
        (
            {"box/__init__.py": "def connect(ctx):\n    pass\n"},
            "states/_resources/box/__init__.py:1",
            "`connect` takes `ctx`; its parameters are `context`",
        ),
        (
            {"box/__init__.py": "\nasync def connect(context):\n    pass\n"},
            "states/_resources/box/__init__.py:2",
            "`connect` is `async`",
        ),
        (
            {"box/__init__.py": "SECRET_KEYS = 'pin'\ndef connect(context):\n    pass\n"},
            "states/_resources/box/__init__.py:1",
            "`SECRET_KEYS` is 'pin', not a set of texts",
        ),
        (
            {"box/__init__.py": "IS_REMOTE = 'yes'\ndef connect(context):\n    pass\n"},
            "states/_resources/box/__init__.py:1",
            "`IS_REMOTE` is 'yes', neither True nor False",
        ),
        (
            {"box/__init__.py": "", "box/modules/paint.py": "def it(name):\n    pass\n"},
            "states/_resources/box/modules/paint.py:1",
            "paint.it does not take `ctx` first",
        ),
        (
            {"box/__init__.py": "", "box/states/paint.py": "def it(ctx, colour):\n    pass\n"},
            "states/_resources/box/states/paint.py:1",
            "paint.it does not take `ctx`, `name` first",
        ),
        (
            {"box/__init__.py": "", "box/states/paint.py": "def it(ctx, name):\n"},
            "states/_resources/box/states/paint.py:1",
            "does not load",
        ),
        ({"box.py": ""}, "states/_resources/box.py", "has no states/_resources/box/__init__.py"),
        ({"box/readme.txt": ""}, "states/_resources/box", "has no states/_resources/box/__init__.py"),
        ({"minion/__init__.py": ""}, "states/_resources/minion", "cannot take the place"),
    ],
)  # fmt: skip
def test_a_broken_type_is_refused_with_its_place(
    tmp_path: Path, files: dict[str, str], place: str, words: str
) -> None:
    """Nothing is run; the message names the type, its file and what is wrong with it."""
    root = make(tmp_path, files, "{}")
    ((code, span, summary),) = refusal(root)
    assert (code, span) == ("E0710", place) if place.count(":") else code == "E0710"
    assert span.startswith(place)
    assert words in summary


def test_a_type_that_nobody_has_is_refused(tmp_path: Path) -> None:
    """A declared type without a single resource is looked for too; near names include the project's."""
    root = make(tmp_path, {"box/__init__.py": BOX}, "bxo: {hosts: {}}")
    ((code, span, summary),) = refusal(root)
    assert (code, span) == ("E0704", "pillar/r.sls:2:3")
    assert "did you mean box" in summary


END = "    return object()\n"
HOOK = f"def connect(context):\n{END}"


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            "def discover(opts):\n    raise OSError('no route')\n",
            "E0711",
            "`discover` of the resource type 'box'",
        ),
        ("async def discover():\n    1 / 0\n", "E0711", "ZeroDivisionError"),
        ("def discover():\n    return ['a']\n", "E0711", "returned list, not a mapping"),
        ("def init():\n    raise KeyError('x')\ndef discover():\n    return {}\n", "E0711", "`init` of"),
        ("def discover():\n    return {1: {}}\n", "E0712", "the id 1"),
        ("def discover():\n    return {'a ': {}}\n", "E0712", "the id 'a '"),
        ("def discover():\n    return {'a': 3}\n", "E0712", "3 as the configuration of 'a'"),
        ("def discover():\n    return {'a': {'x': [object]}}\n", "E0712", "which is not data"),
        ("def discover():\n    return {'m': {}}\n", "E0702", "claimed by minion:m and by box:m"),
        ("def check(config):\n    return 'wrong'\n", "E0711", "returned str, not a list of texts"),
        ("def check(config):\n    1 / 0\n", "E0711", "`check` of the resource type 'box'"),
        ("def remarks(config):\n    1 / 0\n", "E0711", "`remarks` of the resource type 'box'"),
    ],
)
def test_a_hook_that_misbehaves_is_a_diagnostic(tmp_path: Path, body: str, code: str, words: str) -> None:
    """What a hook raises or returns while pillar is compiled is reported with its place; nothing is run."""
    declared = "box: {known: {x: 1}}"
    root = make(tmp_path, {"box/__init__.py": HOOK + body}, declared)
    ((reported, span, summary),) = refusal(root)
    assert reported == code
    assert words in summary
    assert span != "None"


def test_a_configuration_that_is_refused_concerns_its_resource_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its own calls fail with what the type says; its neighbours, declared and discovered, answer."""
    body = HOOK + (
        "def discover():\n    return {'a': {}, 'b': {'x': 1}}\n"
        "def check(config):\n    return ['it is wrong', 'so is that'] * (not config)\n"
        "def ping():\n    return True\n"
    )
    root = make(tmp_path, {"box/__init__.py": body}, "box: {known: {x: 1}, bad: {}}")
    answers = call(root, "T@box", "test.ping")
    fault = "is not configured properly: it is wrong; so is that"
    refused = {name: (False, f"box:{name} {fault}") for name in ("a", "bad")}
    assert answers == refused | {"b": (True, True), "known": (True, True)}
    warned = [record.getMessage() for record in caplog.records if "E0703" in record.getMessage()]
    assert len(warned) == 2
    assert "pillar/" in warned[0]
    assert "box:bad is not used: it is wrong; so is that" in warned[0]


def test_what_has_no_effect_is_remarked_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A remark about several resources is one warning, with the first of them."""
    body = HOOK + "def remarks(config):\n    return [f'`{key}` has no effect' for key in config]\n"
    declared = "box: {a: {x: 1}, b: {x: 2}, c: {y: 1}}"
    root = make(tmp_path, {"box/__init__.py": body}, declared)
    call(root, "T@box", "test.ping")
    warned = [
        record.getMessage().partition(": box: ")[2]
        for record in caplog.records
        if "E0722" in record.getMessage()
    ]
    assert warned == ["`x` has no effect, in a and 1 more", "`y` has no effect, in c"]


def test_a_failing_init_fails_each_resource_by_name(tmp_path: Path) -> None:
    """`init` is called once; each resource of the type reports what it raised, and shutdown is not called."""
    body = HOOK + (
        "from pathlib import Path\n"
        "def log(word):\n    with Path(__file__).with_name('log.txt').open('a') as file:\n"
        "        file.write(word)\n"
        "def init():\n    log('init\\n')\n    raise OSError('gone')\n"
        "def shutdown():\n    log('shutdown\\n')\n"
    )
    root = make(tmp_path, {"box/__init__.py": body}, "box: {a: , b: }")
    answers = call(root, "T@box", "test.ping")
    assert {ok for ok, _ in answers.values()} == {False}
    assert all("`init` of the resource type 'box'" in text and "gone" in text for _, text in answers.values())
    assert log_of(root) == ["init"]


def test_a_connect_that_raises_fails_its_resource_alone(tmp_path: Path) -> None:
    """Others of the type are called all the same."""
    body = "def connect(context):\n    if context.srn.id == 'a':\n        raise ValueError('bad')\n" + END
    root = make(tmp_path, {"box/__init__.py": body}, "box: {a: , b: , c: }")
    answers = call(root, "T@box", "test.ping")
    assert (answers["b"], answers["c"]) == ((True, True), (True, True))
    assert "`connect` of the resource type 'box'" in answers["a"][1]
    write(root, states__t="x:\n  test.nop:\n    - tgt: T@box\n")
    assert {name: result for name, (result, _) in results(apply(root, "t")).items()} == {
        "a x": False,
        "b x": True,
        "c x": True,
    }


def test_a_connect_that_returns_nothing_is_named(tmp_path: Path) -> None:
    """None is no connection."""
    root = make(tmp_path, {"box/__init__.py": "def connect(context):\n    pass\n"})
    assert "returned NoneType, not a connection" in call(root, "known", "test.ping")["known"][1]


def test_a_connect_that_hangs_delays_nobody(tmp_path: Path) -> None:
    """With a time limit it is reported, the others have answered, and the process ends without it."""
    body = (
        "import threading\n"
        "def connect(context):\n    if context.srn.id == 'a':\n        threading.Event().wait()\n" + END
    )
    root = make(tmp_path, {"box/__init__.py": body}, "box: {a: , b: }")

    async def ask() -> list[tuple[str, bool, Any]]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return [
                (answer.target.id, answer.ok, answer.value)
                async for answer in project.call("T@box", "test.ping", [], {}, timeout_s=0.5)
            ]

    first, second = asyncio.run(ask())
    assert first == ("b", True, True)
    assert second == ("a", False, "no answer within 0.5 s (--timeout)")


def test_a_shutdown_that_raises_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The run is over: its result stays, and the log says what happened."""
    root = make(tmp_path, {"box/__init__.py": HOOK + "def shutdown():\n    1 / 0\n"})
    with caplog.at_level(logging.WARNING):
        assert call(root, "known", "test.ping")["known"] == (True, True)
    assert "`shutdown` of the resource type 'box'" in caplog.text


def test_two_projects_have_types_of_one_name(tmp_path: Path) -> None:
    """Two projects that are open in one process do not see each other's types."""
    roots = []
    for answer in ("one", "two"):
        (tmp_path / answer).mkdir()
        files = {"box/__init__.py": "", "box/modules/paint.py": f"def it(ctx):\n    return {answer!r}\n"}
        roots.append(make(tmp_path / answer, files))
    assert [call(root, "known", "paint.it")["known"][1] for root in roots] == ["one", "two"]


def test_what_is_declared_wins_over_what_was_registered(tmp_path: Path) -> None:
    """A derived resource whose id pillar claims later is no target, says why, and can be forgotten."""
    from ensue import derived

    root = make(tmp_path, {"box/__init__.py": BOX}, "box: {x: {}}")
    opts = {"id": "m", "root": str(root)}
    derived.register(opts, "ssh_host", "x", {"host": "nowhere"})
    derived.register(opts, "box", "y", {})

    async def look() -> tuple[list[tuple[str, str, bool]], bool]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            records = [resource for resource in await project.resources() if resource.srn.id in {"x", "y"}]
            statuses = [
                (str(record.srn), record.status, "box:x" in record.invalidated_because) for record in records
            ]
            return statuses, await project.forget(Srn("ssh_host", "x"))

    assert asyncio.run(look()) == (
        [("box:x", "active", False), ("box:y", "active", False), ("ssh_host:x", "invalidated", True)],
        True,
    )
