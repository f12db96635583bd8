"""State module `ssh_known_hosts`: known host keys of a user or of the whole system.

Notes:
    The target's `ssh-keyscan` asks a host for its keys. Without `key` and `fingerprint`, any key of the host
    is trusted.

Differences from Salt:
    The file is read and written directly, without `ssh-keygen`. A `key` must have the `fingerprint` if both
    are given; Salt writes any text as a key.

Args:
    name: the host.
    user: the user; None for the whole system.
    config: path of another file.

Source: Salt's state module `ssh_known_hosts`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext,
    name: str,
    user: str | None = None,
    fingerprint: str | None = None,
    key: str | None = None,
    port: int | None = None,
    enc: str | None = None,
    config: str | None = None,
    hash_known_hosts: bool = True,
    timeout: int = 5,  # noqa: ASYNC109 (Salt's argument, for the host that is asked)
    fingerprint_hash_type: str | None = None,
) -> StateReturn:
    """Add a host key to the known hosts.

    Args:
        fingerprint: expected fingerprint of the key.
        key: the key; by default the target asks the host for it.
        port: port of the host.
        enc: type of the key.
        hash_known_hosts: write a hash of the host's name.
        timeout: seconds that the host may take to answer.
        fingerprint_hash_type: `sha256`, `md5`, …

    Example:
        git.example.com:
          ssh_known_hosts.present:
            - user: deploy
            - key: AAAAC3NzaC1lZDI1NTE5AAAAIExamplekeyofthehost
            - enc: ssh-ed25519

    Returns:
        `changes` has `old` and `new`, lists of keys.

    Raises:
        StateFailedError: the arguments are invalid, the user does not exist, or the host cannot be asked.
    """
    shown = _shown(user, config)
    if key and not enc:
        return StateReturn.failed(name, 'Required argument "enc" if using "key" argument.')
    new_state: DataMap = {"name": name, "user": user, "config": shown}
    if ctx.test:
        entry: str | DataMap = await ctx.call(
            "ssh.check_known_host", user, name, key=key, fingerprint=fingerprint, config=config, port=port,
            fingerprint_hash_type=fingerprint_hash_type,
        )  # fmt: skip
        return _planned(name, shown, entry, new_state)
    done: DataMap = await ctx.call(
        "ssh.set_known_host", user=user, hostname=name, fingerprint=fingerprint, key=key, port=port, enc=enc,
        config=config, hash_known_hosts=hash_known_hosts, timeout=timeout,
        fingerprint_hash_type=fingerprint_hash_type,
    )  # fmt: skip
    if done["status"] == "error":
        return StateReturn.failed(name, str(done["error"]))
    if done["status"] == "exists":
        return StateReturn.unchanged(name, f"{name} already exists in {shown}", new_state)
    changes: DataMap = {"old": done["old"], "new": done["new"]}
    comment = _saved(name, shown, done["new"], key=key, fingerprint=fingerprint, enc=enc)
    return StateReturn.changed(name, comment, changes, new_state)


async def absent(
    ctx: StateContext, name: str, user: str | None = None, config: str | None = None
) -> StateReturn:
    """Remove a host from the known hosts.

    Example:
        git.example.com:
          ssh_known_hosts.absent:
            - user: deploy

    Returns:
        `changes` has `old` (a list of keys) and `new` (empty).

    Raises:
        StateFailedError: `config` is relative and no user is given, or the user does not exist.
    """
    gone: DataMap = {"name": name, "user": user, "config": _shown(user, config), "exists": False}
    if user and not await ctx.call("user.info", user):
        return StateReturn.unchanged(name, "Host is already absent", gone)
    known: list[DataMap] | None = await ctx.call("ssh.get_known_host_entries", user, name, config=config)
    if not known:
        return StateReturn.unchanged(name, "Host is already absent", gone)
    if ctx.test:
        return StateReturn.planned(name, f"Key for {name} is set to be removed from {_shown(user, config)}")
    done: DataMap = await ctx.call("ssh.rm_known_host", user=user, hostname=name, config=config)
    changes: DataMap = {"old": [*known], "new": None}
    return StateReturn.changed(name, str(done["comment"]), changes, gone)


def _shown(user: str | None, config: str | None) -> str:
    return config or (".ssh/known_hosts" if user else "/etc/ssh/ssh_known_hosts")


def _planned(name: str, config: str, entry: str | DataMap, new_state: DataMap) -> StateReturn:
    if isinstance(entry, dict):
        return StateReturn.failed(name, str(entry["error"]))
    if entry == "exists":
        return StateReturn.unchanged(name, f"Host {name} is already in {config}", new_state)
    what = f"added to {config}" if entry == "add" else f"updated in {config}"
    return StateReturn.planned(name, f"Key for {name} is set to be {what}")


def _saved(
    name: str, config: str, new: Any, *, key: str | None, fingerprint: str | None, enc: str | None
) -> str:
    first: dict[str, Any] = new[0]
    if key:
        return f"{name}'s key saved to {config} (key: {first['key']})"
    if fingerprint:
        return f"{name}'s key saved to {config} (fingerprint: {first['fingerprint']})"
    if enc:
        return f"{name}'s {enc} key saved to {config} (key: {first['key']})"
    return f"{name}'s key(s) saved to {config}"


FUNCTIONS: Final = placed(by_name(absent, present, make_only=("paths",)), "user", "config")
