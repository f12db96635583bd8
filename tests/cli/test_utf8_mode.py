"""Arguments, file names and output are UTF-8 in every locale."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SLS = """\
größe:
  file.managed:
    - name: {folder}/datei-ä.txt
    - contents: "ä ☃ {{{{ pillar['ä'] }}}}"
"""


def ensue(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in an ASCII locale."""
    command = [sys.executable, "-m", "ensue", *words]
    return subprocess.run(command, cwd=folder, env={**os.environ, **ASCII}, capture_output=True, check=False)


def test_words_files_and_output_are_utf_8_in_an_ascii_locale(tmp_path: Path) -> None:
    """The names of an SLS, a value of pillar and the path of a file may have any characters."""
    (tmp_path / "ensue.yaml").write_text("file_roots: {base: [states]}\nid: ü\n", encoding="utf-8")
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "ü.sls").write_text(SLS.format(folder=tmp_path), encoding="utf-8")
    applied = ensue(tmp_path, "apply", "ü", "--pillar", "ä=ö")
    assert (applied.returncode, applied.stderr.decode()) == (0, "")
    assert "größe" in applied.stdout.decode()
    assert (tmp_path / "datei-ä.txt").read_text(encoding="utf-8") == "ä ☃ ö\n"


def test_an_error_has_its_words_in_an_ascii_locale(tmp_path: Path) -> None:
    """A message shows the characters that were typed."""
    refused = ensue(tmp_path, "plan", "fehlt-ü")
    assert refused.returncode == 1
    assert "there is no SLS 'fehlt-ü'" in refused.stderr.decode()


@pytest.mark.parametrize("locale", [ASCII, {"LC_ALL": "C.UTF-8"}])
def test_words_that_are_not_utf_8_are_refused(tmp_path: Path, locale: dict[str, str]) -> None:
    """Bytes of another encoding are refused in every locale."""
    command = [sys.executable.encode(), b"-m", b"ensue", b"plan", b"\xfc"]
    refused = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **locale}, capture_output=True, check=False
    )
    assert refused.returncode == 1
    assert b"an argument is not UTF-8" in refused.stderr
