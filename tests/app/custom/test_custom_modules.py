"""`_modules`, `_states` and `_utils` of a project are loaded as Salt loads them."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import pytest
from tests.app.test_plain_functions import called
from tests.app.test_project import apply, write

from ensue.core.errors import CompileError, PluginError

if TYPE_CHECKING:
    from pathlib import Path


def module(root: Path, name: str, text: str, kind: str = "_modules") -> None:
    path = root / "states" / kind / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        ("return False", "its __virtual__() returned False"),
        ("return None", "its __virtual__() returned False"),
        ("return False, 'there is no wood'", "there is no wood"),
        ("return (False,)", "its __virtual__() returned False"),
        ("return 1 / 0", "its __virtual__() raised ZeroDivisionError: division by zero"),
    ],
)
def test_a_module_that_refuses_is_reported_with_its_reason(tmp_path: Path, refusal: str, reason: str) -> None:
    """When one of its functions is asked for: by a state, by a template, by `ensue call`."""
    text = f"__virtualname__ = 'wood'\ndef __virtual__():\n    {refusal}\ndef sawn(name): return 1\n"
    module(tmp_path, "shelf", text)
    module(tmp_path, "shelf", text, "_states")
    shown = f"_modules/shelf.py is not used: {reason}"
    for asked in ("wood.sawn", "shelf.sawn"):
        write(tmp_path, states__t=f"x: {{{asked}: []}}\n")
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, "t")
        assert shown.replace("_modules", "_states") in str(caught.value), asked
        write(tmp_path, states__t=f"x{{{{ salt['{asked}']('a') }}}}: test.nop\n")
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, "t")
        assert shown in (caught.value.diagnostics[0].detail or ""), asked
    write(tmp_path, states__t="x{{ 'wood.sawn' in salt }}: test.nop\n")
    assert [returned.id for returned in apply(tmp_path, "t").returns.values()] == ["xFalse"]


def test_modules_in_a_linked_folder_are_there(tmp_path: Path) -> None:
    """A folder of modules may be a link to one that several projects share."""
    module(tmp_path, "shared/deep", "def answer(): return 42\n", "elsewhere")
    (tmp_path / "states/_modules").mkdir()
    (tmp_path / "states/_modules/linked").symlink_to("../elsewhere/shared")
    assert called(tmp_path, "m", "linked.deep.answer") == (True, 42)


def test_a_module_that_refuses_leaves_ensues_own_in_place(tmp_path: Path) -> None:
    """A file for another system does not hide a function that is there."""
    module(
        tmp_path, "bsd", "__virtualname__ = 'test'\ndef __virtual__(): return False\ndef ping(): return 'bsd'"
    )
    assert called(tmp_path, "m", "test.ping") == (True, True)


def test_the_first_of_two_files_of_one_name_that_wants_to_be_used_counts(tmp_path: Path) -> None:
    """Two files for two systems have one virtual name, and one of them refuses."""
    for name, answer in (("a_bsd", "False, 'no BSD'"), ("b_linux", "'wood'")):
        text = f"__virtualname__ = 'wood'\ndef __virtual__(): return {answer}\ndef sawn(): return '{name}'\n"
        module(tmp_path, name, text)
    assert called(tmp_path, "m", "wood.sawn") == (True, "b_linux")


def test_a_file_with_another_modules_name_in_it_does_no_harm(tmp_path: Path) -> None:
    """It is looked at, because it may have that name, and that it does not load is nobody's fault here."""
    module(
        tmp_path, "broken", "__virtualname__ = 'wood'\ndef __virtual__(): return True\nimport no_such_thing\n"
    )
    module(tmp_path, "good", "def __virtual__(): return 'wood'\ndef sawn(): return 1\n")
    assert called(tmp_path, "m", "wood.sawn") == (True, 1)
    with pytest.raises(PluginError, match=r"broken\.py does not load: ModuleNotFoundError"):
        called(tmp_path, "m", "broken.sawn")


def test_virtual_may_ask_execution_functions_of_its_own_project(tmp_path: Path) -> None:
    """Two files that ask for each other are both there; nobody waits for the other for ever."""
    for name, other in (("oak", "ash"), ("ash", "oak")):
        text = (
            f"def __virtual__():\n    __salt__['cmd.run']('true')\n    '{other}.cut' in __salt__\n"
            f"    return '{name}'\ndef cut(): return '{name}'\n"
        )
        module(tmp_path, name, text)
    assert called(tmp_path, "m", "oak.cut") == (True, "oak")
    assert called(tmp_path, "m", "ash.cut") == (True, "ash")


