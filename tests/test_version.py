"""The version of ensue."""

from __future__ import annotations

from importlib import metadata

from packaging.version import Version

import ensue
from ensue.version import __version__


def test_the_version_is_one() -> None:
    """That of the package and of its distribution, in the form of Python's packages."""
    assert ensue.__version__ == __version__ == str(Version(__version__))
    assert metadata.version("ensue") == __version__
