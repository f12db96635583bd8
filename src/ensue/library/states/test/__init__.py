"""State module `test`: states that only return what the SLS requests.

They are plain functions, so that even a hundred thousand of them cost little.
`present` has its own module; `test.nested` is the same function under a longer path.

Args:
    name: the state's name.
    comment: the comment.
    **kwargs: have no effect, as in Salt.

Source: Salt's state module `test`, results and comments as in 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name, touches_nothing
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.test.check_pillar import check_pillar
from ensue.library.states.test.configurable import configurable_test_state
from ensue.library.states.test.present import present, secrets_of
from ensue.library.states.test.pretended import pretended_changes

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_SUCCESS: Final = "Success!"


@touches_nothing
def nop(ctx: StateContext, name: str, **kwargs: Data) -> StateReturn:  # it takes anything and does nothing
    """Do nothing; any arguments are accepted.

    Example:
        nothing:
          test.nop
    """
    return StateReturn.unchanged(name, _SUCCESS)


@touches_nothing
def succeed_without_changes(
    ctx: StateContext, name: str, comment: Data = _SUCCESS, **kwargs: Data
) -> StateReturn:
    """Return the result True.

    Example:
        done:
          test.succeed_without_changes
    """
    return StateReturn.unchanged(name, str(comment))


@touches_nothing
def fail_without_changes(ctx: StateContext, name: str, comment: Data = None, **kwargs: Data) -> StateReturn:
    """Return the result False, in a plan too.

    Args:
        comment: why; without it, a text of Salt.

    Example:
        wrong size:
          test.fail_without_changes:
            - comment: the disk is too small
    """
    if comment is None:
        comment = "If we weren't testing, this would be a failure!" if ctx.test else "Failure!"
    return StateReturn.failed(name, str(comment))


@touches_nothing
def succeed_with_changes(
    ctx: StateContext, name: str, comment: Data = _SUCCESS, **kwargs: Data
) -> StateReturn:
    """Return the result True and changes.

    Example:
        done:
          test.succeed_with_changes
    """
    if ctx.test:
        comment = "If we weren't testing, this would be successful with changes"
        return StateReturn.planned(name, str(comment), pretended_changes())
    return StateReturn.changed(name, str(comment), pretended_changes())


@touches_nothing
def fail_with_changes(
    ctx: StateContext, name: str, comment: Data = "Failure!", **kwargs: Data
) -> StateReturn:
    """Return the result False and changes; in a plan the result None.

    Example:
        never:
          test.fail_with_changes
    """
    if ctx.test:
        comment = "If we weren't testing, this would be failed with changes"
        return StateReturn.planned(name, str(comment), pretended_changes())
    return StateReturn.failed(name, str(comment), pretended_changes())


@touches_nothing
def show_notification(ctx: StateContext, name: str, text: Data = None, **kwargs: Data) -> StateReturn:
    """Return a text as the comment.

    Args:
        text: the text to show.
        **kwargs: ignored, as in Salt.

    Example:
        note:
          test.show_notification:
            - text: The next state restarts the database.

    Raises:
        StateFailedError: `text` is missing.
    """
    if not text:
        raise StateFailedError("test.show_notification requires `text`, the text to show")
    return StateReturn.unchanged(name, str(text))


def mod_watch(
    ctx: StateContext,
    name: str,
    result: bool | None = True,
    comment: Data = "Watch statement fired.",
    changes: DataMap | None = None,
    **kwargs: Data,
) -> StateReturn:
    """Report that a watched state has changes; result, comment and changes can be given.

    Args:
        ctx: the state's context; its declaration knows which watched states have changes.
        result: the result.
        changes: the changes; by default the names of the states with changes.
        **kwargs: the arguments of the function.
    """
    if changes is None:
        changes = {"Requisites with changes": list(ctx.declaration.changed_watches)}
    return StateReturn(name=name, result=result, changes=changes, comment=str(comment))


FUNCTIONS: Final = by_name(
    check_pillar, configurable_test_state, fail_with_changes, fail_without_changes, mod_watch, nop,
    present, show_notification, succeed_with_changes, succeed_without_changes, make_only=(),
)  # fmt: skip

MOD_WATCH = mod_watch

SECRETS: Final = secrets_of
