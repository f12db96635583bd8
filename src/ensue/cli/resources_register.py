"""`ensue resources register`: add a resource to the cross-run store by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_srn
from ensue.cli.options import pillar_options, project_options
from ensue.cli.resource_records import FORMS, print_record, resource_name, shown_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.core.model.resource import Registration

_LONGEST_S: Final = 1e9


@click.command(
    "register",
    cls=ProjectCommand,
    examples=(
        ("ensue resources register ssh_host:web-09 host=192.0.2.9 user=admin", "a target from now on"),
        (
            "ensue resources register ssh_host:web-09 --config-file web-09.yaml",
            "with no secret on the command line",
        ),
        (
            "vault read … | ensue resources register ssh_host:db-01 --config-file -",
            "the configuration from a pipe",
        ),
        ("ensue resources register dummy:box 'grains={os: Debian}' --ttl 3600", "for an hour"),
    ),
)
@click.argument("srn", shell_complete=complete_srn)
@click.argument("values", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--source", metavar="SRN", help="The resource that it is derived from and invalidated with.")
@click.option(
    "--ttl",
    type=click.FloatRange(min=0, min_open=True, max=_LONGEST_S),
    metavar="SECONDS",
    help="After how long it becomes invalid. Default: never.",
)
@click.option(
    "--watch",
    multiple=True,
    metavar="GRAIN",
    help="A grain of the source whose change invalidates it. May be given several times. Default: status.",
)
@click.option(
    "--config-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Its configuration from a YAML or JSON file, - for standard input; KEY=VALUE overrides it.",
)
@pillar_options
@project_options(*FORMS)
def register(
    session: Session,
    *,
    srn: str,
    values: tuple[str, ...],
    source: str | None,
    ttl: float | None,
    watch: tuple[str, ...],
    config_file: Path | None,
) -> int:
    """Register a resource by hand: it can be targeted until it is forgotten, invalidated or expired.

    Its type checks the configuration. A resource that is registered already with the same configuration
    is confirmed. Other users of this machine can see what is on a command line: give passwords and keys
    in a file, or on standard input.

    Exit code: 0 success; 1 refused, nothing is registered.
    """
    from ensue.core.model.resource import RegistrationRequest

    request = RegistrationRequest(
        srn=resource_name(srn),
        config=_config(values, config_file),
        source=resource_name(source) if source else None,
        watch=watch or ("status",),
        ttl_s=ttl,
    )
    if exposed := [key for key in (word.partition("=")[0] for word in values) if _is_secret(key)]:
        session.lines.write(
            f"ensue: {', '.join(exposed)} is on a command line, where others can read it (--config-file)"
        )

    async def work(project: AppProject) -> tuple[Registration, dict[str, Any]]:
        done = await project.register(request)
        record = next(resource for resource in await project.resources() if resource.srn == done.srn)
        return done, await shown_record(project, record)

    done, data = session.run(work)
    if session.out == "nested":
        session.print_text([_summary(done)])
    else:
        print_record(session, srn, data)
    return exit_codes.SUCCEEDED


def _summary(done: Registration) -> str:
    from ensue.output.colours import on_one_line

    lines = [f"{done.srn} is registered" if done.changed else f"{done.srn} is already registered; no change"]
    lines += [f"{gone} was derived from its old configuration: invalidated" for gone in done.invalidated]
    return "".join(f"{on_one_line(line)}\n" for line in lines)


def _is_secret(key: str) -> bool:
    from ensue.core.model.secret_values import is_secret_key

    return is_secret_key(key)


def _config(words: Sequence[str], file: Path | None) -> dict[str, Any]:
    """Return the configuration from a file and the words of the command line."""
    from ensue.cli.values import argument, mapping_of_file

    config: dict[str, Any] = {}
    if file is not None:
        named = Path("/dev/stdin") if str(file) == "-" else file
        config = dict(mapping_of_file(named, "--config-file"))
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise click.BadParameter(f"{key!r} has no value; write KEY=VALUE", param_hint="KEY=VALUE")
        config[key] = argument(value)
    return config
