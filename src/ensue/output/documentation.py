"""The documentation of the functions of a project: those of ensue, and the project's own."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.function_docs import FunctionDoc, FunctionKind, ModuleDoc, function_doc
from ensue.core.errors import PluginError
from ensue.core.model.docstrings import read_docstring
from ensue.core.model.srn import MINION_TYPE
from ensue.language.functions.functions import Functions
from ensue.language.functions.new_state_page import new_state_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ensue.language.targets.compilation import Compilation

KINDS: Final[tuple[FunctionKind, ...]] = ("states", "modules")
_HIDDEN: Final = frozenset({"mod_watch"})
"""Functions that the engine calls by itself, and an SLS never names."""
_TITLE: Final = re.compile(r"(?:State|Execution) modules? [^:]*: ")
_MOST_NEAR: Final = 3
_CUTOFF: Final = 0.6


class ProjectDocumentation:
    """The documentation of all functions of a project. A call may load files of the project, and blocks.

    Args:
        states: the state functions.
        modules: the execution functions.
        types: returns the documentation of what resource types offer; only modules that are missing here
            are taken from it.
    """

    def __init__(
        self,
        states: Functions,
        modules: Functions,
        types: Callable[[], Sequence[ProjectDocumentation]] = tuple,
    ) -> None:
        self._functions: dict[FunctionKind, Functions] = {"states": states, "modules": modules}
        self._types = types

    def modules(self, kind: FunctionKind) -> list[str]:
        """Return the names of all modules, sorted."""
        names = {name for name in self._functions[kind].modules() if self._is_public(kind, name)}
        return sorted(names.union(*(type_.modules(kind) for type_ in self._types())))

    def summaries(self, kind: FunctionKind) -> dict[str, str]:
        """Return a sentence about each module, by name; of a file that does not load, the reason."""
        summaries: dict[str, str] = {}
        for name in self.modules(kind):
            try:
                module = self.module(kind, name)
            except PluginError as error:
                summaries[name] = str(error)
            else:
                summaries[name] = module.summary if module else ""
        return summaries

    def module(self, kind: FunctionKind, name: str) -> ModuleDoc | None:
        """Return the documentation of a module; None if there is no such module."""
        names = sorted(set(self._functions[kind].names(name)) - _HIDDEN)
        if not names:
            return next(
                (module_doc for type_ in self._types() if (module_doc := type_.module(kind, name))), None
            )
        if not self._is_public(kind, name):
            return None
        docstring = read_docstring(inspect.cleandoc(self._module_docstring(kind, name, names[0])))
        functions = {function: self._summary(kind, name, function) for function in names}
        return ModuleDoc(
            kind=kind,
            name=name,
            summary=_capitalised(_TITLE.sub("", docstring.summary)),
            notes=docstring.notes,
            differences=docstring.differences,
            functions=functions,
        )

    def function(self, kind: FunctionKind, name: str) -> FunctionDoc | None:
        """Return the documentation of a function, `module.function`; None if there is no such function."""
        module, _, function = name.rpartition(".")
        callable_ = self._find(kind, module, function)
        if callable_ is None:
            return next((doc for type_ in self._types() if (doc := type_.function(kind, name))), None)
        keys = new_state_keys().get(name, ()) if kind == "states" and self._is_ours(kind, callable_) else ()
        doc = function_doc(kind, name, callable_, keys)
        module_docs = read_docstring(inspect.cleandoc(self._module_docstring(kind, module, function)))
        return msgspec.structs.replace(doc, module_differences=module_docs.differences)

    def text(self, kind: FunctionKind, name: str) -> str:
        """Return the documentation of a function as text; empty if there is no such function."""
        from ensue.output.colours import PLAIN
        from ensue.output.function_docs import function_text

        documented = self.function(kind, name)
        return function_text(documented, PLAIN) if documented is not None else ""

    def near(self, name: str) -> Sequence[str]:
        """Return names of modules and functions that resemble a name, best first."""
        import difflib

        module, dot, function = name.rpartition(".")
        near: list[str] = []
        for functions in self._functions.values():
            near += functions.near(module, function) if dot else ()
        modules = [module_ for kind in KINDS for module_ in self.modules(kind)]
        near += difflib.get_close_matches(module if dot else name, modules, n=_MOST_NEAR, cutoff=_CUTOFF)
        return list(dict.fromkeys(near))[:_MOST_NEAR]

    def with_argument(self, word: str) -> Sequence[str]:
        """Return the state functions that have an argument of a name, sorted."""
        states = self._functions["states"]
        return [
            f"{module}.{name}"
            for module in self.modules("states")
            for name in sorted(set(states.names(module)) - _HIDDEN)
            if (signature := states.signature(module, name)) is not None and word in signature.names
        ]

    def _module_docstring(self, kind: FunctionKind, module: str, function: str) -> str:
        text: str | None = self._functions[kind].attribute(module, "__doc__")
        if text is None and (callable_ := self._find(kind, module, function)) is not None:
            # A project's file of plain functions is known only by them.
            text = getattr(inspect.unwrap(callable_), "__globals__", {}).get("__doc__")
        return text or ""

    def _summary(self, kind: FunctionKind, module: str, function: str) -> str:
        callable_ = self._find(kind, module, function)
        docstring = inspect.getdoc(inspect.unwrap(callable_)) if callable_ is not None else None
        return read_docstring(docstring or "").summary

    def _find(self, kind: FunctionKind, module: str, function: str) -> Callable[..., Any] | None:
        return self._functions[kind].find(module, function) if function not in _HIDDEN else None

    def _is_ours(self, kind: FunctionKind, function: Callable[..., Any]) -> bool:
        return str(getattr(function, "__module__", "")).startswith(f"{self._functions[kind].package}.")

    def _is_public(self, kind: FunctionKind, name: str) -> bool:
        """Return whether a module is not only a part of another: `docker.images` has functions of `docker`.

        `test.nested` is no such part: SLS name it.
        """
        outer = name.rpartition(".")[0]
        if kind == "states" or not outer:
            return True
        functions = self._functions[kind]
        return not functions.shipped(name).items() <= functions.shipped(outer).items()


def project_documentation(
    compilation: Compilation, types: Callable[[], Sequence[str]]
) -> ProjectDocumentation:
    """Return the documentation of this machine's functions, and of modules that only its types have.

    Args:
        compilation: the functions of the project.
        types: returns the names of the types that are the project's own.
    """
    states, modules = compilation.states_of, compilation.modules_of

    def of_types() -> list[ProjectDocumentation]:
        return [ProjectDocumentation(states(name), modules(name)) for name in types()]

    return ProjectDocumentation(states(MINION_TYPE), modules(MINION_TYPE), of_types)


def shipped_documentation() -> ProjectDocumentation:
    """Return the documentation of the functions that come with ensue."""
    return ProjectDocumentation(Functions("ensue.library.states"), Functions("ensue.library.modules"))


def write_reference(folder: Path) -> list[Path]:
    """Write a page for each module that comes with ensue, one for what every state takes; return paths.

    A page that is there already with the same text is left alone, so that Sphinx does not read it again.

    Args:
        folder: where they are written: `states/NAME.md`, `modules/NAME.md` and `state-words.md`.
    """
    from ensue.language.functions.state_words import state_words
    from ensue.output.reference_pages import reference_page
    from ensue.output.state_word_docs import words_page

    docs = shipped_documentation()
    pages: list[Path] = []
    for kind in KINDS:
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name in docs.modules(kind):
            page, module = folder / kind / f"{name}.md", docs.module(kind, name)
            assert module is not None  # noqa: S101 -- it is listed
            documented = (docs.function(kind, f"{name}.{function}") for function in module.functions)
            text = reference_page(module, [function for function in documented if function is not None])
            if not page.is_file() or page.read_text(encoding="utf-8") != text:
                page.write_text(text, encoding="utf-8")
            pages.append(page)
    words = folder / "state-words.md"
    text = words_page(state_words())
    if not words.is_file() or words.read_text(encoding="utf-8") != text:
        words.write_text(text, encoding="utf-8")
    pages.append(words)
    for left in {*folder.rglob("*.md")} - {*pages}:
        left.unlink()
    return pages


def _capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
