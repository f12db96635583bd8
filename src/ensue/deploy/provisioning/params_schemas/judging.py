"""Judge whether params satisfy the schema of their definition, as far as they are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic
from ensue.deploy.provisioning.params_schemas.reasons import SchemaMisfit, misfit_of, shown_path

if TYPE_CHECKING:
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.params_schemas.schema import ParamsSchema
    from ensue.deploy.provisioning.sensitive import Parted
    from ensue.deploy.provisioning.written import TextPlace


def judged(
    key: ResourceKey, params: Parted, schema: ParamsSchema, place: TextPlace, remedy: str = ""
) -> list[Diagnostic]:
    """Return an error for every part of a resource's params that does not satisfy their schema.

    Args:
        key: the resource.
        params: the params, with `Unknown` for what is not known yet.
        schema: their schema.
        place: where they are; where the resource is requested if it has none.
        remedy: what else may be done about them; empty: nothing.
    """
    return [_diagnostic(key, misfit, schema, place, remedy) for misfit in _misfits(params, schema)]


def _misfits(params: Parted, schema: ParamsSchema) -> list[SchemaMisfit]:
    try:
        each = schema.check({} if params.data is None else params.data)
    except RecursionError:
        return [SchemaMisfit((), "is nested too deeply to be checked", "", ())]
    return list(dict.fromkeys(misfit_of(violation, params.secret_paths) for violation in each))


def _diagnostic(
    key: ResourceKey, misfit: SchemaMisfit, schema: ParamsSchema, place: TextPlace, remedy: str
) -> Diagnostic:
    there = schema.place.below(*misfit.schema_path).span()
    path = misfit.path if misfit.reason else misfit.path[:-1]
    reason = misfit.reason or f"has no key {misfit.path[-1]!r}"
    return Diagnostic(
        code="E0864",
        summary=f"{shown_path(('params', *path))!r} of {key} {reason}",
        span=place.below(*misfit.path).span(),
        detail=f"the definition {schema.definition!r} requires it, at {there}",
        help="; ".join(filter(None, (misfit.help, remedy))),
        related=((there, "the schema of the params"),),
    )
