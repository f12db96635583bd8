"""`ensue keys`: the keys that secrets are stored with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.group import ExampleGroup
from ensue.cli.options import global_options, project_options

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session

FORMS = ("nested", "json", "yaml", "quiet")


@click.group(
    "keys",
    cls=ExampleGroup,
    examples=(("ensue keys rotate", "make a new key, and encrypt everything stored with it"),),
)
@global_options
def command() -> None:
    """Manage the keys that stored secrets are encrypted with."""


@command.command(
    "rotate",
    cls=ProjectCommand,
    examples=(
        ("ensue keys rotate", "write a new key to the key file, and encrypt configurations with it"),
        ('ENSUE_KEY="$NEW,$OLD" ensue keys rotate', "the same where the key comes from the environment"),
    ),
)
@project_options(*FORMS)
def rotate(session: Session) -> int:
    """Encrypt every stored configuration with a new key; what older keys encrypted stays readable."""

    async def work(project: AppProject) -> int:
        return await project.rotate_keys()

    count = session.run(work)
    if session.out == "nested":
        session.print_text([f"{count} configurations were encrypted with a new key\n"])
    else:
        session.print_document({"reencrypted": count})
    return exit_codes.SUCCEEDED
