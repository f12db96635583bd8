"""Targets over many names: the index finds the same as matching every resource, in any store."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.postgresql import programs, running_postgresql

from ensue.core.errors import UnknownResourceError
from ensue.core.model.srn import Srn
from ensue.language.targeting import TargetSubject, Vocabulary, matches, parse_target
from ensue.language.targets.resource_index import ResourceIndex
from ensue.store.registry.entry import RegistrationRequest
from ensue.store.registry.registry import ResourceRegistry

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

MINION = Srn("minion", "m")
VOCABULARY = Vocabulary({"front": parse_target("web-* or L@box-1,db-2")})
ENV = Srn("starting_state", "env-1")
BOTH = Srn("ssh_host", "web-2")
STATIC = (Srn("dummy", "web-9"), Srn("dummy", "Box-1"), Srn("container", "db-1"), BOTH)
STORED = tuple(
    Srn(type_, f"{name}-{number}")
    for type_, name in (("ssh_host", "web"), ("ssh_host", "Web"), ("dummy", "box"), ("k8s_pod", "p:o"))
    for number in range(4)
)
OF_RUN = (Srn("ssh_host", "web-7"), Srn("dummy", "ä-1"), Srn("dummy", "web-0"))
"""The last one takes the place of a stored one, which is not to be seen any more."""

WORDS = (
    *("*", "web-1", "web-[0-2]", "[Ww]eb-?", "box-*", "m", "ssh_host:web-1", "p:o-1", "ä*", "nothing"),
    *("T@ssh_host", "T@ssh_host:web-1", "T@dummy:*-1", "T@minion", "T@k8s_pod:p:o-2", "T@nothing"),
    *("M@m", "M@other", "E@.*[13]$", "L@web-1,box-2,Box-1,no", "R@web-[1-9]", "R@p:o-[1,3],b*", "N@front"),
)
expressions = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or", "and not"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
    ),
    max_leaves=6,
)


@contextmanager
def index_over(store_url: str | None) -> Generator[ResourceIndex]:
    """Return an index of resources of every origin, some of them invalidated."""
    with tempfile.TemporaryDirectory() as folder:
        registry = ResourceRegistry(Path(folder), minion_id="m", store_url=store_url)
        gone = STORED[::3]
        for srn in STORED:
            registry.register(srn, {}, source=ENV if srn in gone else None)
        registry.forget(STORED[0])
        registry.register_many([RegistrationRequest(srn=srn, config={}, scope="run") for srn in OF_RUN])
        registry.invalidate(ENV)
        index = ResourceIndex(MINION, registry)
        index.set_static({srn: {} for srn in STATIC}, ())
        try:
            yield index
        finally:
            registry.close()


@pytest.fixture(scope="module")
def over_file() -> Iterator[ResourceIndex]:
    with index_over(None) as index:
        yield index


@pytest.fixture(scope="module")
def over_server() -> Iterator[ResourceIndex]:
    with running_postgresql() as server:
        # As dictionaries sort: `box` before `Box` before `web`.
        server.query("CREATE DATABASE en TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
        url = f"postgresql+psycopg://{server.user}@/en?host={server.socket_folder}"
        with index_over(url) as index:
            yield index


def matching_all(index: ResourceIndex, expression: str, *, status: str) -> list[Srn]:
    """Match a target against one record after the other."""
    target = parse_target(expression)
    return [
        record.srn
        for record in index.records()
        if record.status == status
        and matches(
            target,
            TargetSubject(srn=record.srn, managing_minions=record.managing_minions, vocabulary=VOCABULARY),
        )
    ]


def agrees(index: ResourceIndex, expression: str) -> None:
    for status in ("active", "invalidated"):
        matches = index.matching(parse_target(expression), VOCABULARY, active=status == "active")
        assert matches.matched == matching_all(index, expression, status=status)
        assert matches.undecided == []


@given(expression=expressions)
def test_a_target_finds_what_matching_everything_finds(over_file: ResourceIndex, expression: str) -> None:
    """Looked up by id, by type or read whole: the same resources in the same order."""
    agrees(over_file, expression)


@pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")
@settings(max_examples=40)
@given(expression=expressions)
def test_a_store_in_a_server_finds_the_same(over_server: ResourceIndex, expression: str) -> None:
    """A database with an order of its own changes nothing."""
    agrees(over_server, expression)


@given(ids=st.lists(st.sampled_from([*(srn.id for srn in (*STATIC, *STORED, *OF_RUN)), "m", "nothing"])))
def test_resources_are_found_by_id(over_file: ResourceIndex, ids: list[str]) -> None:
    """Records by id are those of the whole list, each once."""
    assert over_file.find(ids) == [record for record in over_file.records() if record.srn.id in ids]


def test_what_pillar_declares_hides_what_is_stored(over_file: ResourceIndex) -> None:
    """A name that is in pillar and in the store is one resource, and pillar's."""
    (declared,) = [record for record in over_file.records() if record.srn == BOTH]
    assert declared == over_file.record(BOTH)
    assert declared.origin == "pillar"
    assert over_file.ids_of("ssh_host").count("web-2") == 1


def test_an_id_or_a_name_resolves(over_file: ResourceIndex) -> None:
    """A bare id, an SRN and an id with a colon each name one resource."""
    assert over_file.resolve("web-1").srn == Srn("ssh_host", "web-1")
    assert over_file.resolve("ssh:web-1").srn == Srn("ssh_host", "web-1")
    assert over_file.resolve("p:o-1").srn == Srn("k8s_pod", "p:o-1")
    assert over_file.resolve(MINION).srn == MINION
    with pytest.raises(UnknownResourceError, match=r"did you mean .*box-2"):
        over_file.resolve("bxo-2")
    with pytest.raises(UnknownResourceError, match="'dummy:web-1'"):
        over_file.resolve("dummy:web-1")


def test_near_names_of_very_many_are_those_that_sort_nearby() -> None:
    """Of thousands of ids those around the missing one are compared, not all of them."""
    with tempfile.TemporaryDirectory() as folder:
        index = ResourceIndex(MINION, ResourceRegistry(Path(folder), minion_id="m"))
        index.set_static({Srn("dummy", f"box-{number:05d}"): {} for number in range(20_000)}, ())
        assert "box-12345" in index.near_ids("box-12345x", ["dummy"])
        assert "did you mean" in index.unknown("dummy:box-1234")
