"""The meaning of a placeholder: a value of the context, an output of a resource, or of several.

A dialect has the roots that a file knows (`resources`, `context`, `externals`), each with a reader for the
path below it. A reader returns a meaning or a refusal; it never raises.

Source: resource graph document, "Placeholders" of resource references and of resource selectors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from ensue.core.model.near_names import near_names_of
from ensue.deploy.provisioning.identity import Descriptor, parse_descriptor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CONTEXT_FIELDS: Final = (
    "org.id", "app.id", "env.id", "env.type", "res.id", "res.type", "res.class", "res.guresid",
)  # fmt: skip
WHATS: Final = ("outputs", "guresid", "account", "values")
"""The parts of a resource that a placeholder may name; the first such word ends a dotted descriptor."""

_PARAMS: Final = "params"

Step: TypeAlias = "tuple[str, str]"
"""A step of a selector: its direction, `>` or `<`, and the type that is selected."""


class ContextField(NamedTuple):
    """A value of the context (`${context.app.id}`).

    Args:
        name: one of `CONTEXT_FIELDS`.
    """

    name: str


class ResourceReference(NamedTuple):
    """A part of one resource.

    Args:
        target: the resource.
        what: one of `WHATS`, or `id` for the resource's own id.
        path: the path of the value below it.
    """

    target: Descriptor
    what: str
    path: tuple[str, ...] = ()


class ResourceSelection(NamedTuple):
    """A part of all resources that a selector finds; always a list.

    Args:
        anchor: where the selector begins.
        steps: its steps, at least one.
        what: one of `WHATS`.
        path: the path of the value in each resource.
    """

    anchor: Descriptor
    steps: tuple[Step, ...]
    what: str
    path: tuple[str, ...] = ()


class FileConstant(NamedTuple):
    """A value of the file itself (`${metadata.name}`).

    Args:
        value: the value.
    """

    value: Any


class FromOutside(NamedTuple):
    """A value from outside the graph: of Score's types `environment` and `service`.

    Args:
        kind: that type.
        path: the name of the resource, and the path of the value.
        service: the name of the service, if it is one.
    """

    kind: str
    path: tuple[str, ...]
    service: str = ""


class EachItem(NamedTuple):
    """A part of an item of `for_each`, before the items are known (`${each.value.host}`).

    Args:
        path: `key`, or `value` and the path below it.
    """

    path: tuple[str, ...]


class EachValue(NamedTuple):
    """The same part of one item.

    Args:
        value: the value; it may contain `Sensitive` values.
        resources: the resources whose outputs it is from, for messages; empty: an author wrote it.
    """

    value: Any
    resources: str


class OwnOutput(NamedTuple):
    """An output of the resource itself, in what its definition says of the time after it is made.

    Args:
        path: the output, and the path below it.
    """

    path: tuple[str, ...]


class PathRefusal(NamedTuple):
    """Why a path has no meaning.

    Args:
        reason: the error.
        help: how to mend it; may be empty.
        is_undeclared: whether it names something that its file does not declare.
    """

    reason: str
    help: str = ""
    is_undeclared: bool = False


Meaning: TypeAlias = (
    ContextField
    | ResourceReference
    | ResourceSelection
    | FileConstant
    | FromOutside
    | EachItem
    | EachValue
    | OwnOutput
)


class PathPart(NamedTuple):
    """A part of the path of a placeholder.

    Args:
        text: the part.
        is_bracketed: whether it is written `['…']`.
    """

    text: str
    is_bracketed: bool = False


Grammar: TypeAlias = 'Literal["definition", "score", "passed_on"]'
r"""How the dollar signs of a text are read.

- `definition`: `$\{`, and `$${` before a known root, are the two characters `${`.
- `score`: `$$` is `$`, and `$${…}` is `${…}`, whose inside is not searched. `$\{` has no meaning.
- `passed_on`: a text of a Score file that Score's tools pass on unchanged, such as a command. `$${` is `${`,
  and a placeholder without a meaning is literal text.
