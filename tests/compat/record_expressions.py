"""Record what Salt's renderer prints for the expressions, and compare ensue with it: part of `make compat`.

The exit code of `python -m tests.compat.record_expressions` is 1 when ensue differs where no
expression says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.compat.expressions import Expression

_REGISTERED = (  # what a minion has imported when it renders: their filters register themselves
    "salt.minion",
    "salt.modules.match",
    "salt.utils.dateutils",
    "salt.utils.hashutils",
    "salt.utils.network",
    "salt.utils.yamlencoding",
)


def main() -> int:
    """Do it."""
    from tests.compat.expressions import all_expressions, print_on_ensue, write_recorded
    from tests.compat.record import python_of_salt

    expressions = all_expressions()
    salts = _print_on_salt(expressions, python_of_salt())
    write_recorded(
        {
            (expression.theme, expression.text): text
            for expression, text in zip(expressions, salts, strict=True)
        }
    )
    wrong = 0
    for expression, salt in zip(expressions, salts, strict=True):
        expected, ours = expression.ours if expression.differs else salt, print_on_ensue(expression)
        if ours != expected:
            wrong += 1
            sys.stdout.write(
                f"!! {expression.theme}: {expression.text}\n   expected {expected!r}\n   ensue    {ours!r}\n"
            )
    documented = sum(expression.differs for expression in expressions)
    same = len(expressions) - documented - wrong
    sys.stdout.write(
        f"{len(expressions)} expressions: {same} as in Salt, {documented} documented, {wrong} DIFFERENT\n"
    )
    return int(bool(wrong))


def _print_on_salt(expressions: list[Expression], python: Path) -> list[str | None]:
    lines = "".join(json.dumps(expression.template) + "\n" for expression in expressions)
    done = subprocess.run(
        [str(python), str(Path(__file__).resolve())],
        input=lines,
        text=True,
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "TZ": "UTC"},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def _serve() -> None:
    """Print what Salt's renderer prints for the templates on stdin, a line of JSON each, by Salt's Python."""
    import importlib
    import logging

    for name in _REGISTERED:
        importlib.import_module(name)
    from salt.config import minion_config
    from salt.utils.templates import render_jinja_tmpl

    logging.disable()
    context = {"opts": {**minion_config(None), "file_client": "local"}, "saltenv": "", "sls": ""}
    for line in sys.stdin:
        try:
            printed = str(render_jinja_tmpl(json.loads(line), dict(context)))
        except Exception:  # noqa: BLE001 -- whatever it raises is a refusal
            printed = None
        sys.stdout.write(json.dumps(printed) + "\n")


if __name__ == "__main__":
    inside_salt = __package__ is None or not __package__
    sys.exit(_serve() if inside_salt else main())
