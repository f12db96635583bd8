"""Candidates for shell completion: what `ensue doc` and `ensue call` take, with a sentence about each.

Only what comes with ensue is offered: a key press never runs the code of a project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from ensue.core.contracts.function_docs import FunctionKind
    from ensue.output.documentation import ProjectDocumentation


def complete_function(
    ctx: click.Context,  # noqa: ARG001 -- click's signature
    param: click.Parameter,  # noqa: ARG001 -- click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """Return all that `ensue doc` knows; after `module.` the functions of a module, of both kinds."""
    return _candidates(("states", "modules"), incomplete, has_parts=True)


def complete_execution_function(
    ctx: click.Context,  # noqa: ARG001 -- click's signature
    param: click.Parameter,  # noqa: ARG001 -- click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """Return modules of execution functions, or after `module.` the functions of a module."""
    return _candidates(("modules",), incomplete)


def _candidates(
    kinds: tuple[FunctionKind, ...], incomplete: str, *, has_parts: bool = False
) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    try:
        from ensue.output.documentation import shipped_documentation

        docs = shipped_documentation()
        texts: dict[str, str] = _part_texts(incomplete) if has_parts else {}
        for kind in reversed(kinds):
            texts |= _texts(docs, kind, incomplete)
        return [CompletionItem(name, help=text) for name, text in sorted(texts.items())]
    except BaseException:  # noqa: BLE001 -- a key press must never show an error
        return []


def _texts(docs: ProjectDocumentation, kind: FunctionKind, incomplete: str) -> dict[str, str]:
    """Return a sentence by name; a module that is named alone gives its functions."""
    module, dot, _ = incomplete.rpartition(".")
    names = [name for name in docs.modules(kind) if name.startswith(incomplete)]
    if not dot and len(names) != 1:
        return {name: text for name, text in docs.summaries(kind).items() if name in names}
    texts: dict[str, str] = {}
    for name in {*names, module} if dot else names:
        module_doc = docs.module(kind, name)
        if module_doc is not None:
            texts |= {f"{name}.{function}": text for function, text in module_doc.functions.items()}
    return {name: text for name, text in texts.items() if name.startswith(incomplete)}


def _part_texts(incomplete: str) -> dict[str, str]:
    """Return a sentence by name of each driver, resource type, provider, topic, requisite and option."""
    from ensue.language.functions.state_words import state_words
    from ensue.output.part_documentation import PART_KINDS, shipped_parts
    from ensue.output.topics import ALIASES, TOPICS

    parts = shipped_parts()
    texts = {alias: TOPICS[name].title for alias, name in ALIASES.items()}
    for kind in reversed(PART_KINDS):
        texts |= parts.summaries(kind)
    texts |= {word.name: word.meaning for word in state_words()}
    return {name: text for name, text in texts.items() if name.startswith(incomplete)}
