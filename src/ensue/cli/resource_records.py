"""How one resource is shown, and named on the command line; shared by the commands of `ensue resources`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.model.resource import ResourceRecord
    from ensue.core.model.srn import Srn

FORMS: Final = ("nested", "json", "yaml", "quiet")
"""The forms of results."""


def resource_name(text: str) -> Srn:
    """Read the name of a resource.

    Raises:
        click.BadParameter: the text is not the name of a resource.
    """
    from ensue.core.model.srn import Srn

    try:
        return Srn.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="SRN") from None


def named(name: str, known: Iterable[Srn]) -> list[Srn]:
    """Return the resources that a name may mean: one for `type:id`, every one with that id for an id alone.

    Args:
        name: what the user wrote.
        known: all resources.
    """
    from ensue.core.model.srn import Srn

    there = set(known)
    by_id = sorted(srn for srn in there if srn.id == name)
    try:
        written = Srn.parse(name)
    except ValueError:
        return by_id
    return [written] if written in there or not by_id else by_id


def record_data(record: ResourceRecord) -> dict[str, Any]:
    """Return what `resources list` says about a resource."""
    return {
        "type": record.srn.type,
        "id": record.srn.id,
        "managing_minions": list(record.managing_minions),
        "status": record.shown_status,
        "source": str(record.source) if record.source else None,
    }


async def shown_record(project: AppProject, record: ResourceRecord) -> dict[str, Any]:
    """Return what `resources show` says about a resource, for `print_record`."""
    from ensue.output.presentable import presentable

    chain = await project.provenance(record.srn)
    config = await project.resource_config(record.srn)
    gathered_at = await project.grains_gathered_at(record.srn)
    return {
        **record_data(record),
        "provenance": [str(source) for source in chain],
        "because": record.invalidated_because or record.fault,
        "grains_gathered_at": gathered_at.isoformat(timespec="seconds") if gathered_at else None,
        "config": presentable(config, project.masker),
    }


def print_record(session: Session, srn: str, data: dict[str, Any]) -> None:
    """Print what `shown_record` returned.

    Args:
        session: the command.
        srn: the heading.
        data: the resource.
    """
    because, is_wrong = data.pop("because"), data["status"] == "misconfigured"
    if session.out != "nested":
        del data["provenance"]
        session.print_document(data)
        return
    from ensue.output.nested import nested_lines

    if because:
        data["fault" if is_wrong else "invalidated_because"] = because
    lines = nested_lines({srn: data}, session.stdout_palette)
    session.print_text(["\n".join(lines) + "\n"])
