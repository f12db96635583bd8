"""Names of resources as text."""

from __future__ import annotations

import pytest

from ensue.core.model.srn import Srn


def test_an_alias_is_its_type() -> None:
    """`ssh:web-01`, as Salt writes it, is `ssh_host:web-01`; only the type has aliases."""
    assert Srn.parse("ssh:web-01") == Srn.parse("ssh_host:web-01") == Srn("ssh_host", "web-01")
    assert Srn.parse("dummy:ssh") == Srn("dummy", "ssh")


@pytest.mark.parametrize("text", ["", "ssh", "ssh:", ":a", "a b:c", "a: b"])
def test_what_is_no_name(text: str) -> None:
    """The error says what is wrong with a name and gives an example of a right one."""
    with pytest.raises(ValueError, match="ssh_host:web-01"):
        Srn.parse(text)
