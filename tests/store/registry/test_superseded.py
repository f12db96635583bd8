"""Which entry about a thing was enforced last, in any order of states and over any number of runs."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow
from ensue.store.registry.superseded import LastEnforced

PATHS = ("/a", "/a/b", "/a/b/c", "/a/bb", "/a/b/d", "/e", "service")


@dataclass(frozen=True, slots=True)
class Enforced:
    """One state that is enforced.

    Args:
        path: what it is about.
        id_: distinguishes the states about one thing.
        is_absent: whether it makes the thing absent.
        begins_run: whether a new run begins before it.
    """

    path: str
    id_: str
    is_absent: bool
    begins_run: bool

    @property
    def tag(self) -> str:
        """The tag of the state."""
        return f"thing_|-{self.id_}_|-{self.path}"

    def supersedes(self, other: Enforced) -> bool:
        """Return whether this state undoes what an earlier one did."""
        if self.tag == other.tag:
            return False
        if self.path == other.path:
            return True
        if self.is_absent:
            return other.path.startswith(f"{self.path}/")
        return other.is_absent and self.path.startswith(f"{other.path}/")

    @property
    def row(self) -> EnforcedRow:
        """Its entry."""
        new_state = {"path": self.path, **({"exists": False} if self.is_absent else {})}
        entry = EnforcedEntry("thing", "present", self.id_, self.path, "t", msgspec.msgpack.encode(new_state))
        return EnforcedRow("minion:m", "", self.tag, "run", entry)


STATES = st.builds(
    Enforced,
    path=st.sampled_from(PATHS),
    id_=st.sampled_from("xy"),
    is_absent=st.booleans(),
    begins_run=st.booleans(),
)


@given(st.lists(STATES, max_size=25))
def test_the_last_state_about_a_thing(states: list[Enforced]) -> None:
    """Each entry names the last of the states that have undone it since, if there are any."""
    kept: dict[str, EnforcedRow] = {}
    last = LastEnforced([])
    for state in states:
        if state.begins_run:
            last = LastEnforced(kept.values())
        for row in last.enforce(state.row):
            kept[row.tag] = row
    own = {state.tag: number for number, state in enumerate(states)}
    for tag, number in own.items():
        later = [state.tag for state in states[number + 1 :] if state.supersedes(states[number])]
        assert kept[tag].entry.superseded_by == (("", later[-1]) if later else None)


def about(id_: str, *things: str) -> EnforcedRow:
    """Return the entry of a state that is about these things, whatever its name is."""
    entry = EnforcedEntry("thing", "present", id_, id_, "t", msgspec.msgpack.encode({}), things=things)
    return EnforcedRow("minion:m", "", f"thing_|-{id_}_|-{id_}_|-present", "run", entry)


def test_what_a_state_is_about_no_more() -> None:
    """It has an entry of its own, which the next state about it supersedes."""
    last = LastEnforced([])
    kept: dict[str, EnforcedRow] = {}
    for row in (about("it", "thing:a", "thing:b"), about("it", "thing:b"), about("other", "thing:a")):
        kept |= {each.tag: each for each in last.enforce(row)}
    former = kept.pop("thing_|-it_|-a_|-present")
    assert (former.entry.things, former.entry.is_former) == (("thing:a",), True)
    assert former.entry.superseded_by == ("", about("other").tag)
    assert kept == {row.tag: row for row in (about("it", "thing:b"), about("other", "thing:a"))}


def test_a_thing_that_another_state_has_taken_over() -> None:
    """The entry of the earlier state is superseded: the later one is the last about the thing."""
    last = LastEnforced([])
    rows = (about("it", "thing:a"), about("other", "thing:a"), about("it", "thing:b"))
    assert [row.tag for row in rows for row in last.enforce(row)].count("thing_|-it_|-a_|-present") == 0


def test_what_a_state_about_something_else_removes() -> None:
    """It and what is below it is absent from then on, until it is made again; what is beside it stays."""

    def state(path: str, id_: str = "x") -> EnforcedRow:
        return Enforced(path, id_, is_absent=False, begins_run=False).row

    rows = [state("/a/b"), state("/a/b/c"), state("/a/bb"), state("/e")]
    last = LastEnforced(rows)
    cleaning = state("/a", "clean")
    enforced = list(last.enforce(cleaning, ["/a/b"]))
    assert [row.tag for row in enforced] == [cleaning.tag, rows[0].tag, rows[1].tag]
    for row in enforced[1:]:
        assert (row.entry.is_absence, row.entry.superseded_by) == (True, ("", cleaning.tag))
    again = state("/a/b", "y")
    assert [row.tag for row in last.enforce(again)] == [rows[0].tag, again.tag]


def test_one_of_several_things_is_removed() -> None:
    """The entry is about the others from then on, which nothing has undone."""
    several, cleaning = about("several", "/a/b", "/a/b/c", "/e"), about("clean", "/a")
    own, rest = LastEnforced([several]).enforce(cleaning, ["/a/b"])
    assert (own, rest.tag) == (cleaning, several.tag)
    assert (rest.entry.things, rest.entry.is_absence, rest.entry.superseded_by) == (("/e",), False, None)
    assert [*LastEnforced([rest]).enforce(about("other", "/a/b"))] == [about("other", "/a/b")]
