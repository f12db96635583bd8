"""`ensue show`: what a project compiles to, before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_sls
from ensue.cli.deployment import DeploymentWords, deployment_options
from ensue.cli.options import pillar_options, project_options
from ensue.cli.other_tools import RESULTS_SHOWN
from ensue.cli.target_option import target_option
from ensue.cli.word_choice import WordChoice

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.data import Data
    from ensue.language.plans.shown_sls import ShownKind, ShownTarget
    from ensue.store.registry.enforced_views import ShownState

_SINGLE: Final = {
    "pillar": "`ensue call ID pillar.get {word}` shows one value, `ensue show pillar --tgt {word}` the "
    "pillar of a machine of that name",
    "top": "`ensue show top --tgt {word}` shows it for other targets",
    "enforced": "`ensue show enforced --out json | "
    "jq '.[][] | select(.id == \"{id}\" and (.is_former | not)) | {path}'`",
}
"""What shows a part, of what is shown as a whole."""

_OF_DEPLOYMENTS: Final = {
    "definitions": ("--definitions",),
    "types": ("--app", "--env", "--env-type", "--definitions"),
    "match": ("--app", "--env", "--env-type", "--definitions"),
    "active": ("--app", "--env"),
    "impact": ("--app", "--env", "--definitions"),
}
"""What is shown of deployments, and the options that have an effect on it."""

EXAMPLES = (
    ("ensue show high web.nginx", "the declarations of an SLS, templates rendered"),
    ("ensue show low web.nginx", "the states in the order they run"),
    ("ensue show pillar", "the pillar of this machine, secrets masked"),
    ("ensue show enforced", "what every state last enforced, secrets masked"),
    ("ensue show enforced --tgt web-01", "the same on one target"),
    ("ensue show top --out json", "the SLS that top.sls assigns to this machine"),
    ("ensue show top --tgt '*'", "the SLS that top.sls assigns to this machine and to every resource"),
    ("ensue show definitions", "the resource definitions of the project"),
    ("ensue show types --app shop --env dev", "the types of resources that a Score file may request there"),
    ("ensue show match postgres --app shop --env dev", "which definition a resource gets, and why"),
    ("ensue show active --app shop", "what deployments of an application have provisioned"),
    (
        "ensue show active postgres.default#modules.web.externals.db:host --app shop --env dev",
        "one output of a resource, for a script",
    ),
    ("ensue show impact", "which of these resources the current definitions would change"),
)

KINDS = ("high", "low", "pillar", "top", "enforced", "definitions", "types", "match", "active", "impact")


def _instead(word: str) -> str:
    """Return what to write instead of a word of another tool, or of the name of an SLS."""
    if word in RESULTS_SHOWN:
        return RESULTS_SHOWN[word]
    from ensue.core.model.near_names import near_names_of

    return "" if near_names_of(word, KINDS) else f"for an SLS, `ensue show low {word}`"


@click.command("show", cls=ProjectCommand, names_minion=True, examples=EXAMPLES)
@click.argument("what", metavar="|".join(KINDS), type=WordChoice(KINDS, _instead))
@click.argument("sls", metavar="[SLS|RESOURCE]...", nargs=-1, shell_complete=complete_sls)
@target_option
@deployment_options
@pillar_options
@project_options("nested", "json", "yaml", "quiet")
def command(session: Session, *, what: str, sls: tuple[str, ...], tgt: str | None, **deployment: Any) -> int:
    """Show what a project compiles to, and what it has enforced.

    high: declarations as written, templates rendered. low: one entry per state, in order, with all its
    arguments, and under __requisites__ the states that run before it. pillar: what templates see.
    top: which SLS the top file assigns. Without an SLS, high and low show the highstate. enforced: what
    every state enforced in the last apply that it took part in, without --tgt on all targets. definitions:
    the resource definitions of the project. types: the types and classes of resources that they offer, with
    an example for the type that is named. match: which of them the resource TYPE[.CLASS][#ID] gets, and why
    the others do not match. active: what deployments have provisioned, or one RESOURCE of it, or the value of
    RESOURCE:OUTPUT, which is no secret. impact: which active resources the
    current definitions, or the one that is named, would change.

    Exit code: 0 success; 1 it does not compile; 2 a resource did not answer, or nothing matched.
    """
    words = DeploymentWords(**deployment)
    _refuse_options(what, words)
    if what in _OF_DEPLOYMENTS:
        if tgt is not None:
            raise click.UsageError(f"`show {what}` is about deployments; it takes no --tgt")
        return _show_definitions(session, what, sls, words)
    _refuse_words(what, sls)
    if what == "enforced":
        return _show_enforced(session, tgt)
    from ensue.cli.salt_arguments import mods_of
    from ensue.core.model.plain_data import plain

    kind = cast("Literal['high', 'low', 'pillar', 'top']", what)
    if tgt is not None:
        return _show_targets(session, kind, tgt, mods_of(sls))

    async def work(project: AppProject) -> tuple[Data, tuple[Diagnostic, ...]]:
        shown: Data = await project.show(kind, mods_of(sls))
        return shown, await _warnings(project, kind)

    shown, warnings = session.run(work)
    code = _print(session, {session.minion_id: plain(shown)})
    session.print_diagnostics(warnings)
    return code


async def _warnings(project: AppProject, kind: ShownKind) -> tuple[Diagnostic, ...]:
    unnamed = await project.unnamed_pillar() if kind == "pillar" else ()
    return (*project.warnings(), *unnamed)


def _refuse_words(what: str, words: tuple[str, ...]) -> None:
    """Refuse words after what takes none, since they would have no effect.

    Raises:
        click.UsageError: there is such a word; the message says what shows a single value.
    """
    from ensue.cli.salt_arguments import mods_of

    if what in _SINGLE and (others := mods_of(words)):
        id_, *keys = others[0].split(":")
        instead = _SINGLE[what].format(word=others[0], id=id_, path=".".join((".new_state", *keys)))
        raise click.UsageError(
            f"`show {what}` shows everything and takes no {others[0]!r}. Instead: {instead}."
        )


def _refuse_options(what: str, words: DeploymentWords) -> None:
    """Refuse options that would have no effect.

    Raises:
        click.UsageError: there is such an option; the message says what to write instead.
    """
    effective = _OF_DEPLOYMENTS.get(what, ())
    for option in words.given:
        if option in effective:
            continue
        from ensue.cli.other_tools import instead_of_option

        instead = "" if effective else instead_of_option(option, "plan")
        advice = f" Instead: {instead}." if instead else ""
        raise click.UsageError(f"`show {what}` takes no {option}.{advice}")


def _show_targets(session: Session, kind: ShownKind, tgt: str, mods: tuple[str, ...]) -> int:
    """Print what `show` prints for every resource that a target matches, by id."""
    from ensue.core.model.plain_data import plain
    from ensue.output.colours import on_one_line

    async def work(project: AppProject) -> tuple[dict[str, ShownTarget], str, tuple[Diagnostic, ...]]:
        shown = await project.show_targets(kind, tgt, mods)
        near = "" if shown else await project.near_target(tgt)
        return shown, near, await _warnings(project, kind)

    shown, near, warnings = session.run(work)
    _print(session, {id_: plain(item.value) for id_, item in shown.items()})
    session.print_diagnostics(warnings)
    if near:
        session.lines.write(on_one_line(f"ensue: no target matched {tgt!r} ({near})"))
    return (
        exit_codes.SUCCEEDED if shown and all(answer.ok for answer in shown.values()) else exit_codes.FAILED
    )


def _show_definitions(session: Session, what: str, named: tuple[str, ...], words: DeploymentWords) -> int:
    from ensue.cli.show_definitions import show_definitions, show_match

    session.names_minion = False
    if what == "definitions":
        return show_definitions(session, words)
    if what == "types":
        from ensue.cli.show_types import show_types

        if len(named) > 1:
            raise click.UsageError("`ensue show types` takes one type, or none for all")
        return show_types(session, named[0] if named else "", words)
    if what in ("active", "impact"):
        return _show_active(session, what, named, words)
    if len(named) != 1:
        raise click.UsageError("`ensue show match` takes one resource: TYPE[.CLASS][#ID]")
    return show_match(session, named[0], words)


def _show_active(session: Session, what: str, named: tuple[str, ...], words: DeploymentWords) -> int:
    from ensue.cli.show_active import show_active, show_impact

    if what == "active":
        if len(named) > 1:
            raise click.UsageError("`ensue show active` takes one RESOURCE[:OUTPUT], or none for all")
        if named and ":" in named[0]:
            from ensue.cli.show_output import show_output

            return show_output(session, named[0], words)
        return show_active(session, named[0] if named else "", words)
    if len(named) > 1:
        raise click.UsageError("`ensue show impact` takes one definition, or none for all")
    return show_impact(session, named[0] if named else None, words)


def _show_enforced(session: Session, tgt: str | None) -> int:
    """Print the enforced states by target: this machine's under its id, those of others under their SRN."""
    from ensue.output.colours import on_one_line
    from ensue.output.enforced import enforced_data

    async def work(project: AppProject) -> tuple[list[ShownState], str]:
        shown = await project.enforced(tgt)
        return shown, "" if shown or tgt is None else await project.near_target(tgt)

    shown, near = session.run(work)
    if near:
        session.lines.write(on_one_line(f"ensue: nothing was enforced on {tgt!r} ({near})"))
    _print(session, enforced_data(shown, session.minion_id, session.masker, with_own=tgt is None))
    return exit_codes.SUCCEEDED if shown or tgt is None else exit_codes.FAILED


def _print(session: Session, document: dict[str, Any]) -> int:
    if session.out == "nested":
        from ensue.output.nested import nested_lines

        session.print_text(["\n".join(nested_lines(document, session.stdout_palette)) + "\n"])
    else:
        session.print_document(document)
    return exit_codes.SUCCEEDED
