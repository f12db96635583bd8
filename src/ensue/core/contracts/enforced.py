"""The enforced states of earlier applies, for states that this run skips or does not have.

A reference to a state that was skipped, or is in no SLS of this run, reads what the last apply enforced. A
scope reads its own values only: an entry belongs to one state identity in one environment, and a state of
another scope never stands in for it, unless that is the same scope before one of its callers was renamed. A
run never reads what was enforced in another environment. Where and how entries are stored is not decided
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ensue.core.model.enforced import EnforcedState, FormerState, RanElsewhere
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.core.model.state_identity import StateIdentity


class EnforcedStates(Protocol):
    """The enforced states of a project.

    An implementation adds the secrets in an entry to the masker before it returns the entry. It is called in
    a separate thread while SLS are compiled, and without I/O on the event loop of a run.
    """

    def find(self, target: Srn, scope: str, path: str, id: str) -> Sequence[EnforcedState]:  # noqa: A002
        """Return every enforced state of a scope that a reference could mean; the caller chooses among them.

        Args:
            target: the resource the states ran against.
            scope: the identity of the scope.
            path: a module path, or a dotted prefix of one: `cloud` finds `cloud.instance`, not `clouds`.
            id: the ID or the name of a state, without the resource id that returns have in front of it.

        Returns:
            The entries in order of their tags; empty when there are none.
        """
        ...

    def ran_elsewhere(self, target: Srn, path: str, id: str) -> RanElsewhere:  # noqa: A002
        """Return where states were enforced that a reference could mean, but cannot read.

        Args:
            target: the resource the states ran against.
            path: a module path, or a dotted prefix of one.
            id: the ID or the name of a state.
        """
        ...

    def of_state(self, identity: StateIdentity) -> EnforcedState | None:
        """Return what the last apply that ran a state enforced, this run included; None if there is none.

        A state whose ID was renamed is the same one, if its function, name and target are; so is a state of a
        block if this holds for the states that lead to the block.
        """
        ...

    def conceal(self, identity: StateIdentity, paths: Collection[str]) -> None:
        """Treat parts of a state's stored value as secret from now on; an apply stores it encrypted.

        Args:
            identity: the state.
            paths: their property paths into `new_state`.
        """
        ...

    def former(self, identity: StateIdentity) -> FormerState | None:
        """Return what ran for a state that has no value, before it was renamed or killed, or elsewhere.

        None: nothing did.

        Args:
            identity: the state, of which `of_state` returns nothing.
        """
        ...


_LONGEST_NAME_CHARS: Final = 40
"""The end of a long command says little, and what to do comes after it."""


def why_without_value(returned: Return, former: FormerState | None) -> str:
    """Return why a skipped state has no value, and what to do.

    Args:
        returned: the return of the state in this run.
        former: what ran for it before it was renamed, or in another environment; None: nothing did.
    """
    if returned.causes:
        failed = " and ".join(map(repr, returned.causes))
        return f"{failed} failed, so {returned.id!r} has not run and no result of it from an apply is kept"
    because = f" ({returned.comment})" if returned.comment else ""
    skipped = f"{returned.id!r} was skipped{because}"
    where = f" in {returned.scope}" if returned.scope else ""
    mend = "have it run once, without what skips it, or read what it made with a `read_only` command"
    if former is None:
        return f"{skipped} and no result of it from an apply is kept{where}: {mend}"
    if former.word == "killed":
        return (
            f"{skipped}, and its result was not kept{where}: run {former.run_id} was killed while it ran; "
            "read what it made with a `read_only` command if that is whole, otherwise remove that, and apply "
            "again"
        )
    if former.word == "environment":
        return (
            f"{skipped} and no result of it from an apply is kept{where}; the value of run {former.run_id} "
            f"was made {environment_phrase(former.value)}, and belongs to that environment: {mend}"
        )
    value = former.value
    short = value if len(value) <= _LONGEST_NAME_CHARS else f"{value[:_LONGEST_NAME_CHARS]}…"
    if former.word == "caller":
        return (
            f"{skipped} and no result of it from an apply is kept{where}; the value of run "
            f"{former.run_id} is that of the "
            f"caller `{short}`, which is declared no more: keep the ID and the name of the caller, {mend}"
        )
    return (
        f"{skipped}, and the value of run {former.run_id} belongs to its former {former.word} `{short}`: "
        f"keep that {former.word}, {mend}"
    )


def environment_phrase(environment: str) -> str:
    """Return how a run was started in an environment, in the words of the command line."""
    return f"with `{environment}`" if environment else "without `--saltenv` and `--pillarenv`"


def enforced_of_skipped(
    returned: Return, of_state: Callable[[StateIdentity], EnforcedState | None]
) -> EnforcedState | None:
    """Return the earlier value of a state that this run skipped; None if it was not skipped, or never ran.

    Args:
        returned: the return of the state in this run.
        of_state: returns what was last enforced for a state.
    """
    if not returned.skipped or returned.new_state is not None:
        return None
    return of_state(returned.identity)
