"""From the data of one SLS file to declarations, one per ID and state module.

A declaration may be short (`id: pkg.installed`) or have several modules per ID, with arguments as a list of
one-key mappings. Any other form is a diagnostic.

Source: Salt's "highstate" data structure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.model.data import is_encodable, is_list, is_mapping
from ensue.language.declaration_faults import (
    instead_of,
    instead_of_other_keyword,
    refuse_body,
    refuse_glued,
    refuse_half_pair,
    refuse_id,
    refuse_second,
    warn_of_second,
)
from ensue.language.metadata import META
from ensue.language.requisite_names import ADDED_UP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

TOP_LEVEL_WORDS: Final = frozenset({"include", "extend", "exclude", META})
_NEVER_TWICE: Final = frozenset({"delayed_render", "registers"})
"""Options of ensue that may not be repeated; of a repeated option of Salt's the last one wins, as there."""
_DASHES: Final = "put a dash before each argument: `- name: value`"
_GLUED: Final = re.compile(r"([a-z_]\w*):(\S.*)")
"""An item like `name:/etc/motd`, in which the blank after the colon is missing."""

EntryPlace: TypeAlias = "tuple[str, YamlDocument, tuple[str | int, ...]]"
"""Where an entry of a list is written: the SLS, its file, and the path to it in the file."""


