"""The names of Salt behave as Salt's."""

from __future__ import annotations

import copy
import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.language.salt_names.facts import FACTS

import ensue.language.salt_names
from ensue.language.salt_names.running import running

if TYPE_CHECKING:
    from pathlib import Path

HOME = "ensue.language.salt_names"


def called(module: str, function: str, arguments: tuple[Any, ...]) -> Any:
    implementation = getattr(importlib.import_module(f"{HOME}.{module}"), function)
    if function == "clean_kwargs":
        return implementation(**arguments[0])
    return implementation(*copy.deepcopy(arguments))


@pytest.mark.parametrize(("module", "function", "arguments", "result"), FACTS)
def test_a_function_returns_what_salts_does(
    module: str, function: str, arguments: tuple[Any, ...], result: Any
) -> None:
    """The facts are those of Salt 3008.5."""
    made = called(module, function, arguments)
    assert (made, type(made)) == (result, type(result))


def test_every_module_says_what_it_lacks() -> None:
    """A name that no module has is an `AttributeError` that names the extra."""
    names = [module.name for module in pkgutil.walk_packages(ensue.language.salt_names.__path__, f"{HOME}.")]
    own_names = ("absent", "client_error", "file_builtins", "importing", "modules", "loader", "running")
    own = {f"{HOME}.{name}" for name in own_names}
    assert len(names) > 30
    for name in set(names) - own:
        with pytest.raises(AttributeError, match=r"pip install 'ensue\[salt\]'"):
            importlib.import_module(name).nothing_such  # noqa: B018 -- looking is the test


def test_six_has_the_modules_of_the_standard_library() -> None:
    """By the names that they had in Python 2."""
    six = importlib.import_module(f"{HOME}.ext.six")
    moves = importlib.import_module(f"{HOME}.ext.six.moves")
    assert (six.PY3, list(six.iteritems({"a": 1})), six.text_type) == (True, [("a", 1)], str)
    assert moves.urllib.parse.urlparse("http://a/b").path == "/b"
    assert list(moves.range(2)) == list(moves.xrange(2)) == [0, 1]
    assert moves.configparser.ConfigParser

    @six.add_metaclass(type)
    class Some:
        pass

    assert Some().__class__.__name__ == "Some"


def test_a_function_may_depend_on_things() -> None:
    """On names of its file, importable modules, programs and execution functions."""
    decorators = importlib.import_module(f"{HOME}.utils.decorators")
    exceptions = importlib.import_module(f"{HOME}.exceptions")

    def fallback() -> str:
        return "fallback"

    def works() -> str:
        return "works"

    assert decorators.depends("json")(works)() == "works"
    assert decorators.depends("no_such_module", fallback_function=fallback)(works)() == "fallback"
    with pytest.raises(exceptions.CommandExecutionError, match="works requires no_such_module"):
        decorators.depends("no_such_module")(works)()
    with pytest.raises(exceptions.CommandNotFoundError):
        decorators.which("no-such-program")(works)()
    with running({"wood.sawn": works}):
        assert decorators.depends("wood.sawn")(works)() == "works"
        assert decorators.depends("wood.none", fallback_function=fallback)(works)() == "fallback"


def test_memoize_calls_once() -> None:
    """The second call with the same arguments is answered from memory."""
    calls: list[int] = []
    remembered = importlib.import_module(f"{HOME}.utils.decorators").memoize(calls.append)
    remembered(1)
    remembered(1)
    remembered(2)
    assert calls == [1, 2]


def test_files_are_opened_and_made(tmp_path: Path) -> None:
    """`fopen`, `mkstemp`, `copyfile`, `set_umask` and their kin work on this machine."""
    files = importlib.import_module(f"{HOME}.utils.files")
    path = tmp_path / "a"
    with files.fopen(path, "w") as opened:
        opened.write("ä")
    with files.fopen(path) as opened:
        assert opened.read() == "ä"
    with files.flopen(path, "rb") as opened:
        assert opened.read() == "ä".encode()
    path.chmod(0o640)
    made = files.mkstemp(dir=tmp_path)
    files.copyfile(made, path)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"", 0o640)
    assert (files.is_empty(path), files.is_text(path), files.is_binary(path)) == (True, True, False)
    with files.set_umask(0o077):
        (tmp_path / "private").touch(0o666)
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600
    files.safe_rm(path)
    files.safe_rm(path)
    assert str(tmp_path / "private") in files.list_files(tmp_path)


def test_a_process_may_take_so_long() -> None:
    """`TimedProc` runs a command, and kills one that takes longer."""
    timed = importlib.import_module(f"{HOME}.utils.timed_subprocess")
    done = timed.TimedProc(["cat"], stdin="a", stdout=-1, timeout=60)
    assert (done.run(), done.stdout) == (0, b"a")
    exceptions = importlib.import_module(f"{HOME}.exceptions")
    with pytest.raises(exceptions.TimedProcTimeoutError, match="Timed out"):
        timed.TimedProc(["tail", "-f", "/dev/null"], timeout=0.01).run()


def test_ordered_mappings_make_what_they_lack() -> None:
    """`DefaultOrderedDict` is a mapping with a default, and copies are, too."""
    made = importlib.import_module(f"{HOME}.utils.odict").DefaultOrderedDict(list)
    made["a"].append(1)
    copied = copy.deepcopy(made)
    copied["b"].append(2)
    assert (dict(made), dict(copied)) == ({"a": [1]}, {"a": [1], "b": [2]})


def test_versions_have_an_order() -> None:
    """Numbers count as numbers; a letter comes before a number."""
    loose = importlib.import_module(f"{HOME}.utils.versions").LooseVersion
    assert loose("1.10") > loose("1.9")
    assert loose("1.0") == "1.0"
    assert sorted(["1.0.1", "1.0rc1", "0.9"], key=loose) == ["0.9", "1.0rc1", "1.0.1"]
