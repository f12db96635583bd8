"""References in files that states render: only what can be read is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.language.references.in_template_files import _text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("content", [None, b"\xff${test:a:x}"])
def test_a_file_that_cannot_be_read_holds_no_reference(tmp_path: Path, content: bytes | None) -> None:
    """The state that renders it reports the error."""
    path = tmp_path / "a.conf"
    if content is not None:
        path.write_bytes(content)
    assert _text(str(path)) == ""
