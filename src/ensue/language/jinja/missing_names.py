"""The names that a template reads and nobody defines, found in its text after a rendering has failed.

Only names that the template reads in any case are found: not in a branch, a loop or a macro, and not where it
asks whether they are defined or gives a default.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import jinja2
from jinja2 import nodes

from ensue.language.ids_in_files import declaring_files, module_in

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

_TAG: Final = re.compile(r"\{\{|\{%")


class NameRead(NamedTuple):
    """A name that a template reads.

    Args:
        name: the name.
        line: the line of the template on which it is read, counted from 1.
        keys: the attributes and keys that are read from it, `("stdout",)` in `{{ tok.stdout }}`.
        tag: the tag that decides by it, `if` or `for`; empty if it is only printed or set.
    """

    name: str
    line: int
    keys: tuple[str, ...] = ()
    tag: str = ""


def missing_names(environment: jinja2.Environment, text: str, known: Container[str]) -> Iterator[NameRead]:
    """Yield the undefined names of a template, each once, in the order of their lines.

    Args:
        environment: parses the template.
        text: the template; of a broken one, nothing is yielded.
        known: the names that the rendering defines.
    """
    try:
        tree = environment.parse(text)
    except jinja2.TemplateError:
        return
    stored = stored_names(tree)
    reported: set[str] = set()
    for name in names_in_any_case(tree):
        if name.name in known or name.name in stored or name.name in reported:
            continue
        reported.add(name.name)
        yield name


def names_in_any_case(tree: nodes.Template) -> Iterator[NameRead]:
    """Yield the names that a template reads whatever the values of its variables are."""
    for node in tree.body:
        yield from _read(node, ())


def reading_of(environment: jinja2.Environment, text: str, name: str) -> NameRead:
    """Return where a template reads a name, also in a branch or a loop; a tag that decides by it comes first.

    Args:
        environment: parses the template.
        text: the template, which has been parsed before.
        name: the name.
    """
    tree = environment.parse(text)
    for kinds in ((nodes.If, nodes.CondExpr, nodes.For), (nodes.Output,)):
        for node in tree.find_all(kinds):
            for missing in _read(node, ()):
                if missing.name == name:
                    return missing
    # It has an attribute that is given a default, or asked for: `var.region | default('x')`.
    chains = (_chain(node, ()) for node in tree.find_all((nodes.Getattr, nodes.Getitem)))
    return next((chain for chain in chains if chain is not None and chain.name == name), NameRead(name, 0))


def stored_names(tree: nodes.Template) -> frozenset[str]:
    """Return the names that a template sets, imports or defines itself."""
    stored = {node.name for node in tree.find_all(nodes.Name) if node.ctx != "load"}
    stored.update(macro.name for macro in tree.find_all(nodes.Macro))
    stored.update(import_.target for import_ in tree.find_all(nodes.Import))
    for import_ in tree.find_all(nodes.FromImport):
        stored.update(name if isinstance(name, str) else name[1] for name in import_.names)
    return frozenset(stored)


def set_names(environment: jinja2.Environment, text: str) -> frozenset[str]:
    """Return the names that a template text sets; none if it is broken."""
    try:
        return stored_names(environment.parse(text))
    except jinja2.TemplateError:
        return frozenset()


def column_of(line: str, name: str) -> int:
    """Return the column of a name in the tags of a line, counted from 1; 0 if it is not there."""
    tag = _TAG.search(line)
    match = re.compile(rf"(?<![\w.'\"]){re.escape(name)}\b").search(line, tag.end() if tag else 0)
    return match.start() + 1 if match else 0


def column_of_tag(line: str) -> int:
    """Return the column of the only tag of a line, counted from 1; 0 if there are several or none."""
    tags = list(_TAG.finditer(line))
    return tags[0].start() + 1 if len(tags) == 1 else 0


def module_of_state(id_: str, text: str, roots: tuple[Path, ...]) -> str:
    """Return the state module of a state with an ID, first of this SLS, then of others; empty if none has it.

    Args:
        id_: the ID.
        text: the SLS that is rendered.
        roots: the folders of the SLS.
    """
    return module_in(text, id_) or next((file.module for file in declaring_files(id_, roots)), "")


def _chain(node: nodes.Node, keys: tuple[str, ...]) -> NameRead | None:
    """Return the name that attributes and keys are read from; None for another expression."""
    match node:
        case nodes.Name(name=name):
            return NameRead(name, node.lineno, keys)
        case nodes.Getattr(node=inner, attr=attr):
            return _chain(inner, (attr, *keys))
        case nodes.Getitem(node=inner, arg=nodes.Const(value=value)):
            return _chain(inner, (str(value), *keys))
        case _:
            return None


def _read(node: nodes.Node, keys: tuple[str, ...], tag: str = "") -> Iterator[NameRead]:
    """Yield the names that a node reads whatever their values are."""
    match node:
        case nodes.Name(name=name, ctx="load"):
            yield NameRead(name, node.lineno, keys, tag)
        case nodes.Getattr(node=inner, attr=attr):
            yield from _read(inner, (attr, *keys), tag)
        case nodes.Getitem(node=inner, arg=nodes.Const(value=value)):
            yield from _read(inner, (str(value), *keys), tag)
        case nodes.Filter(name="default" | "d") | nodes.Macro() | nodes.CallBlock() | nodes.Block():
            return
        case nodes.Test(name="defined" | "undefined"):
            return
        case nodes.If(test=test) | nodes.CondExpr(test=test):
            yield from _read(test, (), "if")
        case nodes.For(iter=items):
            yield from _read(items, (), "for")
        case nodes.And(left=left) | nodes.Or(left=left):
            yield from _read(left, (), tag)
        case _:
            for child in node.iter_child_nodes():
                yield from _read(child, (), tag)
