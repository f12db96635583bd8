"""The mine's values of one target: a file below the cachedir, encrypted with the project's key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from ensue.core.errors import StateFailedError, StoreError, not_written
from ensue.core.files import private_files
from ensue.core.model.data_bounds import DataBoundError, check_data

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.model.srn import Srn

FOLDER: Final = "mine"
"""Name of the folder below the cachedir."""


class MineFiles:
    """The files of all targets; every method blocks.

    Args:
        cachedir: the project's cachedir.
        vault: encrypts them.
    """

    def __init__(self, cachedir: Path, vault: Vault) -> None:
        self._folder = cachedir / FOLDER
        self._vault = vault

    def read(self, srn: Srn) -> dict[str, Any]:
        """Return the values of a target by name, empty when nothing is kept.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        path = self._path(srn)
        try:
            sealed = path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"{path}: it cannot be read: {error.strerror}") from error
        values: dict[str, Any] = json.loads(self._vault.open(sealed, context=_context(srn)))
        return values

    def write(self, srn: Srn, values: Mapping[str, Any]) -> None:
        """Replace the values of a target; without any there is no file.

        Raises:
            StateFailedError: a value is not data.
            StoreError: they cannot be written.
        """
        try:
            check_data(values)
            plain = json.dumps(values)
        except (TypeError, ValueError, DataBoundError) as error:
            raise StateFailedError(f"the mine stores only data: {error}") from None
        path = self._path(srn)
        try:
            if not values:
                path.unlink(missing_ok=True)
                return
            private_files.make_private_directory(self._folder.parent)
            private_files.make_private_directory(self._folder)
            private_files.replace_whole(path, self._vault.seal(plain.encode(), context=_context(srn)))
        except OSError as error:
            raise not_written(f"{path}: it cannot be written", error) from error

    def _path(self, srn: Srn) -> Path:
        return self._folder / quote(str(srn), safe="")


def _context(srn: Srn) -> str:
    return f"mine:{srn}"
