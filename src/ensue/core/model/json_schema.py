"""What all JSON Schemas of ensue share."""

from __future__ import annotations

from typing import Final

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
"""The dialect that they are written in: JSON Schema 2020-12."""
