"""`ensue keys`: the keys that secrets are encrypted with."""

from __future__ import annotations

import sys
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
    examples=(
        ("ensue keys rotate", "make a new key, and encrypt everything stored with it"),
        ("ensue keys encrypt", "encrypt a value for pillar; it is asked for without being shown"),
    ),
)
@global_options
def command() -> None:
    """Encrypt values for pillar; change the key of stored secrets."""


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


@command.command(
    "encrypt",
    cls=ProjectCommand,
    examples=(
        ("ensue keys encrypt", "ask for a value, and print it as a PGP message for a file of pillar"),
        ("ensue keys encrypt --recipient ops@example.org", "encrypt for another key than the project's own"),
    ),
)
@click.option(
    "--recipient",
    "recipients",
    multiple=True,
    metavar="KEY",
    help="A key that can decrypt it, by id, fingerprint or address; may be given again. Default: the only "
    "secret key in `gpg_keydir`.",
)
@click.argument("words", nargs=-1, metavar="")
@project_options(*FORMS)
def encrypt(session: Session, recipients: tuple[str, ...], words: tuple[str, ...]) -> int:
    """Encrypt a value for a file of pillar that ends in `gpg` (`#!yaml|gpg`).

    The value comes from standard input; on a terminal it is asked for and not shown. The message is indented
    as the text below a key: `password: |`.
    """
    if words:
        # The message does not repeat them, since they are secrets.
        raise click.UsageError(
            "the value is no argument, which other users of this machine would see: it is asked for on a "
            "terminal, or comes from standard input, `ensue keys encrypt < FILE`"
        )
    plain = _value()

    async def work(project: AppProject) -> str:
        return await project.encrypted(plain, recipients)

    message = session.run(work)
    if session.out == "nested":
        session.print_text([f"  {line}\n" for line in message.splitlines()])
    else:
        session.print_document({"message": message})
    return exit_codes.SUCCEEDED


def _value() -> str:
    """Return the value to encrypt.

    Raises:
        click.ClickException: standard input is not UTF-8 text.
    """
    if sys.stdin.isatty():
        value: str = click.prompt("Value", hide_input=True, err=True)
        return value
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise click.UsageError("the value is not UTF-8 text") from None
