"""Writes the values of a configuration's variables in the syntax of a `.tfvars` file.

Terraform reads the file from standard input, so no variable is ever on a command line, in the environment or
on disk.

Source: Terraform language, "Assigning values to root module variables", "String templates".
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data


def variables_file(variables: Mapping[str, Data]) -> bytes:
    """Return the text of a `.tfvars` file.

    Args:
        variables: values by the name of the variable.

    Raises:
        StateFailedError: a name is not a valid variable name.
    """
    lines: list[str] = []
    for name, value in variables.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
            raise StateFailedError(f"variables: {name!r} is not the name of a variable")
        lines.append(f"{name} = {_expression(value)}\n")
    return "".join(lines).encode()


def _expression(value: Data) -> str:
    """Return a value as an expression: JSON, with `${` and `%{` escaped because they start templates."""
    text = json.dumps(value)
    # JSON contains neither outside of strings.
    return re.sub(r"([$%])(?=\{)", r"\1\1", text)
