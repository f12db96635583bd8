"""Private keys that are given as text, in files of the target while they are used."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reach.certificates.target import done, needs_openssl, openssl, target

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.key_files import in_files

pytestmark = needs_openssl


def test_a_key_as_text_becomes_a_file() -> None:
    """Each of the two, masked, for its owner alone, and gone afterwards; other arguments stay."""
    text = openssl("genpkey", "-algorithm", "ed25519")
    ctx = target()

    async def use() -> list[Path]:
        given = {"private_key": text, "signing_private_key": f"\n{text}", "public_key": text, "CN": "a"}
        async with in_files(ctx, given) as placed:
            paths = [Path(placed.pop(word)) for word in ("private_key", "signing_private_key")]
            assert placed == {"public_key": text, "CN": "a"}
            for path in paths:
                assert path.stat().st_mode & 0o777 == 0o600
                assert openssl("pkey", "-in", path) == text
            assert paths[0] != paths[1]
            return paths

    paths = done(use())
    assert not any(path.exists() for path in paths)
    assert ctx.masker.text(f"a {text} b") == "a (sensitive) b"


def test_an_error_removes_the_file() -> None:
    """The one that the work raises comes through."""
    paths: list[Path] = []

    async def use() -> None:
        async with in_files(target(), {"private_key": "-----BEGIN PRIVATE KEY-----"}) as placed:
            paths.append(Path(placed["private_key"]))
            raise StateFailedError("it cannot be used")

    with pytest.raises(StateFailedError, match="it cannot be used"):
        done(use())
    assert not paths[0].exists()


@pytest.mark.parametrize("given", [{}, {"private_key": "/a.key"}, {"private_key": None}, {"private_key": 5}])
def test_what_is_no_text_of_a_key_stays(given: dict[str, object]) -> None:
    """A path above all."""

    async def use() -> dict[str, object]:
        async with in_files(target(), given) as placed:
            return placed

    assert done(use()) == given
