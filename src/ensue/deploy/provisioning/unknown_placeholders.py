"""What to write in place of a `${…}` whose first word begins no placeholder.

The answer is the placeholder itself where one is meant: its first word is missing or misspelt, or it is an
expression of Terraform. Otherwise it names the words that begin one.

Source: the named values of Terraform's language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.model.near_names import near_names_of
from ensue.deploy.provisioning.placeholders import parse_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.placeholder_values import Dialect

_EXPRESSION: Final = re.compile(r"\$\{\s*(?P<root>[A-Za-z_][\w-]*)(?P<path>(?:\.[\w-]+|\[[^\]{}]*\])*)\s*\}")
_PARAMS: Final = (
    "params of the resource are read by the driver `state` ({param: NAME} as an argument), by `template` "
    "({{ resource.NAME }}) and by the program of `command`"
)
_OUTPUT: Final = "an output of another resource is ${resources['TYPE.CLASS#ID'].outputs.NAME}"
_CONSTANT: Final = (
    "a definition has no variables: write the value, or a definition per value with criteria; in a "
    "configuration of terraform (`script`, `files`) it is left as it is; $\\{ ends the warning"
)
_IN_LISTS: Final = "each.key and each.value are known in the params of an entry with `for_each`"
_CONTEXT: Final = {
    "env": "env.id",
    "environment": "env.id",
    "terraform": "env.id",
    "app": "app.id",
    "application": "app.id",
    "org": "org.id",
    "self": "res.id",
    "res": "res.id",
}
"""The fields of the context that words mean."""
_IN_DEFINITIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("param", "params", "parameters", "resource", "inputs", "input"), _PARAMS),
    **dict.fromkeys(("var", "local", "locals", "variables"), _CONSTANT),
    **dict.fromkeys(("data", "module"), _OUTPUT),
    **dict.fromkeys(("count", "each"), _IN_LISTS),
}
_DECLARED: Final = "declare a resource in this file, and read ${resources.NAME.OUTPUT}"
_IN_SCORE: Final[Mapping[str, str]] = dict.fromkeys(("data", "module", "local", "locals"), _DECLARED)


def meant_placeholder(text: str, dialect: Dialect) -> str:
    """Return what to write instead of a placeholder with an unknown first word.

    Args:
        text: from `${` on, to its brace.
        dialect: the known placeholders.
    """
    escape = "$\\{" if dialect.grammar == "definition" else "$${"
    as_text = f"where that is meant, write {escape} for the two characters ${{"
    expression = _EXPRESSION.fullmatch(text)
    if expression is None:
        return as_text
    root, path = expression["root"], expression["path"]
    meant = _with_root(text, dialect) or _near(root, path, dialect) or _of_context(root, path, dialect)
    advice = meant or _of_terraform(root, path, dialect)
    if advice or not path:
        return advice or as_text
    return f"placeholders begin with {', '.join(sorted(dialect.roots))}; {as_text}"


def _of_terraform(root: str, path: str, dialect: Dialect) -> str:
    if dialect.grammar == "definition":
        # A resource of Terraform has a name and an attribute: `aws_instance.web.id`.
        is_resource = "_" in root and path.count(".") > 1
        return _IN_DEFINITIONS.get(root, _OUTPUT if is_resource else "")
    if root == "var" and path:
        name = path[1:]
        return (
            f"for a variable, read ${{resources.env.{name}}} of a resource `env` with type environment, and "
            f"give --value {name}=VALUE"
        )
    return _IN_SCORE.get(root, "")


def _with_root(text: str, dialect: Dialect) -> str:
    """Return the question whether a placeholder is meant whose first word is missing; empty if none is."""
    # In a definition `resources` takes any type: only outputs tell that one is meant.
    roots = ("resources",) if dialect.grammar != "definition" or ".outputs." in text else ("context",)
    return next(
        (f"did you mean {meant}?" for root in roots if (meant := _known(root, f".{text[2:]}", dialect))), ""
    )


def _near(root: str, path: str, dialect: Dialect) -> str:
    near = near_names_of(root, dialect.roots)
    return next(
        (f"did you mean {meant}?" for name in near if (meant := _known(name, f"{path}}}", dialect))), ""
    )


def _of_context(root: str, path: str, dialect: Dialect) -> str:
    """Return the field of the context that a word means, if it has nothing below it but a name of its own."""
    field = _CONTEXT.get(root)
    if field is None or path.count(".") > 1:
        return ""
    meant = _known("context", f".{field}}}", dialect)
    return f"did you mean {meant}?" if meant else ""


def _known(root: str, rest: str, dialect: Dialect) -> str:
    """Return a placeholder if it can be read; otherwise an empty text."""
    meant = f"${{{root}{rest}"
    return meant if root in dialect.roots and not parse_text(meant, dialect)[1] else ""
