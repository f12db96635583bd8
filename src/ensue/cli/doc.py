"""`ensue doc`: the documentation of functions, of drivers, resource types and providers, and of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete_functions import complete_function
from ensue.cli.options import project_options

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.contracts.function_docs import Documentation, FunctionDoc, ModuleDoc
    from ensue.core.contracts.part_docs import PartDoc
    from ensue.core.contracts.state_words import StateWordDoc
    from ensue.output.part_documentation import PartDocumentation

_MOST_NEAR: Final = 4
_KINDS: Final = {
    "driver": "drivers",
    "state": "states",
    "module": "modules",
    "resource type": "resource types",
    "type": "resource types",
    "environment provider": "environment providers",
    "provider": "environment providers",
    "topic": "topics",
}
"""The words for what is listed under a title."""
_WORDS: Final = "`ensue doc requisites` and `ensue doc options` list what every state takes."

Result = TypeVar("Result")

EXAMPLES = (
    ("ensue doc file.managed", "a function: every argument, an example, what it returns"),
    ("ensue doc file", "the functions of a module, with a sentence each"),
    ("ensue doc", "all modules, drivers, resource types, environment providers and topics"),
    ("ensue doc postgres", "a driver: its inputs, and a definition with it"),
    ("ensue doc ssh_host", "a resource type: the keys of its configuration"),
    ("ensue doc references", "a topic: a few sentences, and the page of the documentation"),
    ("ensue doc options", "the options that every state takes; `ensue doc requisites` its requisites"),
    ("ensue doc retry", "one of them, with an example"),
    ("ensue doc pkg.installed --out json", "the same as data: arguments with type, unit and default"),
)


@click.command("doc", cls=ProjectCommand, examples=EXAMPLES)
@click.argument("names", metavar="[[KIND] NAME]", nargs=-1, shell_complete=complete_function)
@project_options("nested", "json", "yaml", "quiet")
def command(session: Session, *, names: tuple[str, ...]) -> int:
    """Show the documentation of a function, a module, a driver, or a topic.

    State functions, which SLS name, and execution functions, which templates and `ensue call` call, are
    shown in this order if there are both. Those of the project's own `_states` and `_modules` are among them.
    The name may also be a requisite or an option that every state takes, such as `retry`, a driver, a
    resource type, an environment provider, or a topic such as `references`. A kind before it, such as
    `driver`, leaves out what else has the name.

    Exit code: 0 success; 1 there is nothing of this name.
    """
    *kind, name = names or ("",)
    return show_docs(session, name or None, _kind_of(kind, name) if kind else "")


def _kind_of(words: Sequence[str], name: str) -> str:
    """Return the kind that words before a name mean, as it is listed.

    Raises:
        UsageError: they mean none.
    """
    kind = _KINDS.get(" ".join(words).lower().removesuffix("s"), "")
    if not kind:
        function = ".".join((*words, name))
        raise click.UsageError(
            f"`{' '.join(words)}` is no kind of documentation: write one name, such as `ensue doc {name}`, "
            f"or `ensue doc {function}` for a function; kinds are {', '.join(_KINDS)}"
        )
    return kind


def show_docs(session: Session, name: str | None, kind: str = "") -> int:
    """Print the documentation of everything that has a name, or list all names.

    Args:
        session: the command.
        name: `module.function`, or another name; None: all names.
        kind: only what is of this kind; empty: of any.

    Raises:
        ConfigurationError: there is nothing of this name.
    """
    if name is None:
        return _show_all(session)
    if not kind and (words := _words_of(name)):
        return _show_words(session, name, words)
    functions, modules = _read(session, lambda docs: _find(docs, name))
    parts = _read_parts(session, lambda docs: docs.named(name))
    if kind:
        kinds = [*(each.kind for each in functions), *(each.kind for each in modules)]
        others = dict.fromkeys([*kinds, *(part.kind for part in parts)])
        functions = [function for function in functions if function.kind == kind]
        modules = [module for module in modules if module.kind == kind]
        parts = [part for part in parts if part.kind == kind]
        if others and kind not in others:
            raise _of_other_kind(name, kind, list(others))
    if not functions and not modules and not parts:
        raise _unknown(session, name)
    if session.is_for_programs:
        _print_data(session, [*modules, *functions, *parts])
        return exit_codes.SUCCEEDED
    from ensue.output.function_docs import function_text, module_text
    from ensue.output.part_text import part_text

    palette = session.stdout_palette
    texts = [function_text(function, palette) for function in functions]
    texts += [module_text(module, palette) for module in modules]
    texts += [part_text(part, palette) for part in parts]
    from ensue.language.functions.state_words import instead_of_word

    if parts and not (functions or modules) and (advice := instead_of_word(name)):
        texts.append(f"In an SLS: {advice}\n")
    _print(session, texts)
    return exit_codes.SUCCEEDED


def _words_of(name: str) -> list[StateWordDoc]:
    """Return the requisites or options of a name: one, or all of `requisites` or `options`."""
    from ensue.language.functions.state_words import state_words

    return [state_word for state_word in state_words() if name in {state_word.name, state_word.kind}]


def _show_words(session: Session, name: str, words: list[StateWordDoc]) -> int:
    if session.is_for_programs:
        from ensue.output.function_docs import data_of

        session.print_document({words[0].kind: {word.name: data_of(word) for word in words}})
        return exit_codes.SUCCEEDED
    from ensue.output.state_word_docs import TITLES, word_text, words_text

    palette = session.stdout_palette
    is_list = name in TITLES
    _print(session, [words_text(name, words, palette) if is_list else word_text(words[0], palette)])
    return exit_codes.SUCCEEDED


def _show_all(session: Session) -> int:
    from ensue.output.documentation import KINDS
    from ensue.output.function_docs import modules_text
    from ensue.output.part_documentation import PART_KINDS
    from ensue.output.part_text import parts_text

    modules = _read(session, lambda docs: {kind: docs.summaries(kind) for kind in KINDS})
    parts = _read_parts(session, lambda docs: {kind: docs.summaries(kind) for kind in PART_KINDS})
    if session.is_for_programs:
        session.print_document({**modules, **parts})
        return exit_codes.SUCCEEDED
    texts = [modules_text(kind, module, session.stdout_palette) for kind, module in modules.items()]
    texts += [parts_text(kind, parts[kind], session.stdout_palette) for kind in PART_KINDS]
    _print(session, [*texts, f"{_WORDS}\n"])
    return exit_codes.SUCCEEDED


def _print(session: Session, texts: list[str]) -> None:
    if session.out != "quiet":
        session.print_text(["\n".join(texts)])


def _print_data(session: Session, docs: list[ModuleDoc | FunctionDoc | PartDoc]) -> None:
    """Print documentation by kind and name."""
    from ensue.output.function_docs import data_of

    data: dict[str, dict[str, Any]] = {}
    for doc in docs:
        fields = {key: value for key, value in data_of(doc).items() if key not in {"kind", "name"}}
        data.setdefault(doc.kind, {})[doc.name] = fields
    session.print_document(data)


def _find(docs: Documentation, name: str) -> tuple[list[FunctionDoc], list[ModuleDoc]]:
    """Return the functions and modules of a name."""
    from ensue.output.documentation import KINDS

    functions = [
        function for function in (docs.function(kind, name) for kind in KINDS) if function is not None
    ]
    modules = [
        module_doc for module_doc in (docs.module(kind, name) for kind in KINDS) if module_doc is not None
    ]
    return functions, modules


def _of_other_kind(name: str, kind: str, others: Sequence[str]) -> Exception:
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.errors import ConfigurationError

    help_ = f"the name is among the {' and the '.join(others)}: `ensue doc {name}`"
    return ConfigurationError(
        [Diagnostic(code="E0873", summary=f"there is no {name!r} among the {kind}", help=help_)]
    )


def _unknown(session: Session, name: str) -> Exception:
    import difflib

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.errors import ConfigurationError
    from ensue.language.functions.state_words import instead_of_word, near_words

    near_functions = _read(session, lambda docs: docs.near(name))
    names = [*near_words(name), *near_functions]
    names += _read_parts(session, lambda docs: docs.near(name))
    near = difflib.get_close_matches(name, dict.fromkeys(names), n=_MOST_NEAR, cutoff=0)
    help_ = f"did you mean {' or '.join(near)}?" if near else "`ensue doc` lists all names"
    help_ = (
        instead_of_word(name, near_functions)
        or _of_other_tools(name)
        or _instead_of_option(name)
        or _of_argument(_read(session, lambda docs: docs.with_argument(name)), name)
        or help_
    )
    summary = f"there is no function, module, driver, resource type or topic {name!r}"
    return ConfigurationError([Diagnostic(code="E0873", summary=summary, help=help_)])


def _of_argument(functions: Sequence[str], name: str) -> str:
    """Return which functions have an argument of a name; empty if none has."""
    if not functions:
        return ""
    more = f" and {len(functions) - _MOST_NEAR} more" if len(functions) > _MOST_NEAR else ""
    shown = ", ".join(functions[:_MOST_NEAR])
    return f"`{name}` is an argument of {shown}{more}: `ensue doc {functions[0]}`"


def _instead_of_option(name: str) -> str:
    """Return what to write instead of an option of another tool's command line, without its dashes."""
    from ensue.cli.other_tools import instead_of_option

    option = f"--{name.replace('_', '-')}"
    instead = instead_of_option(option)
    return f"instead of the option `{option}`: {instead}" if instead else ""


def _of_other_tools(name: str) -> str:
    """Return what to write instead of a word or command of Terraform; empty if it is none."""
    from ensue.cli.other_tools import instead_of_command
    from ensue.language.functions.state_words import instead_of_terraform

    advice = instead_of_terraform(name) or ("" if "." in name else instead_of_command(name))
    return f"{advice}; `ensue doc sls-primer` has the words of Terraform and Ansible" if advice else ""


def _read(session: Session, read: Callable[[Documentation], Result]) -> Result:
    def work(project: AppProject) -> Awaitable[Result]:
        return project.documented(read)

    return session.run(work)


def _read_parts(session: Session, read: Callable[[PartDocumentation], Result]) -> Result:
    def work(project: AppProject) -> Awaitable[Result]:
        return project.documented_parts(read)

    return session.run(work)
