"""`cron.file`: a user's whole crontab, from a file of the project or of the network.

Source: Salt's state module `cron`, 3008: arguments and comments. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.backups import keep_backup, wants_backup
from ensue.library.states.file.described import without_checksums
from ensue.library.states.file.difference import content_difference
from ensue.library.states.file.remarks import KNOWN, OUTDATED, further_variables, remarks
from ensue.library.states.file.sources import ContentTemplate, read_first, read_sources

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_SPOOL: Final = "/var/spool/cron"


@also_takes(*KNOWN, others_with="template", outdated=OUTDATED)
async def file(
    ctx: StateContext,
    name: str | list[Data],
    *,
    source_hash: str | None = None,
    source_hash_name: str | None = None,
    user: str = "root",
    template: str | None = None,
    context: DataMap | None = None,
    replace: bool = True,
    defaults: DataMap | None = None,
    backup: str | bool | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Make a file the crontab of a user.

    Args:
        name: where the content comes from (`salt://…`, https or a path); the first of a list that exists.
        source_hash: checksum of a source outside the file roots.
        source_hash_name: file name to look up if `source_hash` lists several checksums.
        user: user whose crontab it becomes.
        template: render the content with this renderer (`jinja`).
        context: variables for the template.
        replace: replace an existing crontab.
        defaults: variables for templates; `context` overrides them.
        backup: `minion` keeps a copy of the replaced crontab below `file_backup/` in the cachedir.
        **kwargs: with `template`, further variables for it. A warning names arguments without effect.

    Example:
        salt://cron/backup:
          cron.file:
            - user: backup

    Returns:
        `changes` has `diff`; `new_state` has `user size sha256`.

    Raises:
        StateFailedError: the source cannot be found, the target has no cron, or cron refuses the content.
    """
    shown = str(name)
    further = further_variables(kwargs, template)
    warnings = remarks("cron.file", [word for word in kwargs if word not in further])
    old = _ended(await ctx.call("cron.raw_cron", user))
    if old and not replace:
        comment = f"User {user} already has a crontab. No changes made"
        return _returned(ctx, shown, user, old, comment, warnings=warnings)
    source, content = await read_first(
        ctx, read_sources(name, source_hash), name=shown, hash_name=source_hash_name, skip_verify=False
    )
    if template:
        variables = {**further, **(defaults or {}), **(context or {})}
        about: dict[str, Any] = {"source": source.location, "user": user, "mode": "0600"}
        rendering = ContentTemplate(renderer=template, variables=variables)
        content = await rendering.render(ctx, content, source.location, about=about)
    if content == old:
        comment = f"Crontab for user {user} is in the correct state"
        return _returned(ctx, shown, user, old, comment, warnings=warnings)
    changes: DataMap = {"diff": await content_difference(old, content, ctx.masker)}
    if ctx.test:
        comment = f"Crontab for user {user} is set to be updated"
        return StateReturn.planned(shown, comment, changes, warnings=warnings)
    if old and wants_backup(backup):
        await keep_backup(ctx, f"{_SPOOL}/{user}", old)
    await ctx.call("cron.set_raw_cron", user, content.decode("utf-8", "surrogateescape"))
    comment = f"Crontab for user {user} was updated"
    return _returned(ctx, shown, user, content, comment, changes=changes, warnings=warnings)


def _ended(crontab: str) -> bytes:
    """Return a crontab that ends with a newline, as Salt compares it."""
    text = crontab if not crontab or crontab.endswith("\n") else f"{crontab}\n"
    return text.encode("utf-8", "surrogateescape")


def _returned(
    ctx: StateContext,
    name: str,
    user: str,
    content: bytes,
    comment: str,
    *,
    changes: DataMap | None = None,
    warnings: tuple[str, ...] = (),
) -> StateReturn:
    returned = StateReturn.changed(
        name,
        comment,
        changes or {},
        {"user": user, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()},
        warnings=warnings,
    )
    return without_checksums(returned, ctx.masker, content)