class Declaration(msgspec.Struct):
    """One state declaration of an SLS. `extend` and `use` change it, so it is not frozen.

    Args:
        id: the ID.
        module: the state module (`file`, `cloud.instance`).
        function: the function; empty if none is named (an `extend` need not name one).
        arguments: one-key mappings in the order of the file, with unchanged values.
        sls: the SLS it is in.
        document: the file.
        key: how the file spells module and function (`file.managed`, `file`); empty for a short declaration.
        order: the number that sorts it; None until it has one.
        saltenv: the environment the SLS was found in.
        delayed_from: where each entry of `delayed_render` is written: SLS, file, and the path to it there;
            empty if no other SLS added one.
        borrowed: arguments that `extend`, `use` or a hand-written `arg_bind` added: the file in which each is
            written, and the path to it there.
    """

    id: str
    module: str
    function: str
    arguments: dict[str, Any]
    sls: str
    document: YamlDocument
    key: str
    order: float | str | None = None
    saltenv: str = "base"
    delayed_from: tuple[EntryPlace, ...] = ()
    borrowed: dict[str, tuple[YamlDocument, tuple[str | int, ...]]] | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The path of the declaration in its document."""
        return (self.id, self.key) if self.key else (self.id,)

    def span(self, *below: str | int) -> Span:
        """Return the place of the declaration, or of one of its arguments."""
        return self.document.locate((*self.keys, *below))

    def written_at(self, *argument: str | int) -> tuple[YamlDocument, tuple[str | int, ...]]:
        """Return the file in which an argument is written, and the path to it there.

        Args:
            argument: the argument's name, then keys and indices below it.
        """
        if self.borrowed and argument and (place := self.borrowed.get(str(argument[0]))):
            document, keys = place
            return document, (*keys, *argument[1:])
        return self.document, (*self.keys, *argument)

    def is_copied_by_use(self, argument: str) -> bool:
        """Return whether `use` copied an argument from another state."""
        place = self.borrowed.get(argument) if self.borrowed else None
        return place is not None and place[1][0] != "extend"

    def borrow(self, argument: str, place: tuple[YamlDocument, tuple[str | int, ...]]) -> None:
        """Record that an argument is written in another place."""
        self.borrowed = {**(self.borrowed or {}), argument: place}


def read_declarations(
    data: Mapping[Any, Any], sls: str, document: YamlDocument, collector: Collector
) -> dict[str, dict[str, Declaration]]:
    """Return the declarations of an SLS by ID and module, without its `include`, `extend` and `exclude`."""
    declared: dict[str, dict[str, Declaration]] = {}
    for raw_id, body in data.items():
        if raw_id in TOP_LEVEL_WORDS:
            continue
        if not isinstance(raw_id, str):
            refuse_id(raw_id, document, collector)
            continue
        if not is_encodable(raw_id):
            refuse_half_pair(f"the ID {raw_id!r}", document.locate((raw_id,)), collector)
            continue
        id_ = raw_id
        if body.__class__ is str:
            declaration = _short(id_, body, sls, document, collector)
            if declaration is not None:
                declared[id_] = {declaration.module: declaration}
        elif body.__class__ is dict or is_mapping(body):
            declared[id_] = read_body(id_, body, sls, document, collector)
        else:
            refuse_body(id_, data, document, collector)
    return declared


def _short(id_: str, body: str, sls: str, document: YamlDocument, collector: Collector) -> Declaration | None:
    module, dot, function = body.strip().rpartition(".")
    if not dot or not module or not function:
        collector.error(
            "E0304",
            f"{id_!r} names no state function",
            document.locate((id_,)),
            detail=f"{body!r} is not of the form module.function",
            help=instead_of(id_)
            or "write for example `file.managed`, or indent the declaration under the ID",
        )
        return None
    return Declaration(
        id=id_, module=module, function=function, arguments={}, sls=sls, document=document, key=""
    )


def read_body(
    id_: str,
    body: Mapping[Any, Any],
    sls: str,
    document: YamlDocument,
    collector: Collector,
    *,
    above: tuple[str, ...] = (),
) -> dict[str, Declaration]:
    """Return the declarations of one ID by module."""
    if (usual := _usual(id_, body, sls, document)) is not None:
        return {usual.module: usual}
    if len(body) > 1:
        from ensue.language.words_beside_functions import without_words_beside

        body = without_words_beside(id_, body, document, above, collector)
    modules: dict[str, Declaration] = {}
    for key, arguments in _in_order(body):
        place = (*above, id_, key)
        listed = _argument_list(key, arguments, document, place, collector)
        if listed is None:
            continue
        module, dot, function = key.rpartition(".")
        if not dot:
            module, function = key, ""
        merged, functions = _merged_arguments(listed, document, place, collector)
        if not dot and functions:
            # The long form: `pkg:` with the function as one item of the list.
            function = functions.pop()
        elif dot and functions:
            # `cloud.instance: [present, …]`: the key is the module path, the item is the function.
            module, function = key, functions.pop()
        if functions:
            collector.error(
                "E0305",
                f"{id_!r} names several functions of {module!r}",
                document.locate(place),
                detail=f"{', '.join([*functions, function])} are in one list",
                help=instead_of_other_keyword(module)
                or ("an argument has a name: `- name: …`" if dot else "give each function an ID of its own"),
            )
        if module in modules:
            collector.error(
                "E0305",
                f"{id_!r} declares {module!r} twice",
                document.locate(place),
                detail=f"{modules[module].key} already declares it",
                help="one ID can hold one function of each state module: give the other an ID of its own",
            )
            continue
        modules[module] = Declaration(id_, module, function, merged, sls, document, key)
    return modules


def _usual(id_: str, body: Mapping[Any, Any], sls: str, document: YamlDocument) -> Declaration | None:
    """Return the declaration of an ID in the most common form; None for any other form."""
    if len(body) != 1:
        return None
    for key, listed in body.items():
        if key.__class__ is str and listed.__class__ is list and key[:1] != "_":
            module, dot, function = _parts(key)
            if dot and (merged := _plain_arguments(listed)) is not None:
                # Positional arguments: with keywords, this call takes as long as all the rest.
                return Declaration(id_, module, function, merged, sls, document, key)
    return None


def _in_order(body: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    """Return the content of an ID in the order it runs: keys without a dot (`cmd:`), then the others."""
    entries = [
        (key, arguments)
        for raw, arguments in body.items()
        if not (key := str(raw)).startswith("__") and key != META
    ]
    return sorted(entries, key=lambda entry: "." in entry[0])


@lru_cache(maxsize=1024)
def _parts(key: str) -> tuple[str, str, str]:
    """Return module, dot and function; all declarations share the text objects."""
    return key.rpartition(".")


def _plain_arguments(listed: list[Any]) -> dict[str, Any] | None:
    """Return the arguments of a list of mappings whose keys are text and unique, or None."""
    merged: dict[str, Any] = {}
    for item in listed:
        if item.__class__ is not dict:
            return None
        for name, value in item.items():
            if name.__class__ is not str or name in merged:
                return None
            merged[name] = value
    return merged


def _argument_list(
    key: str, arguments: Any, document: YamlDocument, place: Sequence[str], collector: Collector
) -> list[Any] | None:
    if is_list(arguments):
        return arguments
    if arguments is None:
        return []
    if isinstance(arguments, str) and "." not in key:
        return [arguments]
    if is_mapping(arguments):
        collector.error(
            "E0307",
            f"the arguments of {place[-2]!r} are a mapping",
            document.locate(place),
            detail=f"{key if '.' in key else 'a state function'} takes a list of one-key mappings",
            help=_without_blank(arguments)
            or instead_of(place[-2])
            or _block_meant(place[-2], key)
            or f"{_function_instead_of(key)}{_DASHES}",
        )
        return None
    collector.error(
        "E0307",
        f"the arguments of {place[-2]!r} are not a list",
        document.locate(place),
        detail=f"{key} is followed by {arguments!r}",
        help=instead_of(place[-2]) or f"{_function_instead_of(key)}{_DASHES}",
    )
    return None


def _merged_arguments(
    listed: Sequence[Any], document: YamlDocument, place: Sequence[str], collector: Collector
) -> tuple[dict[str, Any], list[str]]:
    merged: dict[str, Any] = {}
    functions: list[str] = []
    for index, item in enumerate(listed):
        if item.__class__ is str:
            if glued := _GLUED.fullmatch(item):
                refuse_glued(glued[1], glued[2], document, (*place, index), collector)
                continue
            functions.append(item)
        elif is_mapping(item):
            # Later arguments win, as in Salt; every key becomes text, whatever YAML read it as.
            for name, value in item.items():
                if name in merged and name in _NEVER_TWICE:
                    refuse_second(name, document, (*place, index), collector)
                if name in merged and name in ADDED_UP and is_list(value) and is_list(merged[name]):
                    merged[name] = [*merged[name], *value]
                    continue
                word = name if name.__class__ is str else str(name)
                if word in merged and word not in _NEVER_TWICE and merged[word] != value:
                    warn_of_second(word, value, document, (*place, index), collector)
                merged[word] = value
        elif item is not None:
            collector.warning(
                "E0307",
                f"an argument of {place[-2]!r} is ignored: it is neither a name with a value nor a function",
                document.locate((*place, index)),
                detail=f"the item is {item!r}",
                help="write `- name: value`",
            )
    return merged, functions


def _without_blank(arguments: Mapping[Any, Any]) -> str:
    """Return the remedy for `-name: value`, which YAML reads as a key that begins with a dash."""
    name = next((str(key) for key in arguments if str(key).startswith("-")), "")
    return f"put a blank after the dash: `- {name[1:]}: value`" if name[1:] else ""


def _function_instead_of(key: str) -> str:
    """Return what to write instead of a module of another tool, as the beginning of a remedy."""
    from ensue.language.function_words import instead_of_collection_module

    advice = instead_of_collection_module(key)
    return f"{advice}; " if advice else ""


def _block_meant(id_: str, key: str) -> str:
    """Return what to write instead of `data: {http: …}`, a block of Terraform; else empty."""
    from ensue.language.hcl_words import instead_of_block

    return "" if "." in key else instead_of_block(id_)
