"""What an environment offers: the types and classes of resources that definitions can provision.

Source: Humanitec, "Resource Types" and "Resource Classes".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.deploy.provisioning.evaluation import json_text
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, WORKLOAD
from ensue.deploy.provisioning.params_schemas import example_params

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.definitions import Definition
    from ensue.deploy.provisioning.matching import Catalog

_PLAIN: Final = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_NO_TEXTS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that YAML reads as something else than text."""


class Offer(NamedTuple):
    """A type and class of resources.

    Args:
        type: the type.
        class_: the class.
        definitions: the definitions that a resource may get, the most specific first.
        outputs: the outputs that such resources had in earlier deployments, sorted; empty: none is known.
        secrets: those of them that are secret.
    """

    type: str
    class_: str
    definitions: tuple[Definition, ...]
    outputs: tuple[str, ...]
    secrets: frozenset[str]

    @property
    def example(self) -> str:
        """A resource of this kind in a Score file, with an output that a container reads.

        Its params are those that the first definition requires.
        """
        class_ = "" if self.class_ == DEFAULT_CLASS else f"\n    class: {self.class_}"
        output = self.outputs[0] if self.outputs else "OUTPUT"
        return (
            f"containers:\n  main:\n    variables:\n      IT: ${{resources.it.{output}}}\n"
            f"resources:\n  it:\n    type: {self.type}{class_}\n{_params(self.definitions[0])}"
        )


def offers(
    catalog: Catalog, active: Iterable[ActiveResource], fields: Mapping[str, str], type_: str = ""
) -> list[Offer]:
    """Return what definitions offer, sorted by type and class.

    Args:
        catalog: the definitions.
        active: resources of earlier deployments.
        fields: the fields of criteria that are known (`app_id`, `env_id`, `env_type`).
        type_: only this type; empty: all but workloads.
    """
    outputs: dict[str, dict[str, None]] = {}
    secrets: dict[str, set[str]] = {}
    for record in active:
        outputs.setdefault(record.definition, {}).update(dict.fromkeys(map(str, record.outputs)))
        secrets.setdefault(record.definition, set()).update(
            str(path[0]) for path in record.secret_paths if path
        )
    offered: list[Offer] = []
    for kind, class_ in sorted(catalog.kinds()):
        if kind != type_ if type_ else kind == WORKLOAD:
            continue
        definitions = catalog.offering(kind, class_, fields)
        if definitions:
            names = {name for definition in definitions for name in outputs.get(definition.id, ())}
            hidden = {name for definition in definitions for name in secrets.get(definition.id, ())}
            offered.append(Offer(kind, class_, definitions, tuple(sorted(names)), frozenset(hidden)))
    return offered


def _params(definition: Definition) -> str:
    """Return the params that a definition requires as lines of a Score file; empty if it requires none."""
    if definition.params_schema is None:
        return ""
    params, problem = example_params(definition.params_schema)
    note = f"    # adapt the params: {problem}\n" if problem else ""
    lines = "".join(f"      {_scalar(key)}: {_value(value)}\n" for key, value in params.items())
    return note + (f"    params:\n{lines}" if lines else "")


def _value(value: Any) -> str:
    """Return a value in YAML; a text is no placeholder of Score."""
    return _scalar(value) if isinstance(value, str) else json_text(value).replace("$", "$$")


def _scalar(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _NO_TEXTS
    return text if is_plain else json_text(text).replace("$", "$$")
