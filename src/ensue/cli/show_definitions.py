"""`ensue show definitions` and `ensue show match`: the resource definitions, and which one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ensue.cli import exit_codes

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.deployment import DeploymentWords
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.identity import Descriptor
    from ensue.deploy.provisioning.matching import DefinitionCandidate


def show_definitions(session: Session, words: DeploymentWords) -> int:
    """Print all definitions, sorted by type and id."""
    from ensue.deploy.provisioning.definitions import as_data

    async def work(project: AppProject) -> tuple[list[Definition], list[Diagnostic]]:
        return project.deployments(words.definitions).definitions()

    definitions, warnings = session.run(work)
    session.print_diagnostics(warnings)
    if session.is_for_programs:
        session.print_document([as_data(definition) for definition in definitions])
        return exit_codes.SUCCEEDED
    headings = ("type", "definition", "driver", "criteria", "place")
    rows = [
        (
            definition.type,
            definition.id,
            definition.driver,
            _criteria_words(definition),
            str(definition.place.span()),
        )
        for definition in definitions
    ]
    session.print_table(headings, rows)
    return exit_codes.SUCCEEDED


def show_match(session: Session, word: str, words: DeploymentWords) -> int:
    """Print how well each definition matches a resource, the chosen one first.

    Returns:
        The exit code: 2 when none matches.
    """
    from ensue.deploy.provisioning.identity import DEFAULT_CLASS, parse_descriptor

    resource = parse_descriptor(word)
    if "@" in word:
        raise click.UsageError(
            f"`show match` takes the type of a resource of deployments, not a target. Instead: "
            f"`ensue call {word} test.ping` answers for each machine that it matches."
        )
    if resource is None:
        raise click.UsageError(f"{word!r}: write TYPE, TYPE.CLASS, TYPE#ID or TYPE.CLASS#ID")
    class_ = resource.class_ or DEFAULT_CLASS

    async def work(project: AppProject) -> list[DefinitionCandidate]:
        values = {
            "res_id": _id_of(resource),
            "env_id": words.env,
            "app_id": words.app,
            "env_type": words.env_type or await _kept_env_type(project, words),
        }
        return project.deployments(words.definitions).candidates(resource.type, class_, values)

    candidates = session.run(work)
    if session.is_for_programs:
        session.print_document([_candidate_data(candidate) for candidate in candidates])
    elif candidates:
        rows = [(candidate.definition.id, _verdict(candidate), _why(candidate)) for candidate in candidates]
        session.print_table(("definition", "verdict", "why"), rows)
    else:
        session.lines.write(f"ensue: no definition is for the type {resource.type!r}")
    is_found = any(candidate.is_chosen for candidate in candidates)
    return exit_codes.SUCCEEDED if is_found else exit_codes.FAILED


async def _kept_env_type(project: AppProject, words: DeploymentWords) -> str | None:
    """Return the type of the environment that is named; None if it is not known."""
    from ensue.core.errors import ConfigurationError

    if not (words.app and words.env):
        return None
    try:
        return await project.kept_env_type(words.context(needs_type=False))
    except ConfigurationError:
        return None


def _id_of(resource: Descriptor) -> str | None:
    """Return the resource's id; an implicit one has its type as id."""
    from ensue.deploy.provisioning.identity import IMPLICIT

    is_implicit = resource.id is None and resource.type in IMPLICIT
    return resource.type if is_implicit else resource.id


def _candidate_data(candidate: DefinitionCandidate) -> dict[str, Any]:
    from ensue.deploy.provisioning.definitions import criterion_data

    criterion = candidate.criterion
    return {
        "definition": candidate.definition.id,
        "matches": not candidate.failures,
        "chosen": candidate.is_chosen,
        "criterion": None if criterion is None else criterion_data(criterion),
        "why": _why(candidate),
        "place": str((criterion or candidate.definition).place.span()),
    }


def _verdict(candidate: DefinitionCandidate) -> str:
    if candidate.is_chosen:
        return "chosen"
    return "no match" if candidate.failures else "less specific"


def _why(candidate: DefinitionCandidate) -> str:
    if candidate.failures:
        return "; ".join(candidate.failures)
    return f"matches {str(candidate.criterion) or 'any resource'}"


def _criteria_words(definition: Definition) -> str:
    if not definition.criteria:
        return "none: never chosen"
    return ", ".join(str(criterion) or "any" for criterion in definition.criteria)
