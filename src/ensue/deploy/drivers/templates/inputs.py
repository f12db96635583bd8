"""The inputs of the template drivers: the templates of a definition, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping, leaf_places
from ensue.core.model.option_kinds import KnownKeys, OneOf
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers.checked import MAPPING, misfits

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest
    from ensue.deploy.drivers.templates.language import TemplateLanguage

PARTS: Final = ("init", "cookie", "outputs", "secrets", "manifests")
"""The keys of `templates`, in the order in which they are rendered."""

_TEMPLATE: Final = OneOf("a text, or a mapping of texts", (str, dict, list, type(None), Unknown))
_PART_OF_VALUES: Final = KnownKeys("a mapping of templates", dict.fromkeys(PARTS, _TEMPLATE))
_PART_OF_SECRETS: Final = KnownKeys("a mapping of templates", {"outputs": _TEMPLATE})


class Templates(msgspec.Struct, frozen=True, kw_only=True):
    """The templates of a definition.

    Args:
        parts: what `values.templates` has, by its key.
        secret_outputs: `secrets.templates.outputs`, None if there is none.
    """

    parts: dict[str, Any]
    secret_outputs: Any = None


def templates_of(request: DriverRequest) -> Templates:
    """Return the templates of a resource.

    Raises:
        DriverError: the inputs have the wrong shape.
    """
    if wrong := shape_faults(request):
        raise DriverError("; ".join(wrong))
    secrets = _below(request.secrets, "templates")
    return Templates(parts=_below(request.values, "templates"), secret_outputs=secrets.get("outputs"))


def shape_faults(request: DriverRequest) -> list[str]:
    """Return what is wrong with the shape of the inputs, one sentence per error."""
    faults = [*misfits(request.values, MAPPING, "values"), *misfits(request.secrets, MAPPING, "secrets")]
    for name, inputs, kind in (
        ("values", request.values, _PART_OF_VALUES),
        ("secrets", request.secrets, _PART_OF_SECRETS),
    ):
        if is_mapping(inputs) and "templates" not in inputs:
            faults += [
                f"{name}: there is no key {key!r} (did you mean templates?)"
                for key in inputs
                if _looks_like_templates(str(key))
            ]
        given = inputs.get("templates") if is_mapping(inputs) else None
        if not (given is None or isinstance(given, Unknown)):
            faults += misfits(given, kind, f"{name}.templates")
    return faults


def _looks_like_templates(key: str) -> bool:
    """Return whether a key is a slip of `templates`; other keys are values that the templates read."""
    import difflib

    return bool(difflib.get_close_matches(key, ("templates",), cutoff=0.85))


def template_faults(request: DriverRequest, language: TemplateLanguage) -> list[str]:
    """Return what is wrong with the inputs, including templates that do not parse.

    Args:
        request: the resource; inputs that are not known yet are left out.
        language: the language of the templates.
    """
    if wrong := shape_faults(request):
        return wrong
    given = templates_of(request)
    templates = {"templates": given.parts, "secrets.templates.outputs": given.secret_outputs}
    for place, text in leaf_places(templates):
        if not isinstance(text, str):
            continue
        try:
            language.compiled(text, ".".join(map(str, place)))
        except DriverError as error:
            wrong.append(request.services.masker.within(str(error)))
    return wrong


def below(name: str, key: str | int) -> str:
    """Return the name of a template within a mapping of templates."""
    return f"{name}.{key}" if name else str(key)


def _below(inputs: Any, key: str) -> dict[str, Any]:
    value = inputs.get(key) if is_mapping(inputs) else None
    return value if is_mapping(value) else {}
