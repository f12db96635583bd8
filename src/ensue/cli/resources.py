"""`ensue resources`: list what can be targeted and where it came from, and remove it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_srn
from ensue.cli.group import ExampleGroup
from ensue.cli.options import NEAR_CUTOFF, global_options, pillar_options, project_options
from ensue.cli.resource_records import FORMS, named, print_record, record_data, shown_record
from ensue.cli.resources_refresh import refresh
from ensue.cli.resources_register import register
from ensue.core.model.left_things import left_words
from ensue.output.colours import on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.resource import ResourceRecord
    from ensue.core.model.srn import Srn

_ENVIRONMENTS: Final = "starting_state"
"""The type of the sources that environments are."""

_ORIGINS: Final = {
    "pillar": "pillar",
    "discovered": "discovered",
    "derived": "derived",
    "itself": "this machine",
}
"""What the table has for a resource that was not derived from another one."""


@click.group(
    "resources",
    cls=ExampleGroup,
    examples=(
        ("ensue resources list", "everything that can be targeted, and what it was derived from"),
        ("ensue resources show ssh_host:jumphost-env-01", "one resource, its configuration masked"),
    ),
)
@global_options
def command() -> None:
    """List, refresh, register and forget what can be targeted."""


command.add_command(refresh)
command.add_command(register)


@command.command(
    "list",
    cls=ProjectCommand,
    examples=(
        ("ensue resources list", "a table: name, status, chain of sources, managing minions"),
        ("ensue resources list --out json", "{srn: {type, id, managing_minions, status, source}}"),
    ),
)
@pillar_options
@project_options(*FORMS)
def list_(session: Session) -> int:
    """List every resource: this machine, those that pillar declares, and derived ones."""

    async def work(project: AppProject) -> tuple[list[ResourceRecord], tuple[Diagnostic, ...]]:
        return await project.resources(), (*project.warnings(), *await project.unassigned_resources())

    records, warnings = session.run(work)
    if session.out == "nested":
        session.print_text([_table(session, records)])
    else:
        session.print_document({str(record.srn): record_data(record) for record in records})
    session.print_diagnostics(warnings)
    return exit_codes.SUCCEEDED


def _table(session: Session, records: list[ResourceRecord]) -> str:
    from ensue.output.tables import table_text

    derived = {record.srn: record for record in records if record.source is not None}
    rows: list[tuple[str, ...]] = [
        (
            str(record.srn),
            record.shown_status,
            " <- ".join(_chain(record, derived)) or _ORIGINS[record.origin],
            ", ".join(record.managing_minions),
        )
        for record in records
    ]
    columns: tuple[str, ...] = ("resource", "status", "source", "managed by")
    reasons = [record.invalidated_because or record.fault for record in records]
    if any(reasons):
        columns = (*columns, "because")
        rows = [(*row, reason) for row, reason in zip(rows, reasons, strict=True)]
    return table_text(columns, rows, session.stdout_palette)


def _chain(record: ResourceRecord, derived: dict[Srn, ResourceRecord]) -> list[str]:
    """Return the sources of a resource, nearest first; a circular chain ends where it closes."""
    chain: dict[Srn, str] = {}
    link: ResourceRecord | None = record
    while link is not None and link.source is not None and link.source not in chain:
        chain[link.source] = link.source_label or str(link.source)
        link = derived.get(link.source)
    return list(chain.values())


@command.command(
    "show",
    cls=ProjectCommand,
    examples=(
        (
            "ensue resources show ssh_host:web-01",
            "status, chain of sources, configuration with secrets masked",
        ),
        ("ensue resources show ssh_host:web-01 --out json", "the same as one JSON document"),
    ),
)
@click.argument("srn", shell_complete=complete_srn)
@pillar_options
@project_options(*FORMS)
def show(session: Session, *, srn: str) -> int:
    """Show one resource with its configuration, secrets masked, and when its grains were gathered."""
    known: list[ResourceRecord] = []

    async def work(project: AppProject) -> dict[str, Any] | None:
        known.extend(await project.resources())
        record = _find(srn, known)
        if record is None:
            return None
        return await shown_record(project, record)

    data = session.run(work)
    if data is None:
        return _failed(session, _no_such(srn, [record.srn for record in known]))
    print_record(session, srn, data)
    return exit_codes.SUCCEEDED


def _find(name: str, records: list[ResourceRecord]) -> ResourceRecord | None:
    """Return the resource with a name: an SRN, or an id alone, because ids are unique."""
    meant = named(name, (record.srn for record in records))
    return next((record for record in records if record.srn in meant), None)


_GLOB: Final = frozenset("*?[")
_MOST_MATCHES: Final = 20


def _no_such(name: str, known: Iterable[Srn]) -> str:
    """Return the message that there is no such resource, with similar names."""
    import difflib
    from fnmatch import fnmatchcase

    if _GLOB & set(name):
        ids = [text for text in map(str, sorted(set(known))) if fnmatchcase(text, name)]
        shown = f"these match: {' '.join(ids[:_MOST_MATCHES])}{' …' if len(ids) > _MOST_MATCHES else ''}"
        return f"{name} is a pattern, and an id is required ({shown if ids else 'it matches none'})"
    names = [text for srn in sorted(set(known)) for text in (str(srn), srn.id)]
    close = difflib.get_close_matches(name, names, n=2, cutoff=NEAR_CUTOFF)
    hint = f"did you mean {' or '.join(close)}?" if close else "`ensue resources list` shows all"
    return f"there is no such resource: {name} ({hint})"


def _failed(session: Session, *messages: str) -> int:
    for message in messages:
        session.lines.write(on_one_line(f"ensue: {message}"))
    if session.is_for_programs:
        session.print_document({"errors": list(messages)})
    return exit_codes.FAILED


@command.command(
    "invalidate",
    cls=ProjectCommand,
    examples=(
        (
            "ensue resources invalidate starting_state:env-01",
            "resources derived from it are no longer targets",
        ),
    ),
)
@click.argument("source", metavar="SOURCE_SRN", shell_complete=complete_srn)
@project_options(*FORMS)
def invalidate(session: Session, *, source: str) -> int:
    """Invalidate everything that was derived from a source, directly or indirectly.

    SOURCE_SRN is type:id, the id alone, or the source as `ensue resources list` prints it. Invalidated
    resources stay on record and are listed, but are not targeted. The state that provides them makes them
    targets again.
    """
    known: list[Srn] = []

    async def work(project: AppProject) -> tuple[list[Srn], list[Srn]]:
        labelled: dict[Srn, None] = {}
        for record in await project.resources():
            known.extend(filter(None, (record.srn, record.source)))
            if record.source is not None and record.source_label == source:
                labelled[record.source] = None
        meant = list(labelled) or named(source, known)
        return meant, await project.invalidate(meant[0]) if len(meant) == 1 else []

    meant, hit = session.run(work)
    if len(meant) > 1:
        return _failed(session, f"{source} may be {' or '.join(map(str, meant))}: write one of them")
    if not meant:
        _failed(session, _no_such(source, known))
        return exit_codes.REFUSED
    _print_names(session, hit)
    if not hit:
        session.lines.write(on_one_line(f"ensue: no active resource was derived from {source}"))
    return exit_codes.SUCCEEDED if hit or meant[0] in known else exit_codes.FAILED


@command.command(
    "forget",
    cls=ProjectCommand,
    examples=(
        ("ensue resources forget ssh_host:jumphost-env-01", "remove its entry and its secrets"),
        ("ensue resources forget web-01 web-02", "two entries"),
    ),
)
@click.argument("srns", metavar="SRN...", nargs=-1, required=True, shell_complete=complete_srn)
@project_options(*FORMS)
def forget(session: Session, *, srns: tuple[str, ...]) -> int:
    """Remove the entries of derived resources from the store.

    SRN is type:id, or the id alone. If one of several is no derived resource, nothing is removed.
    """
    known: list[ResourceRecord] = []
    wrong: list[str] = []
    left: dict[Srn, int] = {}

    async def work(project: AppProject) -> list[Srn]:
        known.extend(await project.resources())
        meant = {name: named(name, (record.srn for record in known)) for name in srns}
        wrong.extend(name for name in srns if not meant[name] or _is_declared(name, known))
        if wrong:
            return []
        forgotten = {name: await project.forget(meant[name][0]) for name in srns}
        wrong.extend(name for name in srns if not forgotten[name])
        left.update({meant[name][0]: await project.left_on(meant[name][0]) for name in srns})
        return [meant[name][0] for name in srns if forgotten[name]]

    forgotten = session.run(work)
    if not wrong:
        _print_names(session, forgotten)
        for record in known:
            if record.srn in forgotten:
                _note_kept_environment(session, record)
        for srn in filter(left.get, forgotten):
            session.lines.write(on_one_line(f"ensue: {srn}: {left_words(left[srn], str(srn))}"))
        return exit_codes.SUCCEEDED
    code = _failed(session, *(_why_not_forgotten(name, known) for name in wrong))
    # A text without a colon that is no id is not even the name of a resource.
    is_refused = all(_find(name, known) is None and ":" not in name for name in wrong)
    return exit_codes.REFUSED if is_refused else code


def _note_kept_environment(session: Session, record: ResourceRecord) -> None:
    """Print that the environment of a forgotten resource still exists, unless it was removed before."""
    source = record.source
    if source is None or source.type != _ENVIRONMENTS or record.status == "invalidated":
        return
    removal = "a state `starting_state.absent` with its name and provider removes it"
    session.lines.write(on_one_line(f"ensue: the environment {source.id} still exists: {removal}"))


def _is_declared(name: str, known: list[ResourceRecord]) -> bool:
    """Return whether a resource is there without having been registered."""
    record = _find(name, known)
    return record is not None and record.origin != "derived"


def _why_not_forgotten(name: str, known: list[ResourceRecord]) -> str:
    resource = _find(name, known)
    if resource is None or resource.origin == "derived":
        return _no_such(name, [record.srn for record in known if record.origin == "derived"])
    if resource.origin == "itself":
        return f"{name} is the machine that ensue runs on, so there is nothing to forget"
    comes_from = "pillar" if resource.origin == "pillar" else "its type's `discover`"
    return f"{name} was not registered, so there is nothing to forget: it comes from {comes_from}"


def _print_names(session: Session, names: list[Srn]) -> None:
    texts = [str(name) for name in names]
    if session.out == "nested":
        session.print_text(f"{on_one_line(text)}\n" for text in texts)
    else:
        session.print_document(texts)


@command.command(
    "audit",
    cls=ProjectCommand,
    examples=(
        ("ensue resources audit", "who registered, read and invalidated what, oldest first"),
        ("ensue resources audit --verify", "exit code 1 and the line number when the log was edited"),
    ),
)
@click.option("--verify", is_flag=True, help="Check that nobody has edited the log.")
@project_options(*FORMS)
def audit(session: Session, *, verify: bool) -> int:
    """Show or verify the audit log of the store."""
    from ensue.output.presentable import presentable

    project = session.open()
    if verify:
        return _verify(session, project)
    entries = presentable(project.audit_entries(), session.masker)
    if session.out == "nested":
        session.print_text(_audit_line(entry) for entry in entries)
    else:
        session.print_document(entries)
    return exit_codes.SUCCEEDED


def _audit_line(entry: dict[str, Any]) -> str:
    shown = (
        f"{key}={value}" for key, value in entry.items() if value not in {None, ""} and key not in _CHAIN
    )
    return on_one_line("  ".join(shown)) + "\n"


_CHAIN = frozenset({"chain", "previous", "oldest"})
"""Keys that only the verification reads."""


def _verify(session: Session, project: AppProject) -> int:
    fault = project.audit_fault()
    if fault is None:
        if session.out == "nested":
            session.print_text(["the audit log is whole\n"])
        else:
            session.print_document({"whole": True})
        return exit_codes.SUCCEEDED
    session.lines.write(on_one_line(f"ensue: {fault.file}:{fault.line}: {fault.what}"))
    if session.is_for_programs:
        session.print_document({"whole": False, "file": fault.file, "line": fault.line, "fault": fault.what})
    return exit_codes.REFUSED
