"""The house rules that no other tool checks.

Each test collects everything that breaks one rule, and lists all of it.
"""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ensue.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "ensue"
DOCS = ROOT / "docs"

LONGEST_MODULE_LINES = 400
MOST_PARAMETERS = 7

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module", autouse=True)
def _trees_do_not_outlive_this_module() -> Iterator[None]:
    """Millions of nodes, if kept, would slow every full garbage collection of later tests in this process."""
    gc.disable()
    yield
    _tree.cache_clear()
    gc.enable()


@cache
def _python_files(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*.py") if not _is_generated(path)))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _is_generated(path: Path) -> bool:
    return any(part.startswith((".", "_build", "__pycache__")) for part in path.relative_to(ROOT).parts)


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _text_files() -> Iterator[Path]:
    """Yield the text files that a reader of the repository may open."""
    folders = ("src", "tests", "docs", "bench", "examples", "changes", "tools", ".ci")
    suffixes = {".py", ".md", ".sls", ".yaml", ".yml", ".toml", ".j2", ".jinja", ".sh", ".txt", ".json", ""}
    for path in chain(ROOT.iterdir(), *((ROOT / folder).rglob("*") for folder in folders)):
        if path.is_file() and path.suffix in suffixes and not _is_generated_below(path):
            yield path


def _is_generated_below(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    if parts[:2] == ("docs", "reference"):
        return True
    if parts[0] == ".git":  # in a worktree `.git` is a file that names a folder of this machine
        return True
    return any(part in {"__pycache__", "_build", ".ensue"} for part in parts)


def _fail_with(what: str, faults: list[str]) -> None:
    assert not faults, f"{what}:\n  " + "\n  ".join(faults)


def test_what_is_at_the_top_has_tests_of_its_name() -> None:
    """Each public package and module at the top of src/ensue has a test, in tests/NAME/ or test_NAME.py."""
    tests = ROOT / "tests"
    untested = [
        _relative(path)
        for path in sorted(SOURCE.iterdir())
        if path.suffix == ".py" or (path / "__init__.py").is_file()
        if not path.name.startswith("_")
        if not any(
            map(_has_a_test, [*(tests / path.stem).rglob("test_*.py"), tests / f"test_{path.stem}.py"])
        )
    ]
    _fail_with("packages and modules without tests of their own", untested)


def _has_a_test(path: Path) -> bool:
    return path.is_file() and any(
        isinstance(node, Function) and node.name.startswith("test_") for node in ast.walk(_tree(path))
    )


def test_every_module_says_what_it_is() -> None:
    """A module that holds code has a docstring."""
    silent = [
        _relative(path)
        for path in chain(_python_files(SOURCE), _python_files(ROOT / "tests"), _python_files(ROOT / "bench"))
        if _tree(path).body and not ast.get_docstring(_tree(path))
    ]
    _fail_with("modules without a docstring", silent)


def test_the_architecture_names_modules_that_exist() -> None:
    """Each file of Python that the pages on the architecture name is in the checkout, below any folder."""
    pages = (ROOT / "ARCHITECTURE.md", DOCS / "inside-the-rooms.md")
    page = "".join(path.read_text(encoding="utf-8") for path in pages)
    known = [
        f"/{_relative(path)}" for folder in ("src", "tests", "bench") for path in _python_files(ROOT / folder)
    ]
    named = re.findall(r"`([\w/]+\.py)`", page)
    absent = [name for name in named if not any(path.endswith(f"/{name}") for path in known)]
    _fail_with("modules that pages on the architecture name and that do not exist", absent)


def test_no_module_is_too_long() -> None:
    """No module of the product has more than 400 lines; an exception has its reason here."""
    excused: dict[str, str] = {}
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in _python_files(SOURCE)}
    too_long = [
        f"{lines:5} {_relative(path)}"
        for path, lines in sorted(lengths.items(), key=lambda item: -item[1])
        if lines > LONGEST_MODULE_LINES and path.relative_to(SOURCE).as_posix() not in excused
    ]
    _fail_with(f"modules of more than {LONGEST_MODULE_LINES} lines", too_long)


def test_rooms_are_entered_by_their_doors() -> None:
    """What one room imports of another is below a door that the other names in its docstring.

    `app` wires all rooms, and `testing` has fakes of their parts, so both may go further.
    """
    doors: dict[str, tuple[str, ...]] = {}
    for init in SOURCE.glob("*/__init__.py"):
        _, listed, below = (ast.get_docstring(_tree(init)) or "").partition("Doors:\n")
        if listed:
            doors[init.parent.name] = tuple(re.findall(r"`([a-z_.]+)`", _door_lines(below)))
    wrong = [
        f"{importer} imports {module}"
        for importer, module in _imports_between_rooms()
        if (own := doors.get(module.partition(".")[0])) is not None
        and not any(module == door or module.startswith(f"{door}.") for door in own)
    ]
    assert len(doors) >= 7, sorted(doors)
    _fail_with("imports that use no door", wrong)


def _door_lines(text: str) -> str:
    """Return the names of doors: what is before the colon in each entry of a list."""
    return "\n".join(line.partition(":")[0] for line in text.splitlines() if line.startswith("- "))


def _imports_between_rooms() -> Iterator[tuple[str, str]]:
    """Yield modules and what they import of other rooms, both without `ensue.`."""
    modules = {path.relative_to(SOURCE).with_suffix("").as_posix() for path in _python_files(SOURCE)}
    for path in _python_files(SOURCE):
        room = path.relative_to(SOURCE).parts[0]
        if room in {"app", "testing"}:
            continue
        for node in ast.walk(_tree(path)):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("ensue."):
                continue
            package = str(node.module).removeprefix("ensue.")
            for name in node.names:
                is_module = f"{package}.{name.name}".replace(".", "/") in modules
                module = f"{package}.{name.name}" if is_module else package
                if module.partition(".")[0] != room:
                    yield path.relative_to(SOURCE).as_posix(), module


def test_no_modules_import_each_other() -> None:
    """No modules of the product import each other in a cycle, not even for types alone."""
    imports = _imports_of_the_product()
    cycles = [" <-> ".join(cycle) for cycle in _cycles(imports)]
    _fail_with("modules that import each other", cycles)


def _imports_of_the_product() -> dict[str, set[str]]:
    """Return which modules of the product each of them imports, names relative to the package."""
    paths = {_module_name(path): path for path in _python_files(SOURCE)}
    return {
        name: {imported for imported in _imported(_tree(path), paths.keys()) if imported != name}
        for name, path in paths.items()
    }


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def _imported(tree: ast.Module, known: Collection[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            full_names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            full_names = [name if name.removeprefix("ensue.") in known else node.module for name in inside]
        else:
            continue
        yield from (
            name.removeprefix("ensue.")
            for name in full_names
            if name.startswith("ensue.") and name.removeprefix("ensue.") in known
        )


def _cycles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that all lead to each other.

    A module that no other of a group imports, or that imports none of them, is in no cycle.
    """
    left = {name: set(imported_names) for name, imported_names in imports.items()}
    while True:
        imported = set(chain.from_iterable(left.values()))
        in_cycles = {name for name, imported_names in left.items() if imported_names and name in imported}
        if len(in_cycles) == len(left):
            break
        left = {name: left[name] & in_cycles for name in in_cycles}
    groups: list[list[str]] = []
    reached = {name: _reachable(name, left) for name in left}
    for name in sorted(left):
        group = sorted(other for other in reached[name] if name in reached[other])
        if group and group[0] == name:
            groups.append(group)
    return groups


def _reachable(start: str, imports: dict[str, set[str]]) -> set[str]:
    reachable: set[str] = set()
    open_names = [start]
    while open_names:
        for name in imports[open_names.pop()] - reachable:
            reachable.add(name)
            open_names.append(name)
    return reachable


def test_a_class_name_is_unique() -> None:
    """No two modules of the product define classes of one name, so a search for a name finds one class."""
    # Salt's own files raise and catch Salt's exceptions by Salt's names.
    excused = {"language/salt_names/exceptions.py": {"AuthenticationError"}}
    modules: dict[str, list[str]] = {}
    for path in _python_files(SOURCE):
        module = path.relative_to(SOURCE).as_posix()
        for node in _tree(path).body:
            if isinstance(node, ast.ClassDef) and node.name not in excused.get(module, ()):
                modules.setdefault(node.name, []).append(module)
    repeated = [
        f"{name}: {', '.join(paths)}" for name, paths in sorted(modules.items()) if len(set(paths)) > 1
    ]
    _fail_with("class names that several modules define", repeated)


def test_no_module_is_a_drawer() -> None:
    """A file is named for its one idea, so none is called utils, helpers, common or misc."""
    drawers = {"utils", "util", "helpers", "common", "misc"}
    _fail_with("files named for nothing", [_relative(p) for p in _python_files(SOURCE) if p.stem in drawers])


def test_names_say_what_a_thing_is() -> None:
    """A variable is named for what it holds, not for how it came to be there."""
    vague = {"found", "said", "came", "told", "one", "wanted"}
    excused = {
        ("src/ensue/deploy/drivers/postgres.py", "wanted"),  # a key of the cookies that stores have kept
        ("src/ensue/deploy/gotemplate/sprig/strings.py", "one"),  # of `plural`, beside `many`
    }
    names = [
        f"{_relative(path)}:{node.lineno} {name}"
        for path in (*_python_files(SOURCE), *_python_files(ROOT / "tests"))
        for node in ast.walk(_tree(path))
        if (name := _bound_name(node)) in vague and (_relative(path), name) not in excused
    ]
    _fail_with("names that say nothing", names)


def _bound_name(node: ast.AST) -> str:
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""


def test_no_function_takes_too_many_parameters() -> None:
    """More than seven parameters become a frozen options object.

    State and execution functions and commands are left out: their parameters are the language
    that users write.
    """
    languages = ("library", "cli")
    excused = {
        ("derived.py", "register"),  # the derived-resources document fixes this signature
        ("api/project.py", "apply"),  # has the options of `ensue apply`, all by keyword
        ("api/running.py", "apply"),  # the same function for programs without an event loop
        ("store/registry/registry.py", "__init__"),  # wires the parts of the registry, all but one by keyword
    }
    crowded = [
        f"{_relative(path)}:{node.lineno} {node.name}"
        for path in _python_files(SOURCE)
        if path.relative_to(SOURCE).parts[0] not in languages
        for node in ast.walk(_tree(path))
        if isinstance(node, Function)
        and _parameter_count(node) > MOST_PARAMETERS
        and (path.relative_to(SOURCE).as_posix(), node.name) not in excused
    ]
    _fail_with("functions with too many parameters", crowded)


def _parameter_count(function: Function) -> int:
    arguments = function.args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return len([name for name in names if name not in {"self", "cls"}])


def test_nothing_is_left_to_be_done() -> None:
    """No source holds a note to its author."""
    words = "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"))
    # Salt's own word for a hidden password, taken out by its exact spelling alone.
    salts_word = "XX" + "X-REDACTED-XX" + "X"
    note = re.compile(rf"\b({words})\b")
    notes = [
        f"{_relative(path)}:{number}"
        for path in chain(_python_files(SOURCE), _python_files(ROOT / "tests"), _python_files(ROOT / "bench"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if note.search(line.replace(salts_word, ""))
    ]
    _fail_with("notes to the author", notes)


def test_no_test_sleeps() -> None:
    """A test waits for what it waits for, never for time to pass.

    `sleep(0)` only yields; a function that is itself called `sleep` imitates a clock or a state.
    """
    # What runs on the engine's harness sleeps in virtual time: its event loop jumps ahead.
    in_virtual_time = {
        path
        for path in _python_files(ROOT / "tests")
        if "from tests.engine.harness import" in path.read_text(encoding="utf-8")
    }
    sleeps = [
        f"{_relative(path)}:{call.lineno}"
        for path in _python_files(ROOT / "tests")
        if path not in in_virtual_time
        for call in _calls_outside(_tree(path), "sleep")
        if _is_sleep(call)
    ]
    _fail_with("sleeps", sleeps)


def _calls_outside(node: ast.AST, function: str) -> Iterator[ast.Call]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child
        if not (isinstance(child, Function) and child.name == function):
            yield from _calls_outside(child, function)


def _is_sleep(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Name(id="time" | "asyncio"), attr="sleep") | ast.Name(id="sleep"):
            return not (call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0)
        case _:
            return False


def test_every_test_states_its_fact() -> None:
    """Each test function has a docstring."""
    silent = [
        f"{_relative(path)}:{node.lineno} {node.name}"
        for path in _python_files(ROOT / "tests")
        for node in ast.walk(_tree(path))
        if isinstance(node, Function) and node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    _fail_with("tests without a docstring", silent)


def test_nothing_speaks_of_one_machine() -> None:
    """No file names a folder of whoever wrote it, only what is true on every machine."""
    # Put together from parts, so that this file does not match itself.
    patterns = [
        re.compile(r"(?<![\w.}])/" + r"work\b"),
        re.compile(r"\.\./" + "shared" + r"\b"),
    ]
    personal = [
        f"{_relative(path)}:{number}: {line.strip()[:80]}"
        for path in _text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if any(pattern.search(line) for pattern in patterns)
    ]
    _fail_with("lines about one machine", personal)


def test_every_page_of_the_documentation_is_listed() -> None:
    """Each page below docs/ stands in a toctree, so that a reader can come to it."""
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    pages = {page for page in pages if not page.startswith(("_build", "reference/"))}
    listed = {"index"}
    for path in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            entries = [line.strip() for line in block.splitlines() if line.strip() and line[0] != ":"]
            listed |= {re.sub(r"^.*<(.*)>$", r"\1", entry) for entry in entries}
    _fail_with("pages in no toctree", sorted(pages - listed))


def test_every_example_says_what_it_shows() -> None:
    """Each folder of examples/ has a README.md."""
    folders = [path for path in (ROOT / "examples").glob("*") if path.is_dir()]
    _fail_with(
        "examples without README.md", [_relative(f) for f in folders if not (f / "README.md").is_file()]
    )


def test_change_fragments_are_well_formed() -> None:
    """A fragment is `changes/<slug>.<type>.md` with a type that pyproject.toml lists, and says something."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    types = "|".join(entry["directory"] for entry in settings["type"])
    name = re.compile(rf"[a-z0-9][a-z0-9-]*\.({types})\.md")
    odd = [
        _relative(path)
        for path in (ROOT / "changes").iterdir()
        if path.name[0] != "."
        and path.name != "README.md"
        and not (name.fullmatch(path.name) and path.read_text(encoding="utf-8").strip())
    ]
    _fail_with("fragments of no known shape", odd)


def test_a_released_version_has_its_changes() -> None:
    """CHANGELOG.md has a section for the version of the package, unless that is one of development."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", changelog, re.MULTILINE)
    assert ".dev" in __version__ or released[0] == __version__


def test_every_diagnostic_code_is_explained() -> None:
    """docs/diagnostics.md explains each code that the source uses, once, and no other."""
    code = re.compile(r"""["'`]([EW]\d{4})\b""")
    used = {
        match
        for path in _python_files(SOURCE)
        if path != SOURCE / "diagnostics.py"
        for match in code.findall(path.read_text(encoding="utf-8"))
    }
    headings = re.findall(
        r"^### ([EW]\d{4}): ", (DOCS / "diagnostics.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    twice = {heading for heading in headings if headings.count(heading) > 1}
    _fail_with("codes without an explanation", sorted(used - set(headings)))
    _fail_with("explanations of codes that nothing uses", sorted(set(headings) - used))
    _fail_with("codes explained twice", sorted(twice))


def test_the_locks_hold_what_the_project_requires() -> None:
    """Each requirement is locked with an allowed version and hashes, without the address of an index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    always = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    required = {
        "runtime": always,
        "postgres": [*always, *extras["postgres"]],
        "salt": [*always, *extras["salt"]],
        "develop": [*always, *groups["test"], *groups["lint"], *groups["docs"]],
        "oldest": [*always, *groups["test"]],
        "lock": groups["lock"],
    }
    wrong: list[str] = []
    for kind, requirements in required.items():
        text = (ROOT / "requirements" / f"{kind}.txt").read_text(encoding="utf-8")
        locked = _locked(text)
        wrong += [f"{kind}: {name} has no hash" for name, (_, hashes) in locked.items() if not hashes]
        wrong += [f"{kind}: an address of an index"] if "://" in text else []
        for requirement in map(Requirement, requirements):
            versions, _ = locked.get(canonicalize_name(requirement.name), ([], 0))
            if not versions or not all(version in requirement.specifier for version in versions):
                wrong.append(f"{kind}: {requirement} is locked as {versions or 'nothing'}")
    _fail_with("lock files that `make lock` must write anew", wrong)


def _locked(text: str) -> dict[str, tuple[list[str], int]]:
    """Return versions and number of hashes of each package of a lock file."""
    locked: dict[str, tuple[list[str], int]] = {}
    for entry in re.split(r"\n(?=\w)", text):
        if match := re.match(r"([\w.-]+)==([^\s;]+)", entry):
            versions, hashes = locked.get(match[1], ([], 0))
            locked[match[1]] = ([*versions, match[2]], hashes + entry.count("--hash=sha256:"))
    return locked
