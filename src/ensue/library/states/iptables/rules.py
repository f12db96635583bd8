"""`iptables.append`, `iptables.insert` and `iptables.delete`: rules of a chain.

Args:
    name: any name.
    table: the table.
    family: `ipv4` or `ipv6`.
    rules: several rules, each a mapping of arguments of this function.
    name_: the option `--name` of the matches `recent`, `pknock` and `quota2`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.iptables.saving import needs_saving, save_rules

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_Verb = Literal["append", "insert", "delete"]


class _Rule(msgspec.Struct, kw_only=True, frozen=True):
    """A rule to add or remove, with its table and chain."""

    name: str
    table: str
    family: str
    chain: str
    position: int | None
    save: bool | str | None
    text: str
    command: str


async def append(
    ctx: StateContext,
    name: str,
    table: str = "filter",
    family: str = "ipv4",
    *,
    rules: list[dict[str, Any]] | None = None,
    name_: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Add a rule at the end of a chain that does not have it.

    Args:
        **kwargs: `chain`; `save` (save the rules for the next boot: true, or a file); the options of the rule
            without their hyphens (`source`, `dport`, `jump`, `match`, …), and `if`, `of`, `proto`,
            `connstate`. A value that begins with `!` or `not` is negated.

    Example:
        allow-https:
          iptables.append:
            - table: filter
            - chain: INPUT
            - proto: tcp
            - dport: 443
            - jump: ACCEPT
            - save: true

    Returns:
        `changes` has `locale`, the name; `saved` if only the file was written; `new_state` has
        `name table family chain rule`, and for `rules` their number.

    Raises:
        StateFailedError: iptables rejects the rule, or is not installed.
    """
    return await _all(ctx, "append", _given(name, table, family, name_, kwargs), rules)


