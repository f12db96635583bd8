"""What a user may have meant by a state function that does not exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.errors import NotAvailableError, PluginError
from ensue.language.ansible_words import instead_of_keyword
from ensue.language.function_words import instead_of_module, instead_of_state_function
from ensue.language.hcl_words import (
    attribute_of_hcl,
    instead_of_block,
    instead_of_resource,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from ensue.core.contracts.functions import FunctionCatalog
    from ensue.language.declarations import Declaration

_NAME: Final = "name"
_ONE_LINE: Final = re.compile(r"\w+=")
"""The beginning of the arguments of a task of Ansible in one line, `user: name=web state=present`."""


def instead_of_function(
    declaration: Declaration, catalog: FunctionCatalog, beside: Collection[Declaration] = ()
) -> str:
    """Return what to write instead of a function that does not exist; empty if that is not known.

    Args:
        declaration: the state that asks for it.
        catalog: the functions that exist.
        beside: what else its ID declares.
    """
    module, function = declaration.module, declaration.function
    if advice := _instead_of_text(module, function, catalog) or _into_list(declaration, catalog, beside):
        return advice
    near = catalog.near(module, function)
    if not any(name.startswith(f"{module}.") for name in near) and (
        advice := instead_of_module(module, function) or _instead_of_id(declaration)
    ):
        return advice
    if advice := instead_of_state_function(module, function, near):
        return advice
    if near:
        return f"did you mean {' or '.join(near)}?"
    return (
        instead_of_keyword(module) or instead_of_block(module) or instead_of_resource(module) or catalog.hint
    )


def _instead_of_text(module: str, function: str, catalog: FunctionCatalog) -> str:
    """Return what to write instead of arguments in the place of a function; empty if it may be one."""
    if module == "cmd" and " " in function:
        return f"a command is an argument: `cmd.run: [name: {function}]`"
    if (names := _names_of(module, catalog)) is not None:
        # `cmd.run: [echo hello]`: a text in the list is read as the rest of the function's name.
        return _instead_of_item(function, names)
    if _ONE_LINE.match(function) and (advice := instead_of_module(module)):
        return f"{advice}; its arguments are a list: `- name: value`"
    return ""


def _instead_of_item(text: str, names: Collection[str]) -> str:
    """Return what to write instead of a text in the list of a function.

    Args:
        text: the text.
        names: the arguments that the function takes.
    """
    if attribute := attribute_of_hcl(text):
        return f"`=` is HCL: write `- {attribute}`"
    word, blank, value = text.partition(" ")
    if not blank or (word not in names and word != _NAME):
        return f"an argument has a name: write `- {_NAME}: {text}`"
    # `env A=1 make` may be a command.
    otherwise = f", or `- {_NAME}: {text}`" if "cwd" in names and word != _NAME else ""
    return f"a colon is missing: write `- {word}: {value.lstrip()}`{otherwise}"


def _into_list(declaration: Declaration, catalog: FunctionCatalog, beside: Collection[Declaration]) -> str:
    """Return the remedy for `contents: hi` below `file.managed:` without a dash; empty for others."""
    word = declaration.module
    if declaration.arguments or declaration.key != word or "." in word:
        return ""
    for other in beside:
        if "." in other.key and word in _arguments(other, catalog):
            return f"write it in the list of `{other.key}`: `- {word}: {declaration.function}`"
    return ""


def _arguments(declaration: Declaration, catalog: FunctionCatalog) -> Collection[str]:
    try:
        signature = catalog.signature(declaration.module, declaration.function)
    except (NotAvailableError, PluginError):
        return ()
    return signature.names if signature is not None else ()


def _instead_of_id(declaration: Declaration) -> str:
    """Return what to write instead of `import_role: {name: web}`, whose key is read as a module."""
    if "." in declaration.key:
        return ""
    id_ = declaration.id
    # `module site:` has the label of Terraform's block behind its word.
    return instead_of_block(id_) or instead_of_module(id_) or instead_of_block(id_.partition(" ")[0])


def _names_of(name: str, catalog: FunctionCatalog) -> Collection[str] | None:
    """Return the arguments of a function; None if there is no such function."""
    module, _, function = name.rpartition(".")
    try:
        signature = catalog.signature(module, function) if module else None
    except (NotAvailableError, PluginError):
        return None
    return signature.names if signature is not None else None
