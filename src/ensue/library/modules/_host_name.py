"""Changes a target's host name, in the running kernel and in the files that contain it.

Source: Salt's execution module `network`, 3008: which files and programs; hostname(5), hostnamectl(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of, with_line, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def mod_hostname(ctx: FunctionContext, hostname: str) -> bool:
    """Change the target's host name in its files and, if its system is running, in its kernel.

    Args:
        hostname: the name, with or without a domain.

    Example:
        ensue call '*' network.mod_hostname web-01.example.com

    Raises:
        StateFailedError: the target refuses the name.
    """
    if not hostname:
        return False
    # A chroot shares the kernel of the system around it, whose name must not change.
    is_started = not await ctx.call("service.offline")
    answer = await ask(ctx, "hostname", "-f")
    running = answer.stdout.strip() if is_started and answer.is_success else ""
    old = (await text_of(ctx, "/etc/hostname") or "").strip() or running
    if is_started:
        done = await ask(ctx, "hostnamectl", "set-hostname", hostname)
        if not done.is_success:
            await must(ctx, "hostname", hostname, what=f"name the target {hostname}")
    await _name_in_hosts(ctx, {old, running} - {""}, hostname)
    await write_text(ctx, "/etc/hostname", f"{hostname}\n")
    network = await text_of(ctx, "/etc/sysconfig/network")
    if network is not None and "HOSTNAME=" in network:
        await write_text(
            ctx, "/etc/sysconfig/network", with_line(network, "HOSTNAME=", f"HOSTNAME={hostname}")
        )
    return True


async def _name_in_hosts(ctx: FunctionContext, old: set[str], new: str) -> None:
    text = await text_of(ctx, "/etc/hosts")
    if text is None:
        return
    lines = [
        "\t".join(new if word in old else word for word in line.split()) if old & {*line.split()} else line
        for line in file_lines(text)
    ]
    changed = "".join(f"{line}\n" for line in lines)
    if changed != text:
        await write_text(ctx, "/etc/hosts", changed)