def test_only_a_modules_own_public_functions_are_offered(tmp_path: Path) -> None:
    """Neither what it imports, nor classes; `__load__` narrows them down; an alias takes a name's place."""
    module(
        tmp_path,
        "wood",
        "from os.path import join\nimport functools\n__func_alias__ = {'list_': 'list'}\n"
        "class Tree: pass\ndef list_(): return 1\ndef _no(): pass\ndef two(n): return n\n"
        "three = functools.partial(two, 3)\n",
    )
    module(tmp_path, "narrow", "__load__ = ['a']\ndef a(): return 1\ndef b(): return 1\n")
    for name, there in {
        "wood.list": True, "wood.two": True, "wood.three": True, "wood.list_": False, "wood._no": False,
        "wood.Tree": False, "wood.join": False, "narrow.a": True, "narrow.b": False,
    }.items():  # fmt: skip
        write(tmp_path, states__t=f"x{{{{ '{name}' in salt }}}}: test.nop\n")
        assert [returned.id for returned in apply(tmp_path, "t").returns.values()] == [f"x{there}"], name


def test_a_module_begins_with_init(tmp_path: Path) -> None:
    """`__init__` is given the options, once."""
    module(
        tmp_path, "wood", "seen = []\ndef __init__(opts): seen.append(opts['id'])\ndef sawn(): return seen\n"
    )
    assert called(tmp_path, "m", "wood.sawn") == (True, ["m"])


def test_options_name_further_folders(tmp_path: Path) -> None:
    """`module_dirs` and `extension_modules`; file roots outrank them."""
    (tmp_path / "ensue.yaml").write_text("module_dirs: [more]\nextension_modules: ext\n")
    for folder in ("more", "ext"):
        (tmp_path / folder / "modules").mkdir(parents=True)
        (tmp_path / folder / "modules/wood.py").write_text(f"def sawn(): return '{folder}'\n")
    (tmp_path / "ext/modules/stone.py").write_text("def cut(): return 'ext'\n")
    assert called(tmp_path, "m", "wood.sawn") == (True, "more")
    assert called(tmp_path, "m", "stone.cut") == (True, "ext")
    module(tmp_path, "wood", "def sawn(): return 'root'\n")
    assert called(tmp_path, "m", "wood.sawn") == (True, "root")


def test_a_folder_with_an_init_file_is_a_module(tmp_path: Path) -> None:
    """It may import what is in it, and the files in it have dotted names."""
    module(tmp_path, "wood/__init__", "from .tools import saw\ndef sawn(): return saw()\n")
    module(tmp_path, "wood/tools", "def saw(): return 'sawn'\n")
    assert called(tmp_path, "m", "wood.sawn") == (True, "sawn")
    assert called(tmp_path, "m", "wood.tools.saw") == (True, "sawn")


def test_dataclasses_and_files_beside_a_file_can_be_used(tmp_path: Path) -> None:
    """A file imports one beside it, and has classes that look their module up."""
    module(
        tmp_path,
        "wood",
        "from __future__ import annotations\nimport dataclasses\nimport wood_tools\n"
        "@dataclasses.dataclass\nclass Tree:\n    rings: int\n    kind: dataclasses.InitVar[str] = 'oak'\n"
        "def sawn(): return wood_tools.saw(Tree(3).rings)\n",
    )
    module(tmp_path, "wood_tools", "def saw(n): return [n, __grains__['id']]\n")
    assert called(tmp_path, "m", "wood.sawn") == (True, [3, "m"])


def test_functions_call_each_other_without_using_up_threads(tmp_path: Path) -> None:
    """A hundred calls in each other end, and all of them see one `__context__`."""
    module(
        tmp_path,
        "wood",
        "def sawn(n):\n    __context__['n'] = __context__.get('n', 0) + 1\n"
        "    return __salt__['wood.sawn'](n - 1) if n else __context__['n']\n",
    )
    assert called(tmp_path, "m", "wood.sawn", 99) == (True, 100)


def test_a_thread_of_a_function_has_the_globals_too(tmp_path: Path) -> None:
    """What runs in a thread that a file has started itself sees the managing minion."""
    module(
        tmp_path,
        "wood",
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def sawn():\n    with ThreadPoolExecutor(1) as pool:\n"
        "        return pool.submit(lambda: [__grains__['id'], __salt__['test.ping']()]).result()\n",
    )
    assert called(tmp_path, "m", "wood.sawn") == (True, ["m", True])


