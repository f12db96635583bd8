"""`ensue show active RESOURCE:OUTPUT`: the value of one output of a resource, for a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from ensue.cli import exit_codes
from ensue.cli.show_active import active_resources, shown_outputs

if TYPE_CHECKING:
    from ensue.cli.deployment import DeploymentWords
    from ensue.cli.session import Session


def show_output(session: Session, word: str, words: DeploymentWords) -> int:
    """Print the value of an output: a text as it is, anything else as JSON.

    Args:
        session: the session of the command.
        word: `TYPE.CLASS#ID:OUTPUT`, with the keys below it after further colons.
        words: the environment.

    Raises:
        ConfigurationError: the environment has no record of the resource.
        UsageError: there is no such output, it is secret, or several environments have the resource.
    """
    from ensue.core.model.paths import AbsentKeyError, value_at
    from ensue.core.model.plain_data import plain
    from ensue.output.colours import is_terminal, without_escapes

    resource, *keys = word.split(":")
    active = active_resources(session, resource, words)
    if len(active) > 1:
        environments = ", ".join(f"{context.app}/{context.env}" for context, _ in active)
        raise click.UsageError(f"{resource} is in {environments}: say which one with --app and --env")
    record = active[0][1]
    try:
        value = value_at(record.outputs, keys)
    except AbsentKeyError as error:
        raise click.UsageError(error.sentence(str(record.key), "output ", ":")) from None
    try:
        is_shown = value_at(shown_outputs(record, session.masker), keys) == plain(value)
    except AbsentKeyError:  # a secret around it is hidden
        is_shown = False
    if not is_shown:
        raise click.UsageError(
            f"{record.key}: the output {':'.join(keys)!r} is secret, and is not printed "
            "(a resource, workload or SLS that refers to it gets it)"
        )
    if session.is_for_programs:
        session.print_document(value)
    else:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        session.print_text([f"{without_escapes(text) if is_terminal(sys.stdout) else text}\n"])
    return exit_codes.SUCCEEDED