"""


class Dialect(NamedTuple):
    """The placeholders that a file may use.

    Args:
        roots: first word to the reader of the path below it.
        grammar: how dollar signs are read.
        has_no_dollars: whether the text can contain no `${` of its own, so that an unknown one is a mistake.
    """

    roots: Mapping[str, Callable[[Sequence[PathPart]], Meaning | PathRefusal]]
    grammar: Grammar = "definition"
    has_no_dollars: bool = False


def context_meaning(path: Sequence[PathPart]) -> Meaning | PathRefusal:
    """Return the meaning of `${context.…}`."""
    name = ".".join(part.text for part in path)
    if name in CONTEXT_FIELDS:
        return ContextField(name)
    group = [field for field in CONTEXT_FIELDS if path and field.startswith(f"{path[0].text}.")]
    if not group:
        near = near_names_of(name, CONTEXT_FIELDS)
    else:
        # `env.name` resembles `env.type` only because they begin alike.
        last = {field.partition(".")[2]: field for field in group}
        near = [last[word] for word in near_names_of(name.partition(".")[2], last)]
    meant = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(group or CONTEXT_FIELDS)}"
    return PathRefusal(f"the context has no {name!r}", meant)


def each_meaning(path: Sequence[PathPart]) -> Meaning | PathRefusal:
    """Return the meaning of `${each.key}` and `${each.value…}`."""
    words = tuple(part.text for part in path)
    if words == ("key",) or words[:1] == ("value",):
        return EachItem(words)
    if words[:1] == ("key",):
        return PathRefusal("a key has nothing below it", "write ${each.key}, or ${each.value.NAME}")
    return PathRefusal("an item has a key and a value", "write ${each.key} or ${each.value}")


def own_output_meaning(path: Sequence[PathPart]) -> Meaning | PathRefusal:
    """Return the meaning of `${outputs.…}`."""
    words = tuple(part.text for part in path)
    return OwnOutput(words) if words else PathRefusal("it names no output", "write ${outputs.NAME}")


def resource_meaning(path: Sequence[PathPart]) -> Meaning | PathRefusal:
    """Return the meaning of `${resources.DESC.outputs.OUT}` in a definition."""
    written, what, rest = _divided(path)
    if what not in WHATS and _PARAMS in (part.text for part in path[1:]):
        return PathRefusal(
            "the params of a resource are not a value of a placeholder",
            "give them to a resource of the driver `template`, which reads them, with the same id, and write "
            "${resources.TYPE.outputs.NAME} with its type; or use a driver that reads params",
        )
    return _what_refusal(what, rest) or _described(written, what, rest)


def _what_refusal(what: str, rest: tuple[str, ...]) -> PathRefusal | None:
    if what not in WHATS:
        return PathRefusal(
            "it does not say what it takes of the resource",
            "write ${resources['TYPE.CLASS#ID'].outputs.NAME}, or .guresid, .account or .values; without "
            "#ID it is the resource of the type that has the same id",
        )
    if what == "outputs" and not rest:
        return PathRefusal("it names no output", "write the name of an output after .outputs")
    if what in ("guresid", "account") and rest:
        return PathRefusal(f"nothing comes after .{what}", f"end it with .{what}")
    return None


def _described(written: str, what: str, rest: tuple[str, ...]) -> Meaning | PathRefusal:
    """Return the meaning of a descriptor: `TYPE[.CLASS][#ID]`, optionally with the steps of a selector."""
    first, *steps = re.split(r"\s*([<>])\s*", written.strip())
    descriptor = parse_descriptor(first)
    if descriptor is None:
        return PathRefusal(f"{first!r} is no resource", "write TYPE, TYPE.CLASS, TYPE#ID or TYPE.CLASS#ID")
    if not steps:
        return ResourceReference(descriptor, what, rest)
    pairs = tuple(zip(steps[::2], steps[1::2], strict=True))
    for _, selected in pairs:
        if parse_descriptor(selected) != Descriptor(selected):
            return PathRefusal(
                f"{selected!r} is not a type that a selector can select",
                "write only a type after > or <: every class and id of it is selected",
            )
    return ResourceSelection(descriptor, pairs, what, rest)


def _divided(path: Sequence[PathPart]) -> tuple[str, str, tuple[str, ...]]:
    """Return the descriptor, the word after it, and the rest."""
    if path and path[0].is_bracketed:
        end = 1
    else:
        words = (n for n, part in enumerate(path) if n and not part.is_bracketed and part.text in WHATS)
        end = next(words, len(path))
    written = ".".join(part.text for part in path[:end])
    what = path[end].text if end < len(path) else ""
    return written, what, tuple(part.text for part in path[end + 1 :])


DEFINITION: Final = Dialect({"resources": resource_meaning, "context": context_meaning})
"""The placeholders of a resource definition."""

ENTRY: Final = Dialect({**DEFINITION.roots, "each": each_meaning})
"""The placeholders of the params of an entry with `for_each`."""

ENTRY_ID: Final = Dialect({"context": context_meaning, "each": each_meaning})
"""The placeholders of the id in the key of such an entry; its context is that of the owner."""
