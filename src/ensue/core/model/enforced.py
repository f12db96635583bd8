"""The result of one state in an apply, kept for references of later runs."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - msgspec resolves it
from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.kept_output import without_cut

if TYPE_CHECKING:
    from ensue.core.model.data import Data
    from ensue.core.model.kept_output import DataPath
    from ensue.core.model.property_path import Step


class EnforcedBy(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The declaration that a state was enforced by, so that a later run can tell whether it still exists.

    Args:
        sls: the key of the SLS of the top scope that the declaration is in or grew from; an environment and a
            colon for a resource of a deployment; empty for a state that was called on its own.
        is_fanned_out: whether its declaration has a `tgt`.
        on: the resource whose own SLS it is, in a run with a target; empty: that of the minion.
        highstate: whether a highstate has enforced it.
        requested: the SLS that the last run was called with; empty for a highstate.
        is_reported: whether an apply has reported that it is no longer declared.
        environment: what selected the environments of SLS and pillar, in the words of the command line; empty
            if nothing did. A run of other environments does not know what it declares.
        pillar_keys: the keys of the pillar that the command line gave.
        pillar_of: the minion whose pillar declared the target; empty if none did.
        on_pillar_of: the minion whose pillar declared the resource whose own SLS it is; empty if none did.
    """

    sls: str
    is_fanned_out: bool = False
    on: str = ""
    highstate: bool = False
    requested: tuple[str, ...] = ()
    is_reported: bool = False
    environment: str = ""
    pillar_keys: tuple[str, ...] = ()
    pillar_of: str = ""
    on_pillar_of: str = ""


def environment_of_values(selected: str) -> str:
    """Return the environment that the values of a run belong to, in the words of the command line.

    An SLS that is applied by name is in `base` anyway, and its states have one value, whatever applies them.

    Args:
        selected: what selects the environments of the run.
    """
    return f"{selected} ".removeprefix("--saltenv base ").rstrip()


class FormerState(msgspec.Struct, frozen=True, kw_only=True):
    """What an earlier apply ran for a state that has no value.

    Args:
        word: what is another one now: `ID`, `name`, or `caller`, a state that leads to its block, or
            `environment`. `killed`: nothing; that apply was killed while it called the state.
        value: what that was: an ID, or a name, secrets masked, or an environment in the words of the command
            line, which may be empty; empty if nothing is another one.
        run_id: the run that ran it last.
    """

    word: str
    value: str
    run_id: str


class RanElsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """Where earlier applies ran states that a reference could mean, but cannot read.

    Args:
        scopes: the paths of other scopes of its environment.
        environments: other environments, in the words of the command line; empty for the one that nothing
            selects.
    """

    scopes: Sequence[str] = ()
    environments: Sequence[str] = ()


class EnforcedState(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one state in an apply.

    Args:
        tag: the chunk's tag.
        module: the state's module path (`cloud.instance`).
        function: the function in it (`present`).
        id: the declaration's ID.
        name: the state's name.
        sls: the SLS that contained it.
        new_state: its state when that apply ended; secrets in the clear.
        sensitive: property paths into `new_state` whose values are secrets.
        cut: where `new_state` was truncated (`kept_output`).
        arguments: the fingerprint of the arguments that it was called with; None if that is not known.
        run_id: the run that last wrote the entry; empty if that is not known.
        environment: the environment that it belongs to (`environment_of_values`).
    """

    tag: str
    module: str
    function: str
    id: str
    name: str
    sls: str
    new_state: Data
    sensitive: tuple[str, ...] = ()
    cut: tuple[DataPath, ...] = ()
    arguments: int | None = None
    run_id: str = ""
    environment: str = ""

    @property
    def whole(self) -> Data:
        """The `new_state` without the values that were cut."""
        return without_cut(self.new_state, self.cut) if self.cut else self.new_state

    def cut_at(self, steps: Sequence[Step]) -> str:
        """Return the path of a value that was cut and that a reference would read; empty for none.

        Args:
            steps: the reference's property path.
        """
        keys = [step if isinstance(step, str) else step.key for step in steps]
        for path in self.cut:
            if all(key is None or key == part for key, part in zip(keys, path, strict=False)):
                return ":".join(path) or "new_state"
        return ""
