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
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.store.registry.enforced_views import ShownState


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
    ),
)
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@narrowing_target_option
@project_options("nested", "json", "yaml", "quiet")
def forget(session: Session, *, states: tuple[str, ...], tgt: str | None) -> int:
    """Forget what states enforced, and change nothing on any machine.

    STATE is the ID, the name or the tag of a state. Entries of all targets are forgotten, with --tgt those of
    the targets that match. A plan no longer lists such a state as one that is no longer declared, and
    references to it have no value until an apply has run it again. If one of several words names no entry,
    nothing is forgotten.
    """

    async def work(project: AppProject) -> tuple[list[ShownState], dict[str, str]]:
        return await project.forget_enforced(states, tgt)

    forgotten, unknown = session.run(work)
    if unknown:
        messages = [f"no state named {name!r} is kept ({hint})" for name, hint in unknown.items()]
        for message in messages:
            session.lines.write(on_one_line(f"ensue: {message}"))
        if session.is_for_programs:
            session.print_document({"errors": messages})
        return exit_codes.REFUSED
    _print(session, forgotten)
    return exit_codes.SUCCEEDED


def _print(session: Session, forgotten: list[ShownState]) -> None:
    from ensue.output.presentable import state_name

    masker = session.masker
    entries = [
        {
            "id": masker.name(entry.state.id),
            "function": f"{entry.state.module}.{entry.state.function}",
            "name": state_name(entry.state.name, entry.state.id, masker),
            "sls": entry.state.sls,
            "target": entry.target,
        }
        for entry in forgotten
    ]
    if session.out == "nested":
        session.print_text(
            on_one_line(f"{each['id']} ({each['function']} in {each['sls']}, {each['target']})") + "\n"
            for each in entries
        )
    else:
        session.print_document(entries)
