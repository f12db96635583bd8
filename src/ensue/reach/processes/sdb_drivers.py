"""The drivers of `sdb`, which look up the value of a key.

Source: Salt's sdb modules `env`, `yaml` and `keyring_db`.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.files.regular_files import NotRegularError, read_regular
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.merged import merged
from ensue.core.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ensue.core.contracts.context import FunctionContext

    Driver = Callable[[FunctionContext, str, Mapping[str, Any]], Awaitable[Any]]


async def _environment(ctx: FunctionContext, key: str, profile: Mapping[str, Any]) -> Any:  # noqa: ARG001 (a driver)
    """Return an environment variable of the ensue process, None if it is not set."""
    return os.environ.get(key)


async def _yaml_files(ctx: FunctionContext, key: str, profile: Mapping[str, Any]) -> Any:
    """Return the value at a path of keys in YAML files; later files are merged over earlier ones."""
    pipe = "yaml|gpg" if profile.get("gpg") else "yaml"
    merged_data: Any = {}
    for path in files_of(profile, Path(str(ctx.opts.get("root_dir", "/")))):
        text = await asyncio.to_thread(text_of, path)
        data = await ctx.render_data(text, renderer=pipe, name=str(path))
        merged_data = with_file(merged_data, data, path)
    return traverse(merged_data, key, None)


async def _keyring(ctx: FunctionContext, key: str, profile: Mapping[str, Any]) -> Any:  # noqa: ARG001 (a driver)
    """Return a password from this machine's keyring, None if it has none."""
    return await asyncio.to_thread(password, key, profile)


def password(key: str, profile: Mapping[str, Any]) -> Any:
    """Return a password from this machine's keyring, None if it has none.

    Raises:
        StateFailedError: the keyring cannot be read.
    """
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        raise StateFailedError(
            "the sdb driver keyring requires the package keyring: pip install keyring"
        ) from None
    service = str(profile.get("service") or "keyring")
    try:
        return keyring.get_password(service, key)
    except Exception as error:
        raise StateFailedError(f"the keyring cannot be read: {type(error).__name__}: {error}") from error


def files_of(profile: Mapping[str, Any], root: Path) -> list[Path]:
    """Return the files of a profile of the driver `yaml`."""
    files = profile.get("files")
    return [root / str(name) for name in (files if is_list(files) else [files])]


def with_file(earlier: Any, data: Any, path: Path) -> Any:
    """Return the data of earlier files with the data of another file merged over it.

    Raises:
        StateFailedError: the file does not contain a mapping.
    """
    if not is_mapping(data or {}):
        raise StateFailedError(f"the sdb file {path} does not contain a mapping")
    return merged(earlier, data or {})


def text_of(path: Path) -> str:
    """Return the text of a file of the driver `yaml`.

    Raises:
        StateFailedError: the file cannot be read.
    """
    try:
        return read_regular(path).decode()
    except NotRegularError as error:
        raise StateFailedError(f"the sdb file {path} is {error}") from None
    except OSError as error:
        raise StateFailedError(f"the sdb file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise StateFailedError(f"the sdb file {path} is not UTF-8 text") from None


DRIVERS: Final[dict[str, Driver]] = {"env": _environment, "keyring": _keyring, "yaml": _yaml_files}
"""The drivers, by their name in a profile's `driver`."""
