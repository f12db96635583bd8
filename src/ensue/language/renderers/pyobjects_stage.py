"""`pyobjects`: a Python file that declares states by calls such as `File.managed("/etc/x", mode=644)`.

Every name with a capital that the file does not define itself is a state module (`PostgresUser` is
`postgres_user`). As in `py`, names of `salt` can be imported, and `literal` marks data as literal.

Source: Salt's renderer `pyobjects`, 3008.
"""

from __future__ import annotations

import ast
import builtins
from pathlib import PurePosixPath
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Span
from ensue.core.model.data import leaves
from ensue.language.data_faults import refuse_unbounded
from ensue.language.marks import without_marks
from ensue.language.pyobjects.declaring import DeclarationRecorder, Extended, Module, module_of, refused
from ensue.language.pyobjects.imports import take_out_imports
from ensue.language.pyobjects.maps import map_class
from ensue.language.pyobjects.places import DeclaredDocument, running_line
from ensue.language.renderers.py_data import GivenTexts, literal
from ensue.language.renderers.py_errors import python_errors
from ensue.language.salt_names.file_builtins import builtins_of_file
from ensue.language.salt_names.running import running

if TYPE_CHECKING:
    from ensue.language.pyobjects.imports import Import
    from ensue.language.renderers.stage import Stream


def render(stream: Stream, _arguments: str) -> Stream:
    """Run the file, and return what it declared.

    Raises:
        CompileError: the file raised an error, or has an impossible declaration.
    """
    source = "\n" * (stream.first_line - 1) + without_marks(stream.text)
    given = GivenTexts()
    stream = given.watch(stream)
    declarations = DeclarationRecorder(lambda: running_line(stream.path))
    program = _Program(stream, declarations)
    with running(stream.variables.get("salt", {})):
        exported = program.run(source, stream.path)
    data = declarations.data()
    _refuse_objects(data, declarations)
    refuse_unbounded(data, Span(stream.path, 1))
    written = DeclaredDocument(stream.path, source, declarations.places)
    given.check(data, written)
    return msgspec.structs.replace(
        stream.with_data(data),
        written=written,
        exported=exported,
        templates=(*stream.templates, *program.imported),
    )


class _Program:
    """A file and those that it imports, as they run.

    Attributes:
        imported: the files that were imported.
    """

    def __init__(self, stream: Stream, declarations: DeclarationRecorder) -> None:
        self.imported: dict[str, dict[str, Any]] = {}
        self._stream = stream
        self._declarations = declarations
        variables = stream.variables
        salt = variables.get("salt", {})
        dunders = {f"__{name}__": variables.get(name) for name in ("salt", "grains", "pillar", "opts", "sls")}
        self._given: dict[str, Any] = {
            **variables,
            **dunders,
            **builtins_of_file(),
            "__name__": "ensue.sls",
            "salt": salt,
            "Map": map_class(salt),
            "include": declarations.include,
            "extend": Extended,
            "literal": literal,
        }
        self._asked = {name: f"{name}.get" for name in ("pillar", "grains", "mine", "config")}

    def run(self, source: str, path: str) -> dict[str, Any]:
        """Run a file, and return the names that it defines."""
        with python_errors(path, "program", renderer="pyobjects"):
            text, imports = take_out_imports(source)
            names: dict[str, Any] = {}
            was_open, self._declarations.is_open = self._declarations.is_open, False
            for import_ in imports:
                names.update(self._imported_names(import_, path))
            self._declarations.is_open = was_open
            namespace = {**self._globals_of(text), **names, "__file__": path}
            before = dict(namespace)
            exec(compile(text, path, "exec"), namespace)  # noqa: S102 -- running the user's file is this renderer
        return {
            name: value
            for name, value in namespace.items()
            if not name.startswith("_") and (name in names or value is not before.get(name, before))
        }

    def _globals_of(self, text: str) -> dict[str, Any]:
        """Return the globals of a file: what it is given, and a state module for each capitalised name."""
        nodes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))
        capitals = {node.id for node in nodes if node.id[0].isupper() and not hasattr(builtins, node.id)}
        salt = self._given["salt"]
        return {
            **{name: Module(self._declarations, module_of(name)) for name in capitals},
            **self._given,
            **{name: _Asking(salt, function) for name, function in self._asked.items()},
        }

    def _imported_names(self, import_: Import, path: str) -> dict[str, Any]:
        place = Span(path, import_.line)
        file = self._stream.find_file(import_.path)
        if file is None:
            raise refused(f"there is no file salt://{import_.path}", place, "the path begins at a file root")
        text, shown, absolute = file
        if absolute not in self.imported:
            self.imported[absolute] = {}  # Files that import each other see the names defined so far.
            self.imported[absolute].update(self.run(text, shown))
        names = self.imported[absolute]
        if not import_.names:
            whole = ModuleType(PurePosixPath(import_.path).stem)
            vars(whole).update(names)
            return {whole.__name__: whole}
        for name, _ in import_.names:
            if name not in names:
                raise refused(
                    f"salt://{import_.path} defines no {name!r}", place, "import a name that it defines"
                )
        return {alias: names[name] for name, alias in import_.names}


class _Asking:
    """A function such as `pillar("a:b", default)`: an execution function that is looked up when called."""

    def __init__(self, salt: Any, function: str) -> None:
        self._salt = salt
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._salt[self._function](*args, **kwargs)


def _refuse_objects(data: Any, declarations: DeclarationRecorder) -> None:
    """Refuse values that no SLS can contain, such as a state module from an undefined capitalised name."""
    for key, place in declarations.places.items():
        body = data
        for part in key:
            body = body[part]
        if strange := _object_in(body):
            raise refused(
                f"an argument of {key[-1]!r} is not data: {strange}",
                place,
                "give text, numbers, lists and mappings; a name with a capital that the file does not define "
                "is a state module",
            )


def _object_in(value: Any) -> str:
    strange = (
        leave for leave in leaves(value, with_keys=True) if isinstance(leave, Module) or callable(leave)
    )
    return next((f"a {type(object_).__name__}" for object_ in strange), "")
