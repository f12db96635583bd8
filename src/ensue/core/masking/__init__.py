"""Keeps secrets out of everything that ensue writes.

A `Masker` knows the secret values of one process and replaces them with `(sensitive)`. Every output (journal,
log, printer, progress, diagnostics) passes through it. It neither detects secrets by the names of their keys
nor stores them: code that opens a secret adds it first. docs/secrets.md says what is masked and what is not.

Source: derived-resources document, "Secret storage"; Salt's own outputs mask nothing.
"""

from __future__ import annotations

from ensue.core.masking.forms import MASK
from ensue.core.masking.headers import credentials, header_credentials, mask_credentials
from ensue.core.masking.masker import Masker
from ensue.core.masking.modes import mode_with_secret
from ensue.core.masking.parts import SHORTEST_PART_CHARS
from ensue.core.masking.placeholders import literal_part
from ensue.core.masking.urls import url_passwords

__all__ = [
    "MASK", "SHORTEST_PART_CHARS", "Masker", "credentials", "header_credentials", "literal_part",
    "mask_credentials", "mode_with_secret", "url_passwords",
]  # fmt: skip
