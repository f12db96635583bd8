"""Environment providers are found by name, and a broken one fails by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import NotAvailableError, PluginError
from ensue.reach.resources.providers import Providers

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = "".join(
    f"async def {name}(request): ...\n" for name in ("observe", "deploy", "connection_info", "destroy")
)


@pytest.mark.parametrize("name", ["sandbox", "command", "terraform"])
def test_those_that_are_shipped_keep_the_contract(name: str) -> None:
    """Each has all four functions."""
    assert Providers().find(name).connection_info


def test_a_projects_own_comes_first(tmp_path: Path) -> None:
    """A file of the name takes the place of a provider that is shipped."""
    (tmp_path / "sandbox.py").write_text(WHOLE)

    assert Providers([tmp_path]).find("sandbox").deploy.__module__ == "ensue_provider_sandbox"


def test_one_that_is_not_there_has_near_names(tmp_path: Path) -> None:
    """The project's own among them; those that cannot be names are not looked for."""
    (tmp_path / "laboratory.py").write_text(WHOLE)

    with pytest.raises(NotAvailableError, match="did you mean laboratory"):
        Providers([tmp_path]).find("labratory")
    with pytest.raises(NotAvailableError, match="there are command, laboratory, sandbox, terraform"):
        Providers([tmp_path]).find("../etc")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("async def observe(request): ...", r"lab\.py\) lacks deploy, connection_info, destroy"),
        ("import nowhere", r"lab\.py\) does not load: ModuleNotFoundError"),
        ("def (", "SyntaxError"),
    ],
)
def test_a_broken_one_names_its_file(tmp_path: Path, text: str, message: str) -> None:
    """And what is wrong with it."""
    (tmp_path / "lab.py").write_text(text)

    with pytest.raises(PluginError, match=message):
        Providers([tmp_path]).find("lab")
