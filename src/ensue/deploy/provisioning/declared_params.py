"""The `params` of a resource that a Score file or a deployment set declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.deploy.provisioning.written import read_written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.placeholder_values import Dialect
    from ensue.deploy.provisioning.shapes import Shape
    from ensue.deploy.provisioning.written import TemplatedData, TextPlace


def read_params(
    declared: Mapping[str, Any], name: str, dialect: Dialect, place: TextPlace, shape: Shape
) -> TemplatedData | None:
    """Return the parameters of a resource; None if it declares none.

    Args:
        declared: the declaration of the resource.
        name: its name, for messages.
        dialect: the known placeholders.
        place: where the resource is declared.
        shape: checks that they are a mapping, and receives the errors.
    """
    if declared.get("params") is None:
        return None
    inside = place.below("params")
    params = shape.mapping(declared["params"], f"'params' of the resource {name!r}", inside)
    return read_written(params, dialect, inside, shape.collector)
