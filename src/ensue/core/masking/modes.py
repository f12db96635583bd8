"""The mode of a new file with a secret in it, if its state declares none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ensue.core.masking.masker import Masker

_OF_ITS_OWNER: Final = 0o600


def mode_with_secret(masker: Masker, content: object) -> int | None:
    """Return the mode of a new file: readable by its owner alone if a known secret is in it.

    However the secret came into the content, the rule is that of its checksum, which is then a secret too.

    Args:
        masker: knows the secrets.
        content: the content as bytes. Long content, which is not in memory, is not looked into.

    Returns:
        Permission bits; None for those that the target gives to new files.
    """
    return _OF_ITS_OWNER if isinstance(content, bytes) and masker.is_in(content) else None
