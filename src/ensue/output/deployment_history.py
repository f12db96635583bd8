"""The history of environments, as data for programs and as text for people."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.deploy.provisioning.canonical import digest
from ensue.deploy.provisioning.set_differences import ValueDifference, delta, pointer
from ensue.output.field_lines import field_lines
from ensue.output.outcome import seconds_text
from ensue.output.presentable import presentable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.deployment_records import DeploymentRecord
    from ensue.deploy.provisioning.environment_sets import SetDocument
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.set_differences import Delta, SetContents
    from ensue.output.colours import Palette


class Compared(NamedTuple):
    """A deployment that is compared with another one.

    Args:
        record: the deployment.
        contents: what was deployed.
    """

    record: DeploymentRecord
    contents: SetContents


_DIGEST_CHARS: Final = 12

HEADINGS: Final = ("environment", "number", "started", "duration", "by", "what", "result", "resources")


def record_data(context: Context, record: DeploymentRecord, masker: Masker) -> dict[str, Any]:
    """Return a deployment as data for programs.

    Args:
        context: its environment.
        record: the deployment.
        masker: the secrets.
    """
    data = {
        "app": context.app,
        "env": context.env,
        "org": context.org,
        "env_type": record.env_type,
        "number": record.number,
        "started_at": moment(record.started_at_s),
        "ended_at": moment(record.ended_at_s) if record.ended_at_s else None,
        "by": record.by,
        "command": record.command,
        "files": list(record.files),
        "source": record.source,
        "dropped": list(record.dropped),
        "definitions": record.definitions,
        "definitions_digest": digest(record.definitions),
        "hash": record.graph,
        "ttl_s": record.ttl_s,
        "expires_at": moment(record.expires_at_s) if record.expires_at_s else None,
        "result": record.result,
        "statuses": record.statuses,
    }
    shown: dict[str, Any] = presentable(data, masker)
    return shown


def record_row(context: Context, record: DeploymentRecord) -> tuple[str, ...]:
    """Return a deployment as the row of a table with `HEADINGS`."""
    duration = seconds_text(record.ended_at_s - record.started_at_s) if record.ended_at_s else ""
    return (
        context.environment,
        str(record.number),
        moment(record.started_at_s),
        duration,
        record.by,
        what_of(record),
        record.result,
        _resources(record),
    )


def record_lines(context: Context, record: DeploymentRecord) -> Iterator[str]:
    """Yield a deployment as text, without what was deployed."""
    yield f"{context.environment} ({record.env_type}), deployment {record.number}: {record.result}"
    yield f"  what         {what_of(record)}"
    yield f"  started      {moment(record.started_at_s)} by {record.by}"
    if record.ended_at_s:
        yield f"  duration     {seconds_text(record.ended_at_s - record.started_at_s)}"
    if record.definitions:
        yield f"  definitions  {len(record.definitions)}, {digest(record.definitions)[:_DIGEST_CHARS]}"
    if record.expires_at_s:
        yield f"  expires      {moment(record.expires_at_s)}"
    if record.statuses:
        yield f"  resources    {_resources(record)}"


def document_lines(documents: tuple[SetDocument, ...]) -> Iterator[str]:
    """Yield what was deployed: each workload and shared resource, and where it came from."""
    documents_ = [
        *((f"workload {name}", document) for document in documents for name in document.workloads),
        *((f"shared {name}", document) for document in documents for name in document.shared),
    ]
    for name, document in sorted(documents_, key=lambda each: (not each[0].startswith("workload"), each[0])):
        yield f"  {name}: {document.path}:{document.first_line}, since deployment {document.since}"


def comparison_data(context: Context, before: Compared, after: Compared, masker: Masker) -> dict[str, Any]:
    """Return what differs between two deployments of an environment as data for programs.

    The modules and the shared resources are those of a deployment delta.

    Args:
        context: the environment.
        before: the first deployment.
        after: the second deployment.
        masker: the secrets.
    """
    deltas = _differing(before, after)
    modules, shared = deltas["workload"], deltas["shared"]
    data = {
        "app": context.app,
        "env": context.env,
        "org": context.org,
        "from": before.record.number,
        "to": after.record.number,
        "delta": {
            "modules": {
                "add": modules.added,
                "remove": modules.removed,
                "update": {
                    name: _operations(value_differences)
                    for name, value_differences in modules.updated.items()
                },
            },
            "shared": _operations(_as_differences(shared)),
        },
        "values": _operations(_as_differences(deltas["value"])),
        "definitions": _operations(_as_differences(deltas["definition"])),
    }
    shown: dict[str, Any] = presentable(data, masker)
    return shown


def comparison_lines(
    context: Context, before: Compared, after: Compared, masker: Masker, palette: Palette
) -> Iterator[str]:
    """Yield what differs between two deployments of an environment as text.

    Args:
        context: the environment.
        before: the first deployment.
        after: the second deployment.
        masker: the secrets.
        palette: the colours.
    """
    yield f"{context.environment}: deployment {before.record.number} → {after.record.number}"
    deltas = _differing(before, after)
    if not any(deltas.values()):
        yield "  no difference"
    for word, differing in deltas.items():
        yield from (f"  + {word} {name}" for name in differing.added)
        yield from (f"  - {word} {name}" for name in differing.removed)
        for name, differences in differing.updated.items():
            yield f"  ~ {word} {name}"
            if word != "definition":
                yield from (f"      {line}" for line in field_lines(differences, masker, palette))


def _differing(before: Compared, after: Compared) -> dict[str, Delta]:
    return {
        "workload": delta(before.contents.workloads, after.contents.workloads),
        "shared": delta(before.contents.shared, after.contents.shared),
        "value": delta(before.contents.values, after.contents.values),
        "definition": delta(before.record.definitions, after.record.definitions),
    }


def _as_differences(delta: Delta) -> Iterator[ValueDifference]:
    """Yield the differences of parts as those of one mapping that has them."""
    yield from (ValueDifference(pointer(name), "add", None, value) for name, value in delta.added.items())
    yield from (ValueDifference(pointer(name), "remove", None, None) for name in delta.removed)
    for name, differences in delta.updated.items():
        yield from (difference._replace(path=pointer(name) + difference.path) for difference in differences)


def _operations(value_differences: Iterable[ValueDifference]) -> list[dict[str, Any]]:
    return [value_difference.operation for value_difference in value_differences]


def what_of(record: DeploymentRecord) -> str:
    """Return what a deployment did, in words: `merge api.yaml, drop workload web`."""
    done = " ".join((record.command, *record.files))
    source = [f"from {record.source}"] if record.source else []
    return ", ".join((" ".join((done, *source)), *(f"drop {dropped}" for dropped in record.dropped)))


def _resources(record: DeploymentRecord) -> str:
    return ", ".join(f"{count} {status}" for status, count in record.statuses.items())


def moment(seconds: float) -> str:
    """Write a moment as ISO 8601, in local time."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
