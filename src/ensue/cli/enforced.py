"""`ensue enforced`: remove what is kept of states that earlier applies ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.group import ExampleGroup
from ensue.cli.options import global_options, project_options
from ensue.cli.target_option import narrowing_target_option
from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.store.registry.enforced_views import ShownState
    from ensue.store.registry.named_states import ForgottenStates


@click.group(
    "enforced",
    cls=ExampleGroup,
    examples=(
        ("ensue show enforced", "what every state last enforced"),
        ("ensue enforced forget motd", "the plan no longer lists what this state made"),
    ),
)
@global_options
def command() -> None:
    """Forget what earlier applies enforced; `ensue show enforced` lists it."""


@command.command(
    "forget",
    cls=ProjectCommand,
    examples=(
        ("ensue enforced forget motd", "by ID"),
        ("ensue enforced forget /etc/motd /etc/issue", "by name, two of them"),
        ("ensue enforced forget motd --tgt web-01", "on one target, which may have been forgotten itself"),
        ("ensue enforced forget --tgt web-01", "all states of that target"),
    ),
)
@click.argument("states", metavar="STATE...", nargs=-1)
@narrowing_target_option
@project_options("nested", "json", "yaml", "quiet")
def forget(session: Session, *, states: tuple[str, ...], tgt: str | None) -> int:
    """Forget what states enforced, and change nothing on any machine.

    STATE is the ID, the name or the tag of a state, or the word for it in a message. Entries of all targets
    are forgotten, with --tgt those of the targets that match: without a STATE, all of them. A plan no longer
    lists such a state as one that is no longer declared, and references to it have no value until an apply
    has run it again. If one of several words names no entry, or those of several states, nothing is
    forgotten.
    """
    if not states and tgt is None:
        raise click.UsageError("Missing argument 'STATE...'; with --tgt alone, all states of a target.")

    async def work(project: AppProject) -> tuple[ForgottenStates, str]:
        forgotten = await project.forget_enforced(states, tgt)
        is_empty = not states and not forgotten.entries
        return forgotten, await project.near_target(tgt or "") if is_empty else ""

    forgotten, near = session.run(work)
    if near:
        session.lines.write(on_one_line(f"ensue: nothing was enforced on {tgt!r} ({near})"))
    if messages := [*_refusals(session, forgotten)]:
        for message in messages:
            session.lines.write(on_one_line(f"ensue: {message}"))
        if session.is_for_programs:
            session.print_document({"errors": messages})
        return exit_codes.REFUSED
    entries = [_shown(session, entry) for entry in forgotten.entries]
    if session.out == "nested":
        session.print_text(on_one_line(f"{each['id']} ({_described(each)})") + "\n" for each in entries)
    else:
        session.print_document(entries)
    return exit_codes.SUCCEEDED if entries else exit_codes.FAILED


def _refusals(session: Session, forgotten: ForgottenStates) -> Iterator[str]:
    """Yield why nothing was forgotten."""
    import shlex  # Only a refusal needs it.

    for word, hint in forgotten.unknown.items():
        yield f"no state named {word!r} is kept ({hint})"
    for word, states in forgotten.several.items():
        exact = (
            f"{shlex.quote(name)} ({_described(_shown(session, entry))})" for name, entry in states.items()
        )
        yield f"{word!r} names several states; name one of them: {', '.join(exact)}"


def _shown(session: Session, entry: ShownState) -> dict[str, str]:
    from ensue.output.presentable import state_name

    masker, state = session.masker, entry.state
    return {
        "id": masker.name(state.id),
        "function": f"{state.module}.{state.function}",
        "name": state_name(state.name, state.id, masker),
        "sls": state.sls,
        "target": entry.target,
        "environment": entry.environment,
    }


def _described(entry: dict[str, str]) -> str:
    """Return an entry without its ID, in words."""
    name = "" if entry["name"] == entry["id"] else f" {entry['name']}"
    environment = f", {entry['environment']}" if entry["environment"] else ""
    return f"{entry['function']}{name} in {entry['sls']}, {entry['target']}{environment}"