async def insert(
    ctx: StateContext,
    name: str,
    table: str = "filter",
    family: str = "ipv4",
    *,
    rules: list[dict[str, Any]] | None = None,
    name_: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Insert a rule at a position of a chain that does not have it.

    Args:
        **kwargs: `position`, counted from 1, or from -1 backwards; and the arguments of `iptables.append`.

    Example:
        allow-ssh:
          iptables.insert:
            - position: 1
            - chain: INPUT
            - proto: tcp
            - dport: 22
            - jump: ACCEPT

    Returns:
        As for `iptables.append`.

    Raises:
        StateFailedError: `position` is missing, iptables rejects the rule, or is not installed.
    """
    return await _all(ctx, "insert", _given(name, table, family, name_, kwargs), rules)


async def delete(
    ctx: StateContext,
    name: str,
    table: str = "filter",
    family: str = "ipv4",
    *,
    rules: list[dict[str, Any]] | None = None,
    name_: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Remove a rule from a chain.

    Args:
        **kwargs: the arguments of `iptables.append`; with `position`, each run removes the rule there.

    Example:
        deny-telnet:
          iptables.delete:
            - chain: INPUT
            - proto: tcp
            - dport: 23
            - jump: DROP

    Returns:
        `changes` has `locale`, the name; `new_state` has the keys of `iptables.append`, and `exists`.

    Raises:
        StateFailedError: iptables is not installed, or the position does not exist.
    """
    return await _all(ctx, "delete", _given(name, table, family, name_, kwargs), rules)


def _given(name: str, table: str, family: str, name_: str | None, options: dict[str, Any]) -> dict[str, Any]:
    named = {} if name_ is None else {"name_": name_}
    return {"name": name, "table": table, "family": family, **named, **options}


async def _all(
    ctx: StateContext, verb: _Verb, given: dict[str, Any], rules: list[dict[str, Any]] | None
) -> StateReturn:
    if rules is None:
        return await _one(ctx, verb, await _read(ctx, verb, given))
    base = {"name": given["name"], "table": "filter", "family": "ipv4"}
    single = [{key: value for key, value in {**base, **rule}.items() if key != "rules"} for rule in rules]
    saves = [rule.get("save") for rule in single if rule.get("save")]
    returns = [await _one(ctx, verb, await _read(ctx, verb, {**rule, "save": None})) for rule in single]
    results = [returned.result for returned in returns]
    result = False if False in results else None if None in results else True
    changed = [returned.changes["locale"] for returned in returns if returned.changes]
    changes: DataMap = {"locale": changed} if changed else {}
    comments = [returned.comment for returned in returns]
    if saves and result and await needs_saving(ctx, saves[-1], given["family"]):
        comments.append(await save_rules(ctx, saves[-1], given["family"]))
        changes = changes or {"saved": True}
    new_state: DataMap = {"name": given["name"], "rules": len(rules)}
    if verb == "delete":
        new_state["exists"] = False
    return StateReturn(
        name=given["name"],
        result=result,
        changes=changes,
        comment="\n".join(comments),
        new_state=new_state if result else None,
    )


async def _read(ctx: StateContext, verb: _Verb, given: dict[str, Any]) -> _Rule:
    if not given.get("chain"):
        raise StateFailedError(f"iptables.{verb} needs a `chain`")
    position = given.get("position")
    if verb == "insert" and not position:
        raise StateFailedError("iptables.insert needs a `position`, which counts from 1")
    options = {
        key: value for key, value in given.items() if key not in {"table", "family", "chain", "position"}
    }
    where = {"table": given["table"], "family": given["family"], "chain": given["chain"]}
    text: str = await ctx.call("iptables.build_rule", **options)
    letter = {"append": "A", "insert": "I", "delete": "D"}[verb]
    command: str = await ctx.call(
        "iptables.build_rule", command=letter, full=True, position=position or "", **where, **options
    )
    return _Rule(
        name=str(given["name"]), position=int(position) if position else None, save=given.get("save"),
        text=text, command=command, **where,
    )  # fmt: skip


async def _one(ctx: StateContext, verb: _Verb, rule: _Rule) -> StateReturn:
    place = (rule.table, rule.chain, rule.text, rule.family)
    try:
        is_there = bool(rule.text) and await ctx.call("iptables.check", *place)
    except StateFailedError as error:
        # In a plan, an earlier state may be about to install iptables.
        return StateReturn(name=rule.name, result=None if ctx.test else False, comment=str(error))
    is_settled = not is_there and rule.position is None if verb == "delete" else is_there
    what = "deleted" if verb == "delete" else "set"
    shown = f"({rule.command}) for {rule.family}"
    if is_settled:
        already = "already absent" if verb == "delete" else "already set"
        return await _saved(ctx, verb, rule, f"iptables rule for {rule.name} {already} {shown}")
    if ctx.test:
        return StateReturn.planned(rule.name, f"iptables rule for {rule.name} needs to be {what} {shown}")
    await _change(ctx, verb, rule)
    if rule.save:
        saved = await save_rules(ctx, rule.save, rule.family)
        comment = f"{what.capitalize()} and saved iptables rule {rule.name} for {rule.family}"
        comment = f"{comment}\n{rule.command}\n{saved}"
    elif verb == "delete":
        comment = f"Delete iptables rule for {rule.name} {rule.command}"
    else:
        comment = f"Set iptables rule for {rule.name} to: {rule.command} for {rule.family}"
    changes: DataMap = {"locale": rule.name}
    return StateReturn.changed(rule.name, comment, changes, _state(verb, rule))


async def _saved(ctx: StateContext, verb: _Verb, rule: _Rule, comment: str) -> StateReturn:
    """Make the return for a correct rule, and save the rules if the file lacks it."""
    changes: DataMap = {}
    if await needs_saving(ctx, rule.save, rule.family):
        if ctx.test:
            comment = f"{comment}\nThe rules need to be saved"
            return StateReturn.planned(rule.name, comment)
        comment = f"{comment}\n{await save_rules(ctx, rule.save, rule.family)}"
        changes["saved"] = True
    return StateReturn.changed(rule.name, comment, changes, _state(verb, rule))


async def _change(ctx: StateContext, verb: _Verb, rule: _Rule) -> None:
    where = (rule.table, rule.chain)
    if verb == "append":
        await ctx.call("iptables.append", *where, rule.text, rule.family)
    elif verb == "insert":
        await ctx.call("iptables.insert", *where, rule.position, rule.text, rule.family)
    elif rule.position is not None:
        await ctx.call("iptables.delete", *where, position=rule.position, family=rule.family)
    else:
        await ctx.call("iptables.delete", *where, rule=rule.text, family=rule.family)


def _state(verb: _Verb, rule: _Rule) -> DataMap:
    state: DataMap = {
        "name": rule.name, "table": rule.table, "family": rule.family, "chain": rule.chain, "rule": rule.text,
    }  # fmt: skip
    return {**state, "exists": False} if verb == "delete" else state
