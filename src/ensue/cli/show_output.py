"""`ensue show active RESOURCE:OUTPUT`: the value of one output of a resource, for a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from ensue.cli import exit_codes
from ensue.cli.show_active import active_resources

if TYPE_CHECKING:
    from ensue.cli.deployment import DeploymentWords
    from ensue.cli.session import Session
    from ensue.core.model.data import Data
    from ensue.deploy.provisioning.active import ActiveResource


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
    from ensue.output.colours import is_terminal, without_escapes

    resource, *keys = word.split(":")
    active = active_resources(session, resource, words)
    if len(active) > 1:
        environments = ", ".join(f"{context.app}/{context.env}" for context, _ in active)
        raise click.UsageError(f"{resource} is in {environments}: say which one with --app and --env")
    value = _value(active[0][1], keys)
    if session.is_for_programs:
        session.print_document(value)
    else:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        session.print_text([f"{without_escapes(text) if is_terminal(sys.stdout) else text}\n"])
    return exit_codes.SUCCEEDED


def _value(record: ActiveResource, keys: list[str]) -> Data:
    from ensue.core.model.data import is_list, is_mapping
    from ensue.core.model.near_names import near

    value: Data = record.outputs
    for count, key in enumerate(keys, 1):
        name = ":".join(keys[:count])
        if is_mapping(value) and key in value:
            value = value[key]
        elif is_list(value) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            known = map(str, value) if is_mapping(value) else ()
            raise click.UsageError(f"{record.key} has no output {name!r}{near(key, known)}")
    for path in record.secret_paths:
        if all(str(part) == key for part, key in zip(path, keys, strict=False)):
            raise click.UsageError(
                f"{record.key}: the output {':'.join(keys)!r} is secret, and is not printed "
                "(a resource, workload or SLS that refers to it gets it)"
            )
    return value
