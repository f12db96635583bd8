"""`ensue init`: make a small project that works as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ExampleCommand
from ensue.cli.options import common_options, global_options

EXAMPLES = (
    ("ensue init", "into the working directory"),
    ("ensue init infra && cd infra && ensue apply", "into a new folder, and the first apply there"),
)

FILES: Final[dict[str, str]] = {
    "ensue.yaml": """\
# Options of this project, by Salt's names where Salt has one.
# id: web-01            the id of this machine; default: its host name
# failhard: true        stop at the first state that fails
# cachedir: .ensue      store, journals, key: everything that ensue keeps
state_auto_order: true
""",
    "states/top.sls": """\
# Which machine gets which SLS. Add new files here.
base:
  '*':
    - hello
""",
    "states/hello.sls": """\
# Try: ensue plan, ensue apply, and ensue apply again.
{% set folder = opts['root_dir'] ~ '/out' %}

greeting:
  file.managed:
    - name: {{ folder }}/greeting.txt
    - contents: {{ pillar['greeting'] }} from {{ grains['id'] }}
    - makedirs: true

greeted:
  cmd.run:
    - name: wc -c < {{ folder }}/greeting.txt
    - onchanges:
      - file: greeting
""",
    "pillar/top.sls": """\
# Which machine sees which pillar.
base:
  '*':
    - hello
""",
    "pillar/hello.sls": """\
greeting: hello
""",
    ".gitignore": """\
/.ensue/
/gpgkeys/
/out/
""",
}
"""The files of the project, by their paths in it."""


@click.command("init", cls=ExampleCommand, examples=EXAMPLES)
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path, file_okay=False))
@global_options
@click.pass_context
def command(ctx: click.Context, folder: Path | None) -> int:
    """Make a small project to start from.

    It has a top file, one SLS and one pillar file, and works as it is. Nothing is overwritten, and no project
    gets further states: a folder with one of the files, or any below states/ or pillar/, is refused.
    """
    place = folder or common_options(ctx).root
    present = [name for name in FILES if (place / name).exists() or (place / name).is_symlink()]
    if present:
        message = f"{place / present[0]} already exists; nothing was written (name another folder)"
        raise click.ClickException(message)
    for root in ("states", "pillar"):
        if any(file.is_file() for file in (place / root).rglob("*")):
            message = (
                f"{place / root} has files already; nothing was written (no project needs an ensue.yaml)"
            )
            raise click.ClickException(message)
    try:
        for name, content in FILES.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            with (place / name).open("x", encoding="utf-8") as file:
                file.write(content)
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename}: {error.strerror}") from None
    click.echo("".join(f"{place / name}\n" for name in FILES), nl=False)
    click.echo("next: ensue plan, then ensue apply", err=True)
    return exit_codes.SUCCEEDED