def test_code_that_catches_salts_exceptions_catches_ours(tmp_path: Path) -> None:
    """A failure of an execution function is a `CommandExecutionError`, one that is not there a `KeyError`."""
    module(
        tmp_path,
        "wood",
        "from salt.exceptions import CommandExecutionError\n"
        "def sawn():\n    try: __salt__['file.read']('/no/such/file')\n"
        "    except CommandExecutionError as error: return str(error)\n"
        "def none():\n    try: __salt__['wood.sewn']\n    except KeyError as error: return str(error)\n"
        "def fails(): raise CommandExecutionError('no wood')\n",
    )
    assert called(tmp_path, "m", "wood.sawn")[1].startswith("cannot read /no/such/file")
    missing = called(tmp_path, "m", "wood.none")[1]
    assert missing.startswith("there is no execution function 'wood.sewn'; did you mean wood.sawn or ")
    assert called(tmp_path, "m", "wood.fails") == (False, "no wood")


def test_utils_are_part_of_the_call(tmp_path: Path) -> None:
    """A function of `_utils` has the globals of whoever calls it, and `__utils__` has Salt's own, too."""
    module(tmp_path, "saws", "def saw(n): return [n, __salt__['test.echo']('!'), __opts__['id']]\n", "_utils")
    module(
        tmp_path,
        "wood",
        "def sawn(): return __utils__['saws.saw'](1)\n"
        "def merged(): return __utils__['dictupdate.merge']({'a': {'b': 1}}, {'a': {'c': 2}})\n"
        "def none(): return __utils__['saws.none']()\n",
    )
    assert called(tmp_path, "m", "wood.sawn") == (True, [1, "!", "m"])
    assert called(tmp_path, "m", "wood.merged") == (True, {"a": {"b": 1, "c": 2}})
    assert called(tmp_path, "m", "wood.none")[0] is False


def test_a_second_run_of_a_custom_state_changes_nothing(tmp_path: Path) -> None:
    """A state that is made of `file.managed` is as good as that, in a plan, too."""
    module(
        tmp_path,
        "shelf",
        "def built(name):\n    return __states__['file.managed'](name, contents='wood')\n",
        "_states",
    )
    write(tmp_path, states__t=f"{tmp_path / 'shelf'}: shelf.built\n")
    runs = [apply(tmp_path, "t", test=True), apply(tmp_path, "t"), apply(tmp_path, "t")]
    returned = [next(iter(report.returns.values())) for report in runs]
    assert [(item.result, bool(item.changes)) for item in returned] == [
        (None, True),
        (True, True),
        (True, False),
    ]
    assert (tmp_path / "shelf").read_text() == "wood\n"


def test_mod_init_is_called_until_it_is_done(tmp_path: Path) -> None:
    """Before the first state of the module, and again as long as it returns nothing that is true."""
    text = (
        "def mod_init(low):\n    __context__.setdefault('low', []).append(low['__id__'] + low['fun'])\n"
        "    return len(__context__['low']) == 2\n"
        "def built(name):\n"
        "    return {'name': name, 'result': True, 'changes': {}, 'comment': str(__context__['low'])}\n"
    )
    module(tmp_path, "shelf", text, "_states")
    write(tmp_path, states__t="a: shelf.built\nb: shelf.built\nc: shelf.built\n")
    comments = [returned.comment for returned in apply(tmp_path, "t").returns.values()]
    assert comments == ["['abuilt']", "['abuilt', 'bbuilt']", "['abuilt', 'bbuilt']"]


def test_no_salt_is_seen_by_the_rest_of_the_process(tmp_path: Path) -> None:
    """A file imports names of Salt, also inside of a function, and `sys.modules` has no `salt`."""
    module(
        tmp_path,
        "wood",
        "import importlib.util\nimport salt.utils.path as paths\nfrom salt.utils import stringutils\n"
        "def sawn():\n    import salt.utils.data\n"
        "    found = [bool(paths.which('sh')), stringutils.to_str(b'a'), salt.utils.data.is_true('1')]\n"
        "    return [*found, importlib.util.find_spec('salt')]\n",
    )
    if "salt" in sys.modules:
        pytest.skip("Salt is installed")
    assert called(tmp_path, "m", "wood.sawn") == (True, [True, "a", True, None])
    assert "salt" not in sys.modules


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("import salt.utils.vt", "salt.utils.vt"),
        ("from salt.utils.files import nothing_such", "salt.utils.files.nothing_such"),
        ("from salt.nothing_such import x", "salt.nothing_such"),
        ("import salt.utils.files\nsalt.utils.files.nothing_such()", "salt.utils.files.nothing_such"),
        ("import salt.loader\nsalt.loader.render({}, {})", "salt.loader.render"),
        ("import salt\nsalt.config.minion_config('x')", "salt.config.minion_config"),
    ],
)
def test_a_name_of_salt_that_is_not_there_is_an_error_with_advice(
    tmp_path: Path, statement: str, name: str
) -> None:
    """It names the file, the name and the extra."""
    module(tmp_path, "wood", f"{statement}\ndef sawn(): pass\n")
    with pytest.raises(PluginError) as caught:
        called(tmp_path, "m", "wood.sawn")
    assert "_modules/wood.py does not load" in str(caught.value)
    assert f"ensue has no {name} of its own; pip install 'ensue[salt]'" in str(caught.value)


