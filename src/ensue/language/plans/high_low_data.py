"""High and low data, as `ensue show` prints them for people and tools.

The shape is Salt's. An entry of `low` has all that is written of a state, including options and requisites.
Its key `__requisites__` lists the states that these requisites resolve to, whether they were written here, in
the other state, with globs or by SLS.

Source: Salt's `state.show_highstate` and `state.show_low_sls`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.language.chunks import Draft, order_numbers
from ensue.language.fan_outs import TARGET
from ensue.language.metadata import META
from ensue.language.tree import sls_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.language.declarations import Declaration
    from ensue.language.tree import SlsTree

_LEFT_OUT: Final = frozenset({"name", "names", "state", "fun"})
"""Arguments of a declaration that its entry has under other keys, or that have no effect."""


def high_data(tree: SlsTree) -> dict[str, Any]:
    """Return the declarations of a tree after `extend`, `exclude` and `use`, and the metadata of files."""
    of_files = {sls: by_id[""] for sls, by_id in tree.metadata.items() if "" in by_id}
    shown = {id_: _body(tree, modules) for id_, modules in tree.declared.items()}
    return {META: of_files, **shown} if of_files else shown


def _body(tree: SlsTree, modules: dict[str, Declaration]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for declaration in modules.values():
        metadata = tree.metadata.get(sls_key(declaration.sls, declaration.saltenv), {})
        if declaration.id in metadata:
            body[META] = metadata[declaration.id]
    for module, declaration in modules.items():
        arguments: list[Any] = [{name: value} for name, value in declaration.arguments.items()]
        if tree.binds and (bound := _bindings_of(declaration.arguments)):
            arguments.append({"arg_bind": bound})
        arguments.append(declaration.function)
        if declaration.order is not None:
            arguments.append({"order": declaration.order})
        body |= {module: arguments, **_place(tree, declaration)}
    return body


def low_data(tree: SlsTree, plan: Plan) -> list[dict[str, Any]]:
    """Return a plan's chunks in order of execution."""
    entries = _entries(tree)
    return [
        {
            "state": chunk.module,
            "fun": chunk.function,
            "__id__": chunk.id,
            "name": chunk.name,
            **_written(tree, chunk, entries),
            **_resolved(plan, chunk),
        }
        for chunk in plan.chunks
    ]


class _NamesEntry(msgspec.Struct, frozen=True):
    """A declaration with one entry of its `names`, and the number that sorts it."""

    declaration: Declaration
    own: dict[str, Any]
    order: float


_Entries = dict[tuple[str, str, str], _NamesEntry]
"""By ID, module and name."""


def _written(tree: SlsTree, chunk: Chunk, entries: _Entries) -> dict[str, Any]:
    key = (chunk.id, chunk.module, chunk.name)
    # A state whose name is a list of words has its entry under its ID.
    entry = entries.get(key) or entries.get((chunk.id, chunk.module, chunk.id))
    if entry is None:
        return {"__sls__": chunk.sls, "__env__": chunk.saltenv, "order": chunk.order, **chunk.arguments}
    written = {**entry.declaration.arguments, **entry.own, **chunk.arguments}
    shown = {word: value for word, value in written.items() if word not in _LEFT_OUT}
    order = int(entry.order) if entry.order.is_integer() else entry.order
    return {**_place(tree, entry.declaration), **shown, "order": order}


def _place(tree: SlsTree, declaration: Declaration) -> dict[str, Any]:
    including = tree.loaded.get(sls_key(declaration.sls, declaration.saltenv), set()) - {declaration.sls}
    shown: dict[str, Any] = {"__sls__": declaration.sls, "__env__": declaration.saltenv}
    return shown | ({"__sls_included_from__": sorted(including)} if including else {})


def _named(declaration: Declaration) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of `names`: each name with the arguments below it."""
    names = declaration.arguments.get("names")
    for entry in names if is_list(names) else []:
        if is_mapping(entry) and entry:
            name, below = next(iter(entry.items()))
            own: dict[str, Any] = {}
            for item in below if is_list(below) else [below]:
                own |= item if is_mapping(item) else {}
            yield str(name), own
        else:
            yield str(entry), {}


def _entries(tree: SlsTree) -> _Entries:
    """Return the entry of each state."""
    drafts: list[Draft] = []
    owns: list[dict[str, Any]] = []
    for declaration in (module for modules in tree.declared.values() for module in modules.values()):
        named = list(_named(declaration))
        name = declaration.arguments.get("name")
        single = name if isinstance(name, str) else declaration.id
        for place, (name, own) in enumerate(named or [(single, {})], start=1 if named else 0):
            order = own.get("order", declaration.arguments.get("order", declaration.order))
            drafts.append(Draft(declaration, name, {}, order=order, name_order=place))
            owns.append(own)
    numbers = order_numbers(drafts)[0]
    return {
        (draft.declaration.id, draft.declaration.module, draft.name): _NamesEntry(
            draft.declaration, own, number
        )
        for draft, own, number in zip(drafts, owns, numbers, strict=True)
    }


def _resolved(plan: Plan, chunk: Chunk) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if chunk.requisites:
        shown["__requisites__"] = {
            requisite.kind.value: [
                {plan.chunks[place].module: plan.chunks[place].id} for place in requisite.chunks
            ]
            for requisite in chunk.requisites
        }
    if chunk.bindings is not None:
        fan_out = chunk.options.fan_out
        target = {TARGET: fan_out.expression} if fan_out is not None else {}
        if bound := _bindings_of({"name": chunk.name, **chunk.arguments, **target}):
            shown["arg_bind"] = bound
    return shown


def _bindings_of(arguments: dict[str, Any]) -> list[dict[str, list[Any]]]:
    from ensue.language.references.explicit_bindings import shown_bindings

    return shown_bindings(arguments)


__all__ = ["high_data", "low_data"]
