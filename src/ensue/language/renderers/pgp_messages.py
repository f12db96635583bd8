"""Encrypting and decrypting PGP messages with the keys of a project, by the `gpg` of this machine.

Each message is decrypted once per process. Its content is a secret, which the masker receives first. gpg
manages the agent that it starts for the keys.
"""

from __future__ import annotations

import itertools
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.from_thread import from_thread
from ensue.core.errors import DecryptionError
from ensue.core.files.regular_files import is_folder

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from ensue.core.masking import Masker
    from ensue.language.settings.settings import Settings

_logger = logging.getLogger(__name__)

DEFAULT_FOLDER: Final = "gpgkeys"
"""Where the keys of a project are, below its root."""

SALTS_FOLDER: Final = "/etc/salt/gpgkeys"
"""Where the keys are if the project has no such folder."""

_LARGEST_BYTES: Final = 1 << 24
_SHOWN_CHARS: Final = 300
_FINGERPRINT_FIELD: Final = 9
_MAKE_KEY: Final = (
    "make one: `mkdir -m 700 {keys}`, then `gpg --homedir {keys} --batch --passphrase '' "
    "--quick-gen-key NAME`; keep the folder out of version control"
)


class PgpMessages:
    """Decrypts messages, called from the threads in which files are rendered.

    Args:
        settings: the options of the project.
        masker: receives everything that is decrypted.
        loop: the event loop that gpg runs on.
    """

    def __init__(self, settings: Settings, masker: Masker, loop: asyncio.AbstractEventLoop) -> None:
        self._settings = settings
        self._masker = masker
        self._loop = loop
        self._known: dict[str, str] = {}

    def __call__(self, message: str) -> str:
        """Return the content of a message.

        Raises:
            DecryptionError: it cannot be decrypted, and the option `gpg_decrypt_must_succeed` is not false.
        """
        if message not in self._known:
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
        keys = keys_folder(self._settings)
        if not is_folder(keys):
            raise DecryptionError(
                f"there is no folder of keys {keys}: copy the one with the secret key to it"
            )
        plain = await _gpg(self._settings.root, keys, ("--decrypt",), message.encode())
        try:
            return plain.decode()
        except UnicodeDecodeError:
            raise DecryptionError("its content is not UTF-8 text") from None


def keys_folder(settings: Settings) -> Path:
    """Return the folder of a project's keys."""
    root, named = settings.root, settings.option("gpg_keydir")
    if named:
        return root / str(named)
    own, salts = root / DEFAULT_FOLDER, Path(SALTS_FOLDER)
    return salts if is_folder(salts) and not is_folder(own) else own


async def encrypted(settings: Settings, plain: str, recipients: Sequence[str] = ()) -> str:
    """Return a text as a PGP message that the keys of a project decrypt.

    Args:
        settings: the options of the project.
        plain: the text.
        recipients: the keys that decrypt it, by id, fingerprint or address; none: the project's secret key.

    Raises:
        DecryptionError: gpg cannot be run, has no such key, or has several secret keys and none is named.
    """
    keys = keys_folder(settings)
    if not is_folder(keys):
        raise DecryptionError(f"there is no folder of keys {keys} ({_MAKE_KEY.format(keys=keys)})")
    chosen = recipients or [await _only_secret_key(settings.root, keys)]
    named = [word for recipient in chosen for word in ("--recipient", recipient)]
    # Write access to the folder includes the secret key, so every key in it is trusted.
    options = ("--armor", "--no-auto-key-locate", "--trust-model", "always", *named, "--encrypt")
    return (await _gpg(settings.root, keys, options, plain.encode())).decode()


async def _only_secret_key(root: Path, keys: Path) -> str:
    """Return the fingerprint of the only secret key of a folder."""
    listed = await _gpg(root, keys, ("--with-colons", "--list-secret-keys"), b"")
    fields = [line.split(":") for line in listed.decode("utf-8", "backslashreplace").splitlines()]
    prints = [
        following[_FINGERPRINT_FIELD]
        for field, following in itertools.pairwise(fields)
        if field[0] == "sec" and following[0] == "fpr"
    ]
    if len(prints) == 1:
        return prints[0]
    if prints:
        raise DecryptionError(f"{keys} has {len(prints)} secret keys: name one of {', '.join(prints)}")
    raise DecryptionError(f"{keys} has no secret key ({_MAKE_KEY.format(keys=keys)})")


async def _gpg(root: Path, keys: Path, options: Sequence[str], given: bytes) -> bytes:
    """Return what gpg prints.

    Args:
        root: the folder it runs in.
        keys: the folder of its keys.
        options: what it does.
        given: its input.

    Raises:
        DecryptionError: it cannot be run, fails, or prints too much.
    """
    from ensue.reach.processes.runner import Launch, OutputBoundError, run_once

    words = ("gpg", "--homedir", str(keys), "--batch", "--no-tty", "--quiet", *options)
    launch = Launch(
        argv=[os.fsencode(word) for word in words],
        cwd=str(root),
        env=dict(os.environb),
        stdin=given,
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
        reason = done.stderr.decode("utf-8", "backslashreplace").strip()[-_SHOWN_CHARS:]
        raise DecryptionError(f"gpg with the keys in {keys}: {reason or f'exit code {done.returncode}'}")
    return done.stdout
