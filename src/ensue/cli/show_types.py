"""`ensue show types`: which types and classes of resources an environment offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.cli import exit_codes
from ensue.deploy.provisioning.evaluation import json_text
from ensue.deploy.provisioning.params_schemas import listed_params

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.deployment import DeploymentWords
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.offers import Offer
    from ensue.deploy.provisioning.params_schemas import ListedParam


def show_types(session: Session, type_: str, words: DeploymentWords) -> int:
    """Print the types and classes that definitions offer; of one type, with an example."""
    given = {"app_id": words.app, "env_id": words.env, "env_type": words.env_type}
    fields = {name: value for name, value in given.items() if value}

    async def work(project: AppProject) -> tuple[list[Offer], list[Diagnostic]]:
        active = [record for _, record in await project.active_resources(words.app, words.env)]
        return project.deployments(words.definitions).offers(active, fields, type_)

    offers, warnings = session.run(work)
    session.print_diagnostics(warnings)
    if session.is_for_programs:
        session.print_document([_data(offer) for offer in offers])
        return exit_codes.SUCCEEDED
    headings = ("type", "class", "definition", "driver", "outputs")
    rows = [
        (offer.type, offer.class_, definition.id, definition.driver, _outputs(offer))
        for offer in offers
        for definition in offer.definitions
    ]
    session.print_table(headings, rows)
    for offer in offers if type_ else ():
        for definition in offer.definitions:
            _print_params(session, definition)
        session.print_text([f"\n{offer.example}"])
    return exit_codes.SUCCEEDED


def _print_params(session: Session, definition: Definition) -> None:
    """Print the params that a definition has a schema for."""
    if definition.params_schema is None:
        return
    session.print_text([f"\nparams ({definition.id}):\n"])
    rows = [
        (listed_param.name, listed_param.type or "any", _default(listed_param), _described(listed_param))
        for listed_param in listed_params(definition.params_schema)
    ]
    session.print_table(("name", "type", "default", "description"), rows)


def _default(param: ListedParam) -> str:
    return json_text(param.default) if param.has_default else "(required)" if param.is_required else ""


def _described(param: ListedParam) -> str:
    permitted = f"one of {param.permitted}" if param.permitted else ""
    return "; ".join(filter(None, (param.description.rstrip("."), permitted)))


def _outputs(offer: Offer) -> str:
    """Return the outputs by name; what is not known is said by the first deployment."""
    named = [f"{name} (secret)" if name in offer.secrets else name for name in offer.outputs]
    return ", ".join(named) or "known after the first deployment"


def _data(offer: Offer) -> dict[str, Any]:
    return {
        "type": offer.type,
        "class": offer.class_,
        "definitions": [
            {
                "id": definition.id,
                "driver": definition.driver,
                "criteria": [dict(criterion.fields) for criterion in definition.criteria],
                "place": str(definition.place.span()),
                **_schema_data(definition),
            }
            for definition in offer.definitions
        ],
        "outputs": [{"name": name, "secret": name in offer.secrets} for name in offer.outputs],
        "example": offer.example,
    }


def _schema_data(definition: Definition) -> dict[str, Any]:
    """Return the schema of a definition, and what it says of each parameter; nothing if it has none."""
    schema = definition.params_schema
    if schema is None:
        return {}
    return {
        "params": [_param_data(listed_param) for listed_param in listed_params(schema)],
        "params_schema": schema.data,
    }


def _param_data(param: ListedParam) -> dict[str, Any]:
    return {
        "name": param.name,
        "type": param.type,
        "required": param.is_required,
        **({"default": param.default} if param.has_default else {}),
        "description": param.description,
    }