def test_an_import_that_may_fail_may_fail(tmp_path: Path) -> None:
    """A file that catches the `ImportError` goes on without."""
    module(
        tmp_path,
        "wood",
        "try:\n    import salt.utils.vt\nexcept ImportError:\n    THERE = False\ndef sawn(): return THERE\n",
    )
    assert called(tmp_path, "m", "wood.sawn") == (True, False)


def test_machinery_of_salts_can_be_imported_and_not_be_called(tmp_path: Path) -> None:
    """A file that imports the loader for one function has all others."""
    module(
        tmp_path,
        "wood",
        "import salt.config\nfrom salt.pillar import get_pillar\nimport salt.client\n"
        "def sawn(): return salt.client.Caller().cmd('test.echo', 'sawn')\n"
        "def asks(): return get_pillar(__opts__)\ndef far(): return salt.client.LocalClient()\n",
    )
    assert called(tmp_path, "m", "wood.sawn") == (True, "sawn")
    assert "salt.pillar.get_pillar" in called(tmp_path, "m", "wood.asks")[1]
    assert "salt.client.LocalClient" in called(tmp_path, "m", "wood.far")[1]


def test_the_loader_has_matchers_and_functions(tmp_path: Path) -> None:
    """An external pillar may ask whether its target matches, as public ones do."""
    module(
        tmp_path,
        "wood",
        "import salt.loader\n"
        "def ext_pillar(minion_id, pillar):\n"
        "    match = salt.loader.matchers(__opts__)\n"
        "    functions = salt.loader.minion_mods(__opts__)\n"
        "    found = [match['compound_match.match'](one) for one in ('m or x', 'x', 'G@id:m')]\n"
        "    return {'found': [*found, match['glob_match.match']('m*'), functions['test.echo']('y')]}\n",
        "_pillar",
    )
    (tmp_path / "ensue.yaml").write_text("ext_pillar:\n- wood: {}\n")
    assert called(tmp_path, "m", "pillar.get", "found") == (True, [True, False, True, True, "y"])


def test_a_py_sls_may_import_names_of_salt(tmp_path: Path) -> None:
    """An SLS that is Python has them as well, with the execution functions of its target behind them."""
    write(
        tmp_path,
        states__t="#!py\nimport salt.utils.yaml\nfrom salt.modules import cmdmod\ndef run():\n"
        "    return salt.utils.yaml.safe_load(cmdmod.run('echo a: test.nop'))\n",
    )
    assert [returned.id for returned in apply(tmp_path, "t").returns.values()] == ["a"]


def test_grains_of_a_project_are_merged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """In the order of files; those of ensue.yaml outrank them; one that fails is a warning, once."""
    module(
        tmp_path,
        "wood",
        "import salt.modules.cmdmod\n__salt__ = {'cmd.run': salt.modules.cmdmod._run_quiet}\n"
        "def kind(): return {'kind': __salt__['cmd.run']('echo oak'), 'mine': 1}\n"
        "def thick(grains): return {'thick': grains['kind'] + __grains__['id']}\n"
        "def nothing(): return None\ndef broken(): return {'broken': 1 / 0}\n",
        "_grains",
    )
    module(tmp_path, "asks", "def asks(): return {'asks': __salt__['grains.get']('id')}\n", "_grains")
    module(tmp_path, "unloadable", "import no_such_thing\n", "_grains")
    (tmp_path / "ensue.yaml").write_text("grains: {mine: 2}\n")
    write(
        tmp_path,
        states__t="{{ [grains.kind, grains.thick, grains.mine, grains.asks] | join(' ') }}: test.nop\n",
    )
    with caplog.at_level(logging.WARNING):
        assert [returned.id for returned in apply(tmp_path, "t").returns.values()] == ["oak oakm 2 m"]
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert messages[0].startswith("E0608: the project's module ")
    assert messages[1] == "E0608: _grains/wood.py: broken() raised ZeroDivisionError: division by zero"


def test_a_run_that_asks_for_no_grains_gathers_none(tmp_path: Path) -> None:
    """Grain functions are not called for a plain state."""
    mark = tmp_path / "mark"
    module(
        tmp_path, "wood", f"from pathlib import Path\ndef kind(): Path({str(mark)!r}).touch()\n", "_grains"
    )
    write(tmp_path, states__t="a: test.nop\n")
    apply(tmp_path, "t")
    assert not mark.exists()
