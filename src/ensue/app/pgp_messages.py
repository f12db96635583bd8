"""Decrypting PGP messages with the keys of a project, by the `gpg` of this machine.

Each message is decrypted once per process. Its content is a secret, which the masker receives first. gpg
manages the agent that it starts for the keys.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.app.from_thread import from_thread
from ensue.core.errors import DecryptionError
from ensue.core.files.regular_files import is_folder

if TYPE_CHECKING:
    import asyncio

    from ensue.app.inline import InlineWork
    from ensue.core.masking import Masker
    from ensue.language.settings.settings import Settings

_logger = logging.getLogger(__name__)

DEFAULT_FOLDER: Final = "gpgkeys"
"""Where the keys of a project are, below its root."""

SALTS_FOLDER: Final = "/etc/salt/gpgkeys"
"""Where the keys are if the project has no such folder."""

_LARGEST_BYTES: Final = 1 << 24
_SHOWN_CHARS: Final = 300


class PgpMessages:
    """Decrypts messages, called from the threads in which files are rendered.

    Args:
        settings: the options of the project.
        masker: receives everything that is decrypted.
        inline: inline work, given up before gpg runs.
        loop: the event loop that gpg runs on.
    """

    def __init__(
        self, settings: Settings, masker: Masker, inline: InlineWork, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._settings = settings
        self._masker = masker
        self._inline = inline
        self._loop = loop
        self._known: dict[str, str] = {}

    def __call__(self, message: str) -> str:
        """Return the content of a message.

        Raises:
            DecryptionError: it cannot be decrypted, and the option `gpg_decrypt_must_succeed` is not false.
        """
        if message not in self._known:
            self._inline.give_up()
            self._known[message] = from_thread(self._decrypted_or_kept(message), self._loop)
        return self._known[message]

    async def _decrypted_or_kept(self, message: str) -> str:
        try:
            plain = await self._decrypted(message)
        except DecryptionError as error:
            if self._settings.option("gpg_decrypt_must_succeed", default=True):
                raise
            _logger.warning("a PGP message stays encrypted: %s", error)
            return message
        self._masker.add(plain, plain.rstrip("\n"))
        return plain

    async def _decrypted(self, message: str) -> str:
        from ensue.reach.processes.runner import Launch, OutputBoundError, run_once

        keys = self._folder()
        options = ("--homedir", str(keys), "--batch", "--no-tty", "--quiet", "--decrypt")
        launch = Launch(
            argv=[os.fsencode(word) for word in ("gpg", *options)],
            cwd=str(self._settings.root),
            env=dict(os.environb),
            stdin=message.encode(),
            most_bytes=_LARGEST_BYTES,
        )
        try:
            done = await run_once(launch)
        except FileNotFoundError:
            raise DecryptionError("there is no program `gpg` on this machine") from None
        except OutputBoundError:
            raise DecryptionError(f"it is larger than {_LARGEST_BYTES:,} bytes") from None
        except OSError as error:
            raise DecryptionError(f"gpg cannot be run: {error.strerror or error}") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "backslashreplace").strip()[-_SHOWN_CHARS:]
            raise DecryptionError(f"gpg with the keys in {keys}: {said or f'exit code {done.returncode}'}")
        try:
            return done.stdout.decode()
        except UnicodeDecodeError:
            raise DecryptionError("its content is not UTF-8 text") from None

    def _folder(self) -> Path:
        root, named = self._settings.root, self._settings.option("gpg_keydir")
        if named:
            return root / str(named)
        own, salts = root / DEFAULT_FOLDER, Path(SALTS_FOLDER)
        return salts if is_folder(salts) and not is_folder(own) else own
