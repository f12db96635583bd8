"""How the record of a resource changes when its driver is called: a failed call leaves the last good one.

One key may have several records: the one that holds, and beside it what another driver made before, or has
begun to make. `generation` tells them apart.

Source: spec of the resource graph, "Nothing is destroyed unasked".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ensue.deploy.provisioning.active import NO_DATA, ActiveResource, Attempt
from ensue.deploy.provisioning.sensitive import below_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.driver import Provisioned
    from ensue.core.model.data import DataMap
    from ensue.deploy.provisioning.evaluated_node import Outputs
    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.surroundings import Action


def records_of(whole: ActiveResource | None) -> tuple[ActiveResource, ...]:
    """Return all records of a resource, the one that holds first."""
    return () if whole is None else (whole, *whole.beside)


def made_by(whole: ActiveResource | None, is_driver: Callable[[str], bool]) -> ActiveResource | None:
    """Return the record of what a driver has made, or has begun to make; None: nothing.

    Args:
        whole: the record of the resource.
        is_driver: whether a name is one of the driver's.
    """
    for record in records_of(whole):
        if is_driver(record.driver):
            return record
    return None


def next_generation(whole: ActiveResource | None) -> int:
    """Return the generation of what a further driver makes."""
    return max((record.generation + 1 for record in records_of(whole)), default=0)


def with_record(whole: ActiveResource | None, record: ActiveResource) -> ActiveResource:
    """Return the record of a resource after one of its records has changed, or was added."""
    if whole is None:
        return record
    if whole.generation == record.generation:
        return replace(record, beside=whole.beside)
    others = tuple(each for each in whole.beside if each.generation != record.generation)
    return replace(whole, beside=(*others, record))


def promoted(whole: ActiveResource | None, record: ActiveResource, *, leaves_nothing: bool) -> ActiveResource:
    """Return the record of a resource for which a record holds now; what held before is beside it.

    Args:
        whole: the record before.
        record: what holds now.
        leaves_nothing: whether what held before needs no deletion: its driver makes nothing.
    """
    if whole is None or whole.generation == record.generation:
        return with_record(whole, record)
    before = () if leaves_nothing else (replace(whole, beside=()),)
    others = tuple(each for each in whole.beside if each.generation != record.generation)
    return replace(record, beside=(*before, *others))


def begun(planned: ActiveResource, before: ActiveResource | None) -> ActiveResource:
    """Return a record as a call of the driver begins.

    Args:
        planned: the record as the definition wants it, with the generation; nothing in it was made.
        before: its record; None: the driver has made nothing yet.
    """
    if before is None:
        return replace(planned, phase="creating")
    earlier = () if before.attempted is None else before.attempted.depends_on
    if before.phase == "creating":
        # No call has succeeded: what the attempts before depended on may be in use all the same.
        used = tuple(dict.fromkeys([*before.depends_on, *earlier]))
        attempt = Attempt(definition=before.definition, depends_on=used) if used else None
        return replace(planned, phase="creating", cookie=before.cookie, attempted=attempt)
    used = tuple(dict.fromkeys([*planned.depends_on, *earlier]))
    return replace(
        before,
        phase="updating",
        attempted=Attempt(definition=planned.definition, depends_on=used),
        protect=before.protect or planned.protect,
    )


def succeeded(
    planned: ActiveResource, kept: ActiveResource, made: Provisioned, outputs: Outputs
) -> ActiveResource:
    """Return a record after a successful call.

    Args:
        planned: the record as the definition wants it, with the inputs.
        kept: the record as it is; it has the cookies that the driver stored meanwhile.
        made: what the driver returned.
        outputs: its outputs.
    """
    return replace(
        planned,
        phase="active",
        outputs=outputs.data,
        secret_paths=outputs.secret_paths,
        manifests=made.manifests or NO_DATA,
        secret_manifests=below_field(made.sensitive, "manifests"),
        cookie=kept.cookie if made.cookie is None else made.cookie,
        registers=made.registers or NO_DATA,
    )


def renewed(planned: ActiveResource, kept: ActiveResource) -> ActiveResource:
    """Return the record of a resource that is left alone: its edges and its definition are those of now."""
    return replace(
        kept,
        env_type=planned.env_type,
        definition=planned.definition,
        definition_digest=planned.definition_digest,
        driver=planned.driver,
        depends_on=planned.depends_on,
        attempted=None,
        awaits_ready=kept.awaits_ready and planned.awaits_ready,
        protect=planned.protect,
        retain=planned.retain,
    )


def with_cookie(whole: ActiveResource, generation: int, cookie: DataMap) -> ActiveResource:
    """Return the record of a resource after a driver has stored a cookie."""
    record = next(record_ for record_ in records_of(whole) if record_.generation == generation)
    return with_record(whole, replace(record, cookie=cookie))


def is_there(record: ActiveResource | None) -> bool:
    """Return whether a call of a driver has succeeded, so that the next one is an update."""
    return record is not None and record.phase != "creating"


def would_be(key: ResourceKey, old: ActiveResource | None, *, is_same: bool, rotates: bool = False) -> str:
    """Return what would be done with a resource, in words, and why if its inputs do not tell.

    Args:
        key: the resource.
        old: the record of what its driver has made; None: nothing.
        is_same: whether its inputs are those of the last successful call.
        rotates: whether it gets a new secret.
    """
    if old is None or not is_there(old):
        return f"{key} would be created"
    if rotates:
        return f"{key} would be updated: it gets a new secret"
    if old.was_interrupted:
        return f"{key} would be updated: the last call of its driver has not succeeded"
    return f"{key} would be {'read again: its inputs are the same' if is_same else 'updated'}"


def would_do(old: ActiveResource | None, *, is_same: bool) -> Action:
    """Return what would be done with a resource.

    Args:
        old: the record of what its driver has made; None: nothing.
        is_same: whether only the call of its driver will tell what changes: its inputs are those of the last
            successful call.
    """
    if old is None or not is_there(old):
        return "create"
    return "read" if is_same and not old.was_interrupted else "update"


def words_of(replaced: ActiveResource, node: GraphNode, stays: str = "", *, is_gone: bool = True) -> str:
    """Return what a replacement changes, in words.

    Args:
        replaced: the record of what is replaced.
        node: what replaces it.
        stays: why what is replaced stays; empty: it is destroyed.
        is_gone: whether there is something to destroy: what replaces it is not pure.
    """
    is_same = (replaced.definition, replaced.driver) == (node.definition, node.driver)
    kept = f"; what is there stays ({stays})" if stays else ""
    if is_same:
        first = "" if stays or not is_gone else "destroyed first, and "
        return f"{first}made anew by the driver {node.driver}{kept}"
    drivers = f"driver {replaced.driver} → {node.driver}"
    return f"definition {replaced.definition} → {node.definition}, {drivers}{kept}"
