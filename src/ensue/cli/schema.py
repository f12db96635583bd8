"""`ensue schema`: JSON Schemas, with which editors check and complete files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.options import project_options
from ensue.cli.word_choice import WordChoice

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.contracts.function_docs import Documentation, FunctionDoc

EXAMPLES = (
    ("ensue schema sls > sls.schema.json", "for SLS: all state functions and their arguments"),
    ("ensue schema ensue.yaml", "for ensue.yaml"),
    ("ensue schema definition", "for resource definitions"),
    ("ensue schema events", "for the lines of --events"),
)


_FILES = ("sls", "ensue.yaml", "definition", "events")


@click.command("schema", cls=ProjectCommand, examples=EXAMPLES)
@click.argument("file", metavar="|".join(_FILES), type=WordChoice(_FILES))
@project_options("json", "yaml", "quiet")
def command(session: Session, *, file: str) -> int:
    """Print a JSON Schema, with which editors check and complete files.

    The dialect is 2020-12. The schema for SLS has the state functions that come with ensue, and those of the
    project's `_states`. If Salt is installed beside ensue, it accepts other functions, too.

    Exit code: 0 success; 1 a file of the project does not load.
    """
    session.print_document(_schema(session, file))
    return exit_codes.SUCCEEDED


def _schema(session: Session, file: str) -> dict[str, Any]:
    if file == "ensue.yaml":
        from ensue.language.settings.options_schema import options_schema

        return options_schema()
    if file == "events":
        from ensue.output.event_schema import events_schema

        return events_schema()
    if file == "definition":
        from ensue.deploy.provisioning.definition_schema import definition_schema

        return definition_schema()
    from ensue.language.functions.sls_schema import sls_schema
    from ensue.salt.bridge.salt_bridge import SaltBridge

    def work(project: AppProject) -> Awaitable[list[FunctionDoc]]:
        return project.documented(_state_functions)

    return sls_schema(session.run(work), is_open=SaltBridge.is_there())


def _state_functions(docs: Documentation) -> list[FunctionDoc]:
    """Return the documentation of all state functions of a project."""
    modules = (docs.module("states", name) for name in docs.modules("states"))
    names = [f"{module.name}.{name}" for module in modules if module for name in module.functions]
    return [function for name in names if (function := docs.function("states", name)) is not None]
