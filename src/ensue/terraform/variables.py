"""Values for a configuration's variables, in the syntax of a `.tfvars` file.

The file is handed over on standard input, so that no variable is ever on a command line, in the environment
or on disk.

Source: Terraform language, "Assigning values to root module variables", "String templates".
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.model.data import Data


def variables_file(variables: Mapping[str, Data]) -> bytes:
    """Return the text of a `.tfvars` file.

    Args:
        variables: values by the name of the variable.

    Raises:
        StateFailedError: a name is not one that a configuration can declare.
    """
    lines: list[str] = []
    for name, value in variables.items():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name):
            raise StateFailedError(f"variables: {name!r} is not the name of a variable")
        lines.append(f"{name} = {_expression(value)}\n")
    return "".join(lines).encode()


def _expression(value: Data) -> str:
    """Return a value as an expression: JSON, in whose strings `${` and `%{` begin no template."""
    text = json.dumps(value)
    # Outside of strings JSON has neither.
    return re.sub(r"([$%])(?=\{)", r"\1\1", text)
