"""`extend`, `exclude`, `use` and `use_in`: declarations that change other declarations.

Source: Salt's "extend", "exclude", "use"; behaviour measured in Salt 3008.5.
"""

from __future__ import annotations

import copy
import fnmatch
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.language.collector import near_names
from ensue.language.requisite_names import MERGED_BY_EXTEND, REQUISITE_OPTIONS
from ensue.language.tree import sls_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration, EntryPlace
    from ensue.language.tree import ExtendEntry, SlsTree


_NEVER_USED: Final = frozenset({"name", "names", "order", "delayed_render", "arg_bind"})
"""Arguments that `use` does not copy."""


def apply_extensions(tree: SlsTree, collector: Collector) -> None:
    """Merge everything under `extend:` into the declarations it names."""
    for extension in tree.extensions:
        if _is_excluded(tree, extension.sls):
            continue
        _extend(tree, extension, collector)


def _extend(tree: SlsTree, extension: ExtendEntry, collector: Collector) -> None:
    for module, addition in extension.declarations.items():
        target = _find(tree, extension.id, module)
        if target is None and extension.id in tree.declared:
            # The ID exists without this module: extending adds the module, as in Salt.
            tree.declared[extension.id][module] = addition
        elif target is None and not collector.may_be_declared(extension.id):
            collector.error(
                "E0309",
                f"cannot extend {extension.id!r}: no such ID in this run",
                extension.span,
                help=near_names(extension.id, tree.declared) or "include the SLS that declares it",
            )
        elif target is not None:
            if module == "stateconf":
                from ensue.language.stateconf.unread import refuse_unread_values

                refuse_unread_values(tree, extension, target, collector)
            _merge(target, addition)


def _merge(target: Declaration, addition: Declaration) -> None:
    if addition.function:
        target.function = addition.function
    for name, value in addition.arguments.items():
        old = target.arguments.get(name)
        if (name in MERGED_BY_EXTEND or name == "arg_bind") and is_list(old) and is_list(value):
            target.arguments[name] = [*old, *value]
            continue
        if name == "delayed_render":
            _add_delayed(target, old, addition)
            continue
        if name == "name":
            target.arguments.pop("names", None)
        target.arguments[name] = copy.deepcopy(value)
        target.borrow(name, (addition.document, ("extend", *addition.keys, name)))


def _add_delayed(target: Declaration, old: Any, addition: Declaration) -> None:
    """Add entries of `delayed_render`; a block's name is looked up in the SLS that wrote the entry."""
    word = "delayed_render"
    new: Any = addition.arguments[word]
    known: list[Any] = old if is_list(old) else [] if old is None else [old]
    added: list[Any] = new if is_list(new) else [new]
    before = target.delayed_from or _entry_places(target, target.keys, len(known))
    behind = _entry_places(addition, ("extend", *addition.keys), len(added))
    target.arguments[word] = [*known, *added]
    target.delayed_from = (*before, *behind)


def _entry_places(declaration: Declaration, keys: tuple[str, ...], count: int) -> tuple[EntryPlace, ...]:
    word = "delayed_render"
    sls = sls_key(declaration.sls, declaration.saltenv)
    return tuple((sls, declaration.document, (*keys, word, place)) for place in range(count))


def _find(tree: SlsTree, id_or_name: str, module: str) -> Declaration | None:
    modules = tree.declared.get(id_or_name)
    if modules and module in modules:
        return modules[module]
    named = [
        declaration
        for declaration in _declarations(tree)
        if declaration.module == module and _named(declaration, id_or_name)
    ]
    return named[0] if len(named) == 1 else None


def _named(declaration: Declaration, name: str) -> bool:
    names = declaration.arguments.get("names")
    return declaration.arguments.get("name") == name or (is_list(names) and name in names)


def _declarations(tree: SlsTree) -> Iterator[Declaration]:
    for modules in tree.declared.values():
        yield from modules.values()


def apply_exclusions(tree: SlsTree) -> None:
    """Remove everything that `exclude:` names."""
    if not tree.excluded_ids and not tree.excluded_sls:
        return
    for id_ in list(tree.declared):
        modules = tree.declared[id_]
        kept = {
            name: declaration
            for name, declaration in modules.items()
            if not _is_excluded(tree, declaration.sls)
        }
        if id_ in tree.excluded_ids or not kept:
            del tree.declared[id_]
        else:
            tree.declared[id_] = kept


def _is_excluded(tree: SlsTree, sls: str) -> bool:
    return any(fnmatch.fnmatchcase(sls, pattern) for pattern in tree.excluded_sls)


def apply_use(tree: SlsTree, collector: Collector) -> None:
    """Copy arguments along `use` and `use_in`, except names, requisites and arguments that exist already.

    Copied arguments are not copied on, whatever the order of the declarations.
    """
    pairs: list[tuple[Declaration, Declaration]] = []
    for declaration in [
        declaration
        for declaration in _declarations(tree)
        if "use" in declaration.arguments or "use_in" in declaration.arguments
    ]:
        pairs += [
            (source, declaration)
            for source in _used(tree, declaration, declaration.arguments.pop("use", None), collector)
        ]
        pairs += [
            (declaration, target)
            for target in _used(tree, declaration, declaration.arguments.pop("use_in", None), collector)
        ]
    own = {id(declaration): dict(declaration.arguments) for pair in pairs for declaration in pair}
    for source, target in pairs:
        _copy_arguments(source, target, own)


def _used(
    tree: SlsTree, declaration: Declaration, references: Any, collector: Collector
) -> Iterator[Declaration]:
    if references is None:
        return
    for reference in references if is_list(references) else [references]:
        pairs = reference.items() if is_mapping(reference) else [("id", reference)]
        for module, name in pairs:
            target = _find_used(tree, str(module), str(name))
            if target is None and not collector.may_be_declared(str(name)):
                collector.warning(
                    "E0501",
                    f"{declaration.id!r} uses {module}: {name}, which is not in this run",
                    declaration.span(),
                    detail="it is ignored",
                    help=near_names(str(name), tree.declared) or "declare it, or include the SLS that does",
                )
            elif target is not None:
                yield target


def _find_used(tree: SlsTree, module: str, name: str) -> Declaration | None:
    if module != "id":
        return _find(tree, name, module)
    modules = tree.declared.get(name)
    return next(iter(modules.values())) if modules else None


def _copy_arguments(source: Declaration, target: Declaration, own: Mapping[int, Mapping[str, Any]]) -> None:
    """Copy all arguments that the target does not set; later sources override earlier ones."""
    for name, value in own[id(source)].items():
        if name in _NEVER_USED or name in REQUISITE_OPTIONS or name in own[id(target)]:
            continue
        target.arguments[name] = copy.deepcopy(value)
        target.borrow(name, source.written_at(name))
