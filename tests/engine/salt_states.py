"""The `test` state functions that Salt's facts were measured with, as plain functions."""

from __future__ import annotations

from typing import Any

from ensue.core.model.returns import StateReturn

CHANGED = {"testing": {"old": "Unchanged", "new": "Something pretended to change"}}


def succeed_without_changes(_ctx: Any, name: str) -> StateReturn:
    return StateReturn(name=name, result=True, comment="Success!")


def succeed_with_changes(ctx: Any, name: str) -> StateReturn:
    if ctx.test:
        comment = "If we weren't testing, this would be successful with changes"
        return StateReturn(name=name, result=None, changes=CHANGED, comment=comment)
    return StateReturn(name=name, result=True, changes=CHANGED, comment="Success!")


def fail_without_changes(ctx: Any, name: str) -> StateReturn:
    comment = "If we weren't testing, this would be a failure!" if ctx.test else "Failure!"
    return StateReturn(name=name, result=False, comment=comment)


def fail_with_changes(ctx: Any, name: str) -> StateReturn:
    if ctx.test:
        comment = "If we weren't testing, this would be failed with changes"
        return StateReturn(name=name, result=None, changes=CHANGED, comment=comment)
    return StateReturn(name=name, result=False, changes=CHANGED, comment="Failure!")


def mod_watch(ctx: Any, name: str, **_: Any) -> StateReturn:
    changes = {"Requisites with changes": list(ctx.site.changed_watches)}
    return StateReturn(name=name, result=True, changes=changes, comment="Watch statement fired.")


SALT_STATES = {
    "nop": succeed_without_changes,
    "succeed_without_changes": succeed_without_changes,
    "succeed_with_changes": succeed_with_changes,
    "fail_without_changes": fail_without_changes,
    "fail_with_changes": fail_with_changes,
}
