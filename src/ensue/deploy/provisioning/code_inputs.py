"""Refuse outputs of resources that would be executed as code in inputs of a driver.

Each language has its own rule for allowed values. A driver that inserts outputs into templates as data
performs its own checks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DriverError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.harmless import HARMLESS_WORDS, is_harmless, is_harmless_json, is_number
from ensue.core.model.paths import traverse
from ensue.core.model.printed_text import Extent
from ensue.deploy.provisioning.hcl_texts import literal_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.contracts.driver import CodeKind, DriverRequest, ForeignPart, InputPath

_TEMPLATES: Final = ("jinja", "go-template")
_HCL_FILES: Final = (
    ".tf", ".tofu", ".hcl", ".tfvars", ".tf.json", ".tofu.json", ".tfvars.json",
    ".tftpl", ".terraformrc", ".tfrc", ".gitconfig",
)  # fmt: skip
_DEPTH_OF_INPUTS: Final = 2
_MANIFEST_KEYS: Final = ("kind", "apiVersion")
_WORD_ENDS: Final = re.compile(r"[\s'\"\\]")
_ACTION: Final = re.compile(r"\{\{|\{%|\}\}|%\}")


def refuse_foreign_code(
    request: DriverRequest, code: Mapping[str, CodeKind], *, may_insert: bool = False
) -> None:
    """Refuse outputs of resources that have a meaning as code.

    Args:
        request: the resource.
        code: the inputs of its driver that are code.
        may_insert: whether templates are left to the driver.

    Raises:
        DriverError: an output is refused; the message names each placeholder, its resource and a remedy.
    """
    if not request.foreign:
        return
    problems = [
        problem
        for place, kind in code.items()
        if not (may_insert and kind in _TEMPLATES)
        for name, inputs in (("values", request.values), ("secrets", request.secrets))
        for path, text in _texts(traverse(inputs, place, delimiter="."), kind, (name, *place.split(".")))
        for problem in _problems(kind, text, request.foreign_parts(path), path)
    ]
    if problems:
        raise DriverError("\n".join(problems))


def _texts(data: Any, kind: CodeKind, path: InputPath) -> Iterator[tuple[InputPath, str]]:
    """Yield the texts of an input that are code, with their paths."""
    if isinstance(data, str):
        if kind != "hcl" or _is_terraform(path):
            yield path, data
    elif kind == "shell-words":
        return
    elif is_mapping(data):
        if kind == "yaml" and all(key in data for key in _MANIFEST_KEYS):
            return
        for key, value in data.items():
            yield from _texts(value, kind, (*path, key))
    elif is_list(data):
        for index, value in enumerate(data):
            yield from _texts(value, kind, (*path, index))


def _is_terraform(path: InputPath) -> bool:
    """Return whether Terraform parses a text: it is not a file, or has the name of a Terraform file."""
    return len(path) == _DEPTH_OF_INPUTS or str(path[-1]).endswith(_HCL_FILES)


def _problems(kind: CodeKind, text: str, parts: tuple[ForeignPart, ...], path: InputPath) -> Iterator[str]:
    is_refused, rule = _RULES[kind]
    for part in parts:
        extent = Extent(part.start, len(text) if part.end is None else part.end)
        if is_refused(text, extent, part):
            yield (
                f"{'.'.join(map(str, path))} is read as code ({kind}), and {part.placeholder} is what "
                f"{part.resource} says: {rule}"
            )


def _is_refused_in_template(text: str, extent: Extent, _part: ForeignPart) -> bool:
    value = text[extent.start : extent.end]
    before = _ACTION.findall(text, 0, extent.start)
    is_within = bool(before) and before[-1] in {"{{", "{%"}
    return not (is_number(value) if is_within else is_harmless(value))


def _is_refused_in_hcl(text: str, extent: Extent, part: ForeignPart) -> bool:
    value = text[extent.start : extent.end]
    literal = literal_at(text, extent.start)
    if literal is None:
        is_file = part.end is None
        return not (is_number(value) or (not part.is_text and not is_file and is_harmless_json(value)))
    return not is_harmless(value) or bool(literal.tag and literal.tag in value)


def _is_refused_as_word(text: str, extent: Extent, _part: ForeignPart) -> bool:
    value = text[extent.start : extent.end]
    is_alone = not (text[: extent.start][-1:].strip() or text[extent.end :][:1].strip())
    return bool(_WORD_ENDS.search(value)) or (not value and is_alone)


def _is_refused_in_yaml(text: str, extent: Extent, part: ForeignPart) -> bool:
    from ensue.core.model.bounded_yaml import load_plain_yaml
    from ensue.core.model.yaml_containment import beyond_scalars, is_whole_value

    if not part.is_text and is_whole_value(text, extent, load_plain_yaml):
        return False
    return next(beyond_scalars(text, [extent], load_plain_yaml), None) is not None


_IN_TEMPLATES: Final = (
    _is_refused_in_template,
    f"it may consist of {HARMLESS_WORDS}, within an action be a number; hand it over as a value of its own",
)
_RULES: Final[Mapping[CodeKind, tuple[Callable[[str, Extent, ForeignPart], bool], str]]] = {
    "jinja": _IN_TEMPLATES,
    "go-template": _IN_TEMPLATES,
    "hcl": (
        _is_refused_in_hcl,
        f"within quotes it may consist of {HARMLESS_WORDS}, elsewhere be a number; use `variables`",
    ),
    "yaml": (
        _is_refused_in_yaml,
        "it is more than a part of one YAML value there; write the manifest as a mapping, not as a text",
    ),
    "shell-words": (
        _is_refused_as_word,
        "it is not one word; write the command as a list of words, or let it read the value from its input",
    ),
}
