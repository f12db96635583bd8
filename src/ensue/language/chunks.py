"""From declarations to draft chunks: names, arguments, options and order numbers, each function checked.

A draft becomes a `Chunk` once its requisites are resolved and its order is known.

Source: Salt's low data; order numbers measured in Salt 3008.5.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.signature import ANY_ARGUMENTS
from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.model.chunk import NO_OPTIONS, StateOptions
from ensue.core.model.data import is_encodable, is_list, is_mapping
from ensue.core.model.numbers import finite
from ensue.language.ansible_words import instead_of_keyword
from ensue.language.argument_check import REFUSED, ArgumentCheck
from ensue.language.collector import Collector
from ensue.language.declaration_faults import refuse_half_pair
from ensue.language.fan_outs import FAN_OUT_WORDS, is_fanned, with_fan_out
from ensue.language.option_faults import OptionFaults
from ensue.language.option_words import OPTION_WORDS
from ensue.language.options import has_conditions, read_options
from ensue.language.references.detection import holds_sign
from ensue.language.requisite_names import DROPPED, MERGED_BY_EXTEND
from ensue.language.result_words import loop_over
from ensue.language.targeting.vocabulary import NO_NAMES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from ensue.core.contracts.functions import FunctionCatalog
    from ensue.core.contracts.signature import Signature
    from ensue.language.argument_check import OnUnknown
    from ensue.language.declarations import Declaration
    from ensue.language.targeting import Vocabulary

_WORDS: Final = OPTION_WORDS | MERGED_BY_EXTEND | DROPPED | FAN_OUT_WORDS | {"name", "names", "arg_bind"}
_NAME_ALONE: Final = frozenset({"name"})
_NAME_STEP: Final = 10000.0
_LAST: Final = 1_000_000


class Draft(msgspec.Struct, eq=False):
    """A chunk before its requisites are resolved: they still name other states by text.

    Args:
        declaration: the declaration that it comes from.
        name: the state's name.
        arguments: the arguments of the function call.
        options: state options.
        requisites: requisite words with their references as written.
        name_order: its place in `names`, from 1; 0 without `names`.
        order: the order number, written or from its place in the file; None without either.
        fault: why its function cannot be called, for a state that fails because of it; empty if it can.
        signature: what its function accepts; any arguments if it cannot be called.
    """

    declaration: Declaration
    name: str
    arguments: dict[str, Any]
    options: StateOptions = NO_OPTIONS
    requisites: dict[str, Any] | None = None
    name_order: int = 0
    order: Any = None
    fault: str = ""
    signature: Signature = ANY_ARGUMENTS

    @property
    def label(self) -> str:
        """The text that sorts drafts of the same order."""
        declaration = self.declaration
        return f"{declaration.module}{self.name}{declaration.function}"


class Drafter:
    """Makes drafts of declarations and checks their functions, arguments and targets.

    Args:
        catalog: the state functions.
        collector: collects the errors.
        vocabulary: the names that targets may use.
        on_unknown: what happens if a function does not exist, or does not take the arguments.

    Attributes:
        registering: the drafts with `registers`.
        fanned: the drafts with a `tgt`.
    """

    def __init__(
        self,
        catalog: FunctionCatalog,
        collector: Collector,
        vocabulary: Vocabulary = NO_NAMES,
        *,
        on_unknown: OnUnknown = REFUSED,
    ) -> None:
        self._vocabulary = vocabulary
        self._catalog = catalog
        self._collector = collector
        self._check = ArgumentCheck(collector, ignores=on_unknown.argument == "ignore")
        self._signatures: dict[tuple[str, str, str], Signature | None] = {}
        self._on_unknown = on_unknown
        self._plain: dict[tuple[str, ...], Signature] = {}
        self.registering: list[Draft] = []
        self.fanned: list[Draft] = []

    def drafts(self, declared: Mapping[str, Mapping[str, Declaration]]) -> list[Draft]:
        """Return the drafts of all that is declared: by ID, then by module."""
        drafts: list[Draft] = []
        plain = self._plain
        for modules in declared.values():
            for declaration in modules.values():
                known = plain.get((declaration.module, declaration.function, *declaration.arguments))
                if known and (named := _name_and_rest(declaration)) and known.types.accept(named[1]):
                    order = declaration.order
                    drafts.append(Draft(declaration, *named, NO_OPTIONS, None, 0, order, "", known))
                    continue
                count = len(drafts)
                drafts += self._of(declaration, modules.values())
                if len(drafts) == count:
                    self._collector.refused.add(declaration.id)
        return drafts

    def requisites_of(self, module: str, function: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the requisites that a module declares for all states of a function."""
        signature = self._signatures.get((module, function, ""))
        return signature.requisites if signature is not None else ()

    def keys_of(self, draft: Draft) -> Collection[str]:
        """Return the keys that the `new_state` of a state may have; none if they are not known."""
        declaration = draft.declaration
        signature = self._signatures.get((declaration.module, declaration.function, ""))
        if signature is None or not signature.is_ours or draft.options.fan_out is not None or draft.fault:
            return ()
        return self._catalog.new_state_keys(declaration.module, declaration.function)

    @property
    def has_requisites(self) -> bool:
        """Return whether any function that was looked up declares requisites for all of its states."""
        return any(signature is not None and signature.requisites for signature in self._signatures.values())

    def _of(self, declaration: Declaration, of_id: Collection[Declaration]) -> Iterable[Draft]:
        if not declaration.function:
            from ensue.language.function_words import instead_of_module
            from ensue.language.hcl_words import instead_of_argument, instead_of_resource

            state = declaration.arguments.get("state")
            near = self._catalog.near(declaration.module, state) if isinstance(state, str) else ()
            self._collector.error(
                "E0306",
                f"{declaration.id!r} names no function of {declaration.module!r}",
                declaration.span(),
                help=instead_of_module(declaration.module)
                or instead_of_keyword(declaration.module)
                or instead_of_argument(declaration.module)
                or instead_of_resource(declaration.module)
                or (f"write `{near[0]}`; there is no argument `state`" if near else "")
                or f"write `{declaration.module}.function:`, or the function as one item of the list",
            )
            return ()
        target = declaration.arguments.get("tgt")
        signature = self._signature(declaration, target if isinstance(target, str) else "", of_id)
        if not isinstance(signature, Diagnostic):
            return self._drafts(declaration, signature)
        if self._on_unknown.function == "refuse":
            self._collector.add([signature])
            return ()
        drafts = [*self._drafts(declaration, ANY_ARGUMENTS)]
        for draft in drafts:
            draft.fault = _told([signature])
        return drafts

    def _drafts(self, declaration: Declaration, signature: Signature) -> Iterable[Draft]:
        arguments = declaration.arguments
        names = arguments.get("names", [])
        if names == []:  # as in Salt, an empty list counts as no `names`
            return (self._draft(declaration, signature, arguments, declaration.id, 0),)
        return self._named(declaration, signature, names)

    def _named(self, declaration: Declaration, signature: Signature, names: Any) -> Iterator[Draft]:
        if isinstance(names, str) and holds_sign(names):
            self._collector.error(
                "E0806",
                f"`names` of {declaration.id!r} is {names}",
                declaration.span("names"),
                detail="the states are known before anything runs; what a state returns is not",
                help=loop_over(names),
            )
            return
        if not is_list(names):
            self._collector.error(
                "E0311",
                f"`names` of {declaration.id!r} is not a list",
                declaration.span("names"),
                help="write one `- name` per line under names:, or `names: []` if there may be none",
            )
            return
        seen: set[str] = set()
        for place, entry in enumerate(names, start=1):
            own: dict[str, Any] = {}
            name = entry
            if is_list(entry) and signature.takes_words:
                self._collector.error(
                    "E0406",
                    f"`names` of {declaration.id!r} holds a list",
                    declaration.span("names", place - 1),
                    help="give each command an ID of its own, and the list as its `name`",
                )
                continue
            if is_mapping(entry) and entry:
                name, extra = next(iter(entry.items()))
                for item in extra if is_list(extra) else [extra]:
                    own.update(item if is_mapping(item) else {})
            text = str(name)
            if text in seen:
                continue
            seen.add(text)
            arguments = {**declaration.arguments, **own, "name": text}
            yield self._draft(declaration, signature, arguments, text, place)

    def _draft(
        self, declaration: Declaration, signature: Signature, arguments: dict[str, Any], name: str, place: int
    ) -> Draft:
        words = _WORDS.intersection(arguments)
        options, requisites, order = NO_OPTIONS, None, declaration.order
        refused = Collector() if self._on_unknown.argument == "fail" else self._collector
        if words:
            arguments = dict(arguments)
            name = self._name_of(declaration, signature, arguments, name, place)
            if not is_encodable(name):
                refuse_half_pair(f"the name {name!r}", declaration.span("name"), self._collector)
            arguments.pop("names", None)
            requisites = _requisites(arguments, signature)
            order = arguments.get("order", order)
            accepts = partial(signature.takes_option, arguments)
            ignores = self._on_unknown.argument == "ignore"
            options = read_options(declaration, arguments, accepts, self._collector, ignores=ignores)
            if is_fanned(words):
                vocabulary, collector = self._vocabulary, self._collector
                options = with_fan_out(
                    options, declaration, arguments, accepts, vocabulary=vocabulary, collector=collector
                )
            if options.runas and "runas" not in arguments and not has_conditions(options):
                self._check.warn_of_runas(declaration, signature)
            if "state" in words:
                self._check.check_state(declaration, signature, arguments["state"], refused)
            for word in words & DROPPED:
                arguments.pop(word, None)
        used = self._check.without_unused(declaration, signature, arguments)
        is_right = self._check.accepts(declaration, signature, used, refused) and used is arguments
        arguments = used
        if is_right and words <= _NAME_ALONE:
            # More states of this function with the same names are right too, if their values are.
            key = (declaration.module, declaration.function, *declaration.arguments)
            self._plain[key] = signature
        fault = _told(refused.errors) if refused is not self._collector else ""
        draft = Draft(declaration, name, arguments, options, requisites, place, order, fault, signature)
        if options.registers:
            self.registering.append(draft)
        if options.fan_out is not None:
            self.fanned.append(draft)
        return draft

    def _name_of(
        self, declaration: Declaration, signature: Signature, arguments: dict[str, Any], name: str, place: int
    ) -> str:
        """Return the name of a state, and take `name` out of its arguments unless it is a list of words."""
        is_given = "name" in arguments
        given = arguments.pop("name", None)
        if isinstance(given, str) and not place:
            return given
        if is_list(given) and signature.takes_words:
            from ensue.language.words import name_of_words, read_words

            arguments["name"] = read_words(given, declaration, self._collector)
            return name_of_words(given)
        if is_given and not isinstance(given, str):
            is_command = signature.takes_words and isinstance(given, bool | int | float)
            ignores = not is_command or self._on_unknown.argument == "ignore"
            OptionFaults(declaration, self._collector, ignores=ignores).report_name(given)
        return name

    def _signature(
        self, declaration: Declaration, target: str, of_id: Collection[Declaration]
    ) -> Signature | Diagnostic:
        """Return the signature of a function, or what is wrong with its name."""
        function = (declaration.module, declaration.function)
        key = (*function, target)
        if key not in self._signatures:
            try:
                self._signatures[key] = (
                    self._catalog.fanned_signature(*key) if target else self._catalog.signature(*function)
                )
            except PluginError as error:
                help_ = "fix the module, or remove it"
                return Diagnostic(code="E0405", summary=str(error), span=declaration.span(), help=help_)
            except NotAvailableError as error:
                return Diagnostic(code="E0401", summary=str(error), span=declaration.span())
        signature = self._signatures[key]
        if signature is not None:
            return signature
        from ensue.language.missing_functions import instead_of_function

        return Diagnostic(
            code="E0401",
            summary=f"there is no state function {declaration.module}.{declaration.function}",
            span=declaration.span(),
            detail=f"{declaration.id!r} asks for it",
            help=instead_of_function(declaration, self._catalog, of_id),
        )


