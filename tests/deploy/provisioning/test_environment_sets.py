"""Deployment sets: what leaves a set is gone, everything else is as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.deploy.provisioning.environment_sets import (
    Names,
    SetDocument,
    declared_names,
    deployed_part,
    names_of,
    without,
)

NAMES = [*"abcdef"]


PLACES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 2))


def documents(workloads: dict[str, int], shared: dict[str, int]) -> list[SetDocument]:
    """Return documents in which each name occurs once, by the number of its document."""
    return [
        SetDocument(
            path=f"{number}.yaml",
            text="text",
            workloads={name: f"image-{name}" for name, place in workloads.items() if place == number},
            shared=tuple(name for name, place in shared.items() if place == number),
        )
        for number in sorted({*workloads.values(), *shared.values()})
    ]


names = st.builds(Names, st.frozensets(st.sampled_from(NAMES)), st.frozensets(st.sampled_from(NAMES)))


@given(st.builds(documents, PLACES, PLACES), names)
def test_what_leaves_is_gone_and_nothing_else(kept: list[SetDocument], gone: Names) -> None:
    """The removed names are gone and all others stay; documents, their images and their order stay."""
    left = list(without(kept, gone))
    assert names_of(left) == names_of(kept).minus(gone)
    assert all(document.names for document in left if document not in kept)
    assert all(image == f"image-{name}" for document in left for name, image in document.workloads.items())
    assert [document.path for document in left] == [
        document.path for document in kept if document.path in {each.path for each in left}
    ]


def test_names_of_what_is_no_document() -> None:
    """Data that is refused later declares nothing, or what of it is valid."""
    score = {"apiVersion": "score.dev/v1b1", "metadata": {"name": 7}}
    assert declared_names(score) == Names(frozenset({"7"}))
    assert declared_names({"modules": {"web": None}, "shared": []}) == Names(frozenset({"web"}))
    for data in (
        None,
        [],
        {"modules": None},
        {"apiVersion": "score.dev/v1b1", "metadata": []},
        {"kind": "x"},
    ):
        assert declared_names(data) == Names()


def test_the_part_of_a_set_that_is_deployed() -> None:
    """Other keys stay; a set that is deployed as a whole is the same object."""
    data = {"id": "1", "modules": {"web": {"spec": {}}, "api": {}}, "shared": {"dns": {}, "db": {}}}
    whole = SetDocument(path="s", text="", workloads={"web": "", "api": ""}, shared=("db", "dns"))
    assert deployed_part(data, whole) is data
    part = SetDocument(path="s", text="", workloads={"web": ""}, shared=("db",))
    assert deployed_part(data, part) == {"id": "1", "modules": {"web": {"spec": {}}}, "shared": {"db": {}}}
