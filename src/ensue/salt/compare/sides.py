"""What each of the two programs makes of a tree, in one shape: compiled states in order, and their plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.language.requisite_names import MERGED_BY_EXTEND

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.diagnostics import Diagnostic

_NO_ARGUMENTS: Final = MERGED_BY_EXTEND | {
    *("name", "names", "name_order", "order", "state", "fun", "arg_bind", "listen_in"),
}
"""Keys of low data that say where a state comes from and when it runs, and are not arguments."""


class CompiledState(msgspec.Struct, frozen=True, kw_only=True):
    """One compiled state.

    Args:
        tag: `{module}_|-{id}_|-{name}_|-{function}`.
        id: its ID.
        name: its name.
        function: `module.function`.
        sls: where it is declared.
        arguments: what it is called with, global options (`onlyif`, `retry`) included.
        has_requisites: whether its result depends on other states.
    """

    tag: str
    id: str
    name: str
    function: str
    sls: str
    arguments: Mapping[str, Any]
    has_requisites: bool


class PlannedState(msgspec.Struct, frozen=True, kw_only=True):
    """What a state would do, according to a program's plan.

    Args:
        result: True: nothing would change; None: something would change; False: it fails.
        changes: what would change.
        comment: for a reader.
        ran: whether its function was called; False if a requisite or a condition prevented that.
        is_open: whether the plan says that only an apply can know it.
    """

    result: bool | None
    changes: Any
    comment: str
    ran: bool
    is_open: bool = False


class CompileRefusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a program does not compile a tree.

    Args:
        code: the code of ensue's diagnostic; empty for a refusal of Salt's.
        message: the whole message.
        summary: the text that it shares with others of its kind.
        place: the file and line, if they are known.
    """

    code: str = ""
    message: str
    summary: str
    place: str = ""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One program's side of a comparison.

    Args:
        states: the compiled states in the order in which they would run; empty if the tree does not compile.
        refusals: why the tree does not compile; empty if it does.
        plan: what each state would do, by tag; None if there is no plan.
        plan_failed: why there is no plan although one was requested; empty otherwise.
    """

    states: tuple[CompiledState, ...] = ()
    refusals: tuple[CompileRefusal, ...] = ()
    plan: Mapping[str, PlannedState] | None = None
    plan_failed: str = ""


class SaltSide(Side, frozen=True, kw_only=True):
    """Salt's side.

    Args:
        version: its release.
        python: the interpreter that ran it.
        log: the errors that it logged while it compiled.
        functions: how often templates looked up an execution function, by its name.
        renderers: how often a renderer was used, by its name.
        unknown: state functions that Salt lacks, too.
        pillar: the compiled pillar; it is never shown, and its secrets are masked.
    """

    version: str
    python: str
    log: tuple[str, ...] = ()
    functions: Mapping[str, int] = {}
    renderers: Mapping[str, int] = {}
    unknown: frozenset[str] = frozenset()
    pillar: Mapping[str, Any] = {}


def compiled_states(low: Iterable[Mapping[str, Any]]) -> tuple[CompiledState, ...]:
    """Return the states of low data, in the order in which they run.

    Args:
        low: chunks in the shape of `state.show_low_sls`, made of mappings, lists and scalars. Salt lists a
            state that another one names in `prereq` twice, first for its check: that entry is left out.
    """
    known: set[str] = set()
    states: list[CompiledState] = []
    for chunk in reversed(list(low)):
        state = _compiled(chunk)
        if not chunk.get("__prereq__") or state.tag not in known:
            known.add(state.tag)
            states.append(state)
    return tuple(reversed(states))


def _compiled(chunk: Mapping[str, Any]) -> CompiledState:
    module, function = str(chunk.get("state", "")), str(chunk.get("fun", ""))
    id_, name = str(chunk.get("__id__", "")), str(chunk.get("name", ""))
    arguments = {
        word: value
        for word, value in chunk.items()
        if word not in _NO_ARGUMENTS and not word.startswith("__")
    }
    return CompiledState(
        tag=f"{module}_|-{id_}_|-{name}_|-{function}",
        id=id_,
        name=name,
        function=f"{module}.{function}",
        sls=str(chunk.get("__sls__", "")),
        arguments=arguments,
        has_requisites=not MERGED_BY_EXTEND.isdisjoint(chunk),
    )


def own_refusal(diagnostic: Diagnostic) -> CompileRefusal:
    """Return a diagnostic of ensue's as a refusal."""
    return CompileRefusal(
        code=diagnostic.code,
        message=diagnostic.message,
        summary=diagnostic.summary,
        place=str(diagnostic.span) if diagnostic.span else "",
    )