def _name_and_rest(declaration: Declaration) -> tuple[str, dict[str, Any]] | None:
    """Return a state's name, and its arguments without the name; None if the name is not plain text."""
    arguments = declaration.arguments
    if "name" not in arguments:
        return declaration.id, arguments
    arguments = arguments.copy()
    name = arguments.pop("name")
    return (name, arguments) if name.__class__ is str and is_encodable(name) else None


def _told(faults: list[Diagnostic]) -> str:
    return "\n".join(f"{fault.code}: {fault.message}" for fault in faults)


def _requisites(arguments: dict[str, Any], signature: Signature) -> dict[str, Any]:
    """Remove the requisites from arguments; a function with a parameter of that name is given it as well."""
    words = [word for word in arguments if word in MERGED_BY_EXTEND]
    return {word: arguments[word] if word in signature.names else arguments.pop(word) for word in words}


def order_numbers(drafts: list[Draft]) -> tuple[list[float], list[float]]:
    """Return each draft's order number, and the number with which it pulls others forward.

    `first` is 0; `last` and negative numbers count from the end; a draft without an order is in the
    middle; the place in `names` adds ten-thousandths.
    """
    cap = 1.0
    for draft in drafts:
        order = draft.order
        if isinstance(order, int) and order > 0 and order > cap - 1 and finite(order) is not None:
            cap = order + 100
    pulls = [_number(draft.order, cap) for draft in drafts]
    orders: list[float] = []
    for draft, pull in zip(drafts, pulls, strict=True):
        order = pull + draft.name_order / _NAME_STEP
        orders.append(order + cap + _LAST if order < 0 else order)
    return orders, pulls


def _number(order: Any, cap: float) -> float:
    match order:
        case int() | float():
            number = finite(order)
            return cap if number is None else number
        case "first":
            return 0
        case "last":
            return cap + _LAST
        case _:
            return cap
