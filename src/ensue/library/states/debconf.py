"""State module `debconf`: answers to the questions of Debian packages.

Differences from Salt:
    `debconf.set_file` reports its `changes`, and changes nothing the second time.

Source: Salt's state module `debconf`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes()
async def set_(ctx: StateContext, name: str, data: dict[str, dict[str, Any]], **kwargs: Any) -> StateReturn:
    """Set the answers to questions of a package before it is installed.

    Args:
        name: the package.
        data: `type` and `value` by question.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        postfix:
          debconf.set:
            - data: {postfix/main_mailer_type: {type: select, value: Satellite system}}

    Returns:
        `changes` has the new answers by question; passwords are hidden.

    Raises:
        StateFailedError: the target has no debconf.
    """
    for each in data.values():
        if each["type"] == "password":
            ctx.masker.add(str(each["value"]))
    if ctx.test and not await ctx.call("debconf.is_there"):
        # An earlier state may be about to install it.
        return StateReturn.planned(name, "debconf-utils is not installed yet, so the answers cannot be read")
    current: list[list[str]] = await ctx.call("debconf.show", name) or []
    answers = {key: (str(each["type"]), _text(each)) for key, each in data.items()}
    waiting = {key: each for key, each in answers.items() if [key, *each] not in current}
    new_state: DataMap = {"name": name, "questions": [*answers]}
    if not waiting:
        return StateReturn.unchanged(name, "All specified answers are already set", new_state)
    there = [key for key in answers if key not in waiting]
    comment = f"Unchanged answers: {' '.join(there)}" if there else ""
    changes: DataMap = {}
    for key, (kind, value) in waiting.items():
        shown = "(password hidden)" if kind == "password" else value
        changes[key] = f"New value: {shown}" if ctx.test else shown
    if ctx.test:
        return StateReturn.planned(name, comment, changes)
    try:
        for key, (kind, value) in waiting.items():
            await ctx.call("debconf.set", name, key, kind, value)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Some settings failed to be applied. {error}", changes)
    return StateReturn.changed(name, comment, changes, new_state)


@also_takes()
async def set_file(
    ctx: StateContext,
    name: str,
    source: str,
    *,
    template: str | None = None,
    context: dict[str, Any] | None = None,
    defaults: dict[str, Any] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Set the answers to questions from a file in the format of debconf-set-selections.

    Args:
        name: any name.
        source: the file, `salt://…`.
        template: render the file first, with this renderer.
        context: variables for the template.
        defaults: variables for templates; `context` overrides them.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        postfix:
          debconf.set_file:
            - source: salt://debconf/postfix.selections

    Returns:
        `changes` has the new answers by question; passwords are hidden. Without debconf-utils, answers cannot
        be
        compared: as in Salt, each run sets all of them and reports no changes.

    Raises:
        StateFailedError: the file does not exist, or the target has no debconf.
    """
    text = (await ctx.files.read(source)).decode("utf-8")
    if template:
        variables = {**(defaults or {}), **(context or {})}
        text = await ctx.render_template(text, renderer=template, name=source, context=variables)
    answers = [
        _line(line) for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ]
    for _, _, kind, value in answers:
        if kind == "password":
            ctx.masker.add(value)
    is_known = await ctx.call("debconf.is_there")
    current: dict[str, list[list[str]]] = await ctx.call("debconf.get_selections") if is_known else {}
    waiting = [each for each in answers if each[1:] not in current.get(each[0], [])]
    new_state: DataMap = {"name": name, "questions": [each[1] for each in answers]}
    if not waiting:
        return StateReturn.unchanged(name, "All specified answers are already set", new_state)
    if ctx.test:
        return StateReturn.planned(name, "Debconf selections would have been set.")
    for package, question, kind, value in waiting:
        await ctx.call("debconf.set", package, question, kind, value)
    hidden = {
        question: "(password hidden)" if kind == "password" else value for _, question, kind, value in waiting
    }
    changes: DataMap = {**hidden} if is_known else {}
    return StateReturn.changed(name, "Debconf selections were set.", changes, new_state)


def _line(line: str) -> list[str]:
    """Return package, question, type and value of a line.

    Raises:
        StateFailedError: the line has fewer than three words.
    """
    words = [*line.strip().split(None, 3), ""][:4]
    if not words[2]:
        raise StateFailedError(
            f"debconf: `{words[0]} …` is not an answer: write package, question, type and value"
        )
    return words


def _text(answer: dict[str, Any]) -> str:
    value = answer.get("value", "")
    if answer["type"] == "boolean":
        return "true" if value else "false"
    return str(value)


FUNCTIONS: Final = by_name(set_, set_file, make_only=())
