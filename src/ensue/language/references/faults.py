"""The errors about references, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.enforced import environment_phrase
from ensue.core.model.property_grammar import quoted
from ensue.language.collector import near_names
from ensue.language.result_words import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.diagnostics import Span
    from ensue.core.model.enforced import EnforcedState, RanElsewhere
    from ensue.core.model.reference import Reference
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.references.grammar import Malformed
    from ensue.language.references.producers import Producers

_MOST_SHOWN: Final = 10
_OF_TEMPLATES: Final = ("pillar", "grains", "opts")
_CONDITIONS: Final = frozenset({"unless", "onlyif", "creates"})


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """An error in a text, whatever state contains it.

    Args:
        text: the reference.
        code: the diagnostic's code.
        summary: what happened.
        detail: why.
        help: how to mend it.
        related: places of the states that are mentioned.
        is_told: whether the cause has already been reported: the named state was refused.
    """

    text: str
    code: str
    summary: str
    detail: str = ""
    help: str = ""
    related: tuple[tuple[Span, str], ...] = ()
    is_told: bool = False


class Faults:
    """Makes and reports the errors about references in one scope.

    Args:
        drafts: all drafts of the scope.
        producers: the drafts as references find them.
        collector: collects the errors.
        is_resource: whether the scope is one of a resource, which sees no state of another.
        block_of: returns the delayed block whose text declares an ID; empty if none does.
    """

    def __init__(
        self,
        drafts: Sequence[Draft],
        producers: Producers,
        collector: Collector,
        *,
        is_resource: bool = False,
        block_of: Callable[[str], str],
    ) -> None:
        self._block_of = block_of
        self._is_resource = is_resource
        self._drafts = drafts
        self._producers = producers
        self._collector = collector

    def tell(self, fault: Fault, span: Span) -> None:
        """Report an error at a place."""
        if fault.is_told:
            return
        self._collector.error(
            fault.code, fault.summary, span, detail=fault.detail, help=fault.help, related=fault.related
        )

    def tell_of_itself(self, draft: Draft, reference: Reference, span: Span) -> None:
        """Report a state that is bound to itself."""
        self._collector.error(
            "E0804",
            f"{draft.declaration.id!r} is bound to itself",
            span,
            detail=f"{reference.text} reads what the state returns, which is known only after it has run",
            help="write the value itself, or bind to another state",
        )

    def in_option(self, draft: Draft, option: str, reference: Reference, span: Span) -> None:
        """Report a reference in a state option."""
        self._collector.error(
            "E0806",
            f"`{option}` of {draft.declaration.id!r} holds {reference.text}",
            span,
            detail="state options are read before a state's arguments are bound",
            help=f"use it in an argument, or write {escaped(reference.text)} for the text itself"
            + (f"; to decide by the result of another state, use {BLOCK}" if option in _CONDITIONS else ""),
        )

    def warn_of_lookalike(self, piece: str, id_: str, reference: str, span: Span) -> None:
        """Warn of a text that names a state of this run but is not a reference."""
        self._collector.warning(
            "E0407",
            f"{piece} is not a reference and stays as it is",
            span,
            detail=f"{id_!r} is a state of this run",
            help=f"write {reference} to read what the state returns",
        )

    def warn_of_interpolation(self, piece: str, instead: str, span: Span, *, is_terraforms: bool) -> None:
        """Warn of an interpolation of Terraform, or of what templates read, which stays as it is."""
        is_terraforms = is_terraforms and not piece.removeprefix("${").startswith(_OF_TEMPLATES)
        kind = "Terraform's" if is_terraforms else "no reference"
        self._collector.warning(
            "E0872",
            f"{piece} is {kind} and stays as it is",
            span,
            detail="an SLS is a template of Jinja: an expression is {{ … }}",
            help=f"write {instead}",
        )

    def warn_of_undeclared(self, reference: Reference, entry: EnforcedState, span: Span) -> None:
        """Warn of a reference to a state that an SLS of this run no longer declares."""
        self._collector.warning(
            "E0866",
            f"{reference.text} reads what an earlier apply left",
            span,
            detail=f"SLS {entry.sls!r} no longer declares {reference.id!r}, so no apply changes the value",
            help=self._instead_of_undeclared(reference),
        )

    def _instead_of_undeclared(self, reference: Reference) -> str:
        near = near_names(reference.id, self._producers.ids_below(reference.path))
        return f"{near} If not, declare it again, or write the value itself".removeprefix(" If not, ")

    def malformed(self, piece: Malformed) -> Fault:
        """Return the error for a text with the three parts of a reference that cannot be read."""
        return Fault(
            text=piece.text,
            code="E0803",
            summary=f"{piece.text} is not a reference",
            detail=piece.problem,
            help=f"a reference is ${{state:id:property}}; write {escaped(piece.text)} for the text itself",
        )

    def elsewhere(self, reference: Reference) -> Fault:
        """Return the error for a reference to another minion in a run that is not one over minions."""
        return Fault(
            text=reference.text,
            code="E0877",
            summary=f"{reference.text} reads from another minion",
            detail="only a run over minions has the returns of other minions",
            help=f"{on_another_host(reference.minion)}. Between minions of Salt, run `ensue apply --tgt` "
            f"on the master, "
            f"with a target that matches both; or write {escaped(reference.text)} for the text itself",
        )

    def nothing(self, reference: Reference, elsewhere: RanElsewhere) -> Fault:
        """Return the error for a reference to no state of its scope, in this run or an earlier one.

        Args:
            reference: the reference.
            elsewhere: where earlier applies ran such a state.
        """
        path, id_ = reference.path, reference.id
        scopes, environments = elsewhere.scopes, elsewhere.environments
        modules = self._producers.modules_of(id_)
        whose = "among the states of this target, " if self._is_resource else ""
        near = near_names(id_, self._producers.ids_below(path))
        block = self._block_of(id_)
        if modules:
            near = f"{id_!r} is declared with {', '.join(modules)}: did you mean `{modules[0]}:{id_}`?"
        elif owners := self._producers.modules_of(path):
            whole = f"${{{owners[0]}:{reference.text.removeprefix('${')}"
            near = f"{path!r} is the ID of a state, and its module comes first: did you mean {whole}?"
        elif block or scopes:
            where = (
                f"the delayed block {block!r} declares it"
                if block
                else f"an earlier apply ran it in {scopes[0]}"
            )
            near = (
                f"{where}, and its states are a scope of their own, which begins later: put the state with "
                "the reference there, too."
            )
        elif environments:
            where = " and ".join(map(environment_phrase, environments))
            near = (
                f"an apply {where} ran it, and its value belongs to that environment: apply it in this one."
            )
        elif path in _OF_TEMPLATES and not near:
            rest = reference.text.removeprefix("${").removesuffix("}").replace(":", ".")
            near = f"{path} is read in a template: write {{{{ {rest} }}}}."
        meant = f"{near} Or " if near else "declare it, or include the SLS that does; or "
        if self._is_resource and not near:
            meant = f"{meant.removesuffix('; or ')}. {on_another_host(reference.selector or '')}. Or "
        return Fault(
            text=reference.text,
            code="E0801",
            summary=f"{reference.text} names no state",
            detail=f"{whose}{path!r} has no state of the ID or name {id_!r}"
            + (" in this scope" if block or scopes else ", in this run or an earlier one")
            + (" of its environment" if environments else ""),
            help=f"{meant}write {escaped(reference.text)} for the text itself",
            is_told=self._collector.may_be_declared(id_),
        )

    def no_instance(self, reference: Reference, instances: Sequence[int]) -> Fault:
        """Return the error for a missing instance of an existing state."""
        there = self._names(instances)
        return Fault(
            text=reference.text,
            code="E0801",
            summary=f"{reference.text} names no state",
            detail=f"{reference.id!r} has no instance {reference.selector!r}; it has {there}",
            help=f"{_instead_of(reference, there, len(instances))}; "
            f"or write {escaped(reference.text)} for the text itself",
            related=self._places(instances),
        )

    def ambiguous(self, reference: Reference, numbers: Sequence[int]) -> Fault:
        """Return the error for a reference that means several states, or several instances of one."""
        declarations = {id(self._drafts[number].declaration): number for number in numbers}
        if len(declarations) == 1:
            first = self._drafts[numbers[0]]
            return Fault(
                text=reference.text,
                code="E0802",
                summary=f"{reference.text} means several states",
                detail=f"{reference.id!r} has the instances {self._names(numbers)}",
                help=f"name one: `{quoted(reference.id)}[{quoted(first.name)}]`",
                related=self._places(numbers[:1]),
            )
        declared = [self._told(number) for number in declarations.values()]
        return Fault(
            text=reference.text,
            code="E0802",
            summary=f"{reference.text} means several states",
            detail=" and ".join(declared) if len(declared) < 3 else ", ".join(declared[:_MOST_SHOWN]),  # noqa: PLR2004 - "a and b"
            help="write the whole module path, or the ID instead of the name",
            related=self._places(list(declarations.values())),
        )

    def ambiguous_before(
        self, reference: Reference, entries: Sequence[EnforcedState], *, are_gone: bool
    ) -> Fault:
        """Return the error for a reference that means several states of earlier applies.

        Args:
            reference: the reference.
            entries: what they enforced.
            are_gone: whether SLS of this run declared all of them, and no longer do.
        """
        entries_ = [
            f"{entry.id!r} ({entry.module}, name {entry.name!r}) of SLS {entry.sls}" for entry in entries
        ]
        if are_gone:
            slses = ", ".join(dict.fromkeys(repr(entry.sls) for entry in entries))
            return Fault(
                text=reference.text,
                code="E0802",
                summary=f"{reference.text} names a state that is no longer declared",
                detail=f"earlier applies of SLS {slses} ran several: {', '.join(entries_[:_MOST_SHOWN])}",
                help=self._instead_of_undeclared(reference),
            )
        return Fault(
            text=reference.text,
            code="E0802",
            summary=f"{reference.text} means several states",
            detail=f"none of this run, but several of earlier applies: {', '.join(entries_[:_MOST_SHOWN])}",
            help=_each_of_earlier(entries),
        )

    def not_kept(self, reference: Reference, cut: str) -> Fault:
        """Return the error for an earlier state whose output was too long to be kept whole."""
        return Fault(
            text=reference.text,
            code="E0720",
            summary=f"{reference.text} reads an output that was cut",
            detail=f"{reference.id!r} is not in this run, and {cut!r} of what the last apply enforced was cut"
            " (`keep_output_bytes`)",
            help="include the SLS of that state, or set `keep_output_bytes` higher and apply that SLS again",
        )

    def outer(self, reference: Reference) -> Fault:
        """Return the error for a reference to a state of an enclosing scope."""
        return Fault(
            text=reference.text,
            code="E0805",
            summary=f"{reference.text} names a state in another scope",
            detail=f"{reference.id!r} is in an enclosing scope; "
            "a reference names only states of its own scope",
            help="use `prev_ret`, what the calling state returned, or a variable of a `scoped` block; to "
            f"hand it on, let the caller be a `test.present` with `new_state: {{value: {reference.text}}}`, "
            "and read `prev_ret.new_state.value`",
        )

    def _told(self, number: int) -> str:
        declaration = self._drafts[number].declaration
        return f"{declaration.id!r} ({declaration.module}.{declaration.function}, {declaration.span()})"

    def _names(self, numbers: Sequence[int]) -> str:
        names = [repr(self._drafts[number].name) for number in numbers]
        more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
        return ", ".join(names[:_MOST_SHOWN]) + more

    def _places(self, numbers: Sequence[int]) -> tuple[tuple[Span, str], ...]:
        shown = (self._drafts[number].declaration for number in numbers[:_MOST_SHOWN])
        return tuple(dict.fromkeys((declaration.span(), declaration.id) for declaration in shown))


def on_another_host(host: str) -> str:
    """Return how a state reads a value of another host that this machine manages.

    Args:
        host: the id of the other host, if it is known.
    """
    return (
        f"If another host has the value, write the state that finds it here, with `- tgt: {host or 'HOST'}`: "
        "then ${module:ID:property} reads it (the page A value from another host has examples)"
    )


def escaped(reference: str) -> str:
    """Return a reference escaped, so that it is literal text."""
    return f"${reference}"


def _instead_of(reference: Reference, names: str, count: int) -> str:
    """Return the remedy for an instance that does not exist; `[*]` means all at once, which nothing reads."""
    if count == 1:
        return f"there is only one, so leave out `[{reference.selector}]`"
    if reference.selector == "*":
        return f"all instances at once cannot be read: write a list with a reference to each of {names}"
    return "name one of these"


def _each_of_earlier(entries: Sequence[EnforcedState]) -> str:
    """Return how to mean one of the states of earlier applies."""
    if len({(entry.module, entry.id) for entry in entries}) > 1:
        return "write the whole module path, or the ID instead of the name"
    names = dict.fromkeys(entry.name for entry in entries)
    if len(names) == len(entries) and all(name.isprintable() for name in names):
        instances = [f"`{quoted(entries[0].id)}[{quoted(name)}]`" for name in names]
        return f"name one: {' or '.join(instances[:_MOST_SHOWN])}"
    return (
        "include the SLS of the one that is meant, give one of them another ID, or, if one no longer "
        "counts, forget it: `ensue enforced forget` with this ID names each"
    )
