"""A master and a minion of a real Salt with ensue installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.salt.extension.stock import StockSalt
from tests.salt.fleet.real_fleet import (
    configured,
    ended,
    free_ports,
    lay_out,
    master_options,
    minion_options,
    started,
)

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Generator

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "salt-extension"


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Generator[StockSalt]:
    """Start a master and a minion, which serve the example; wait until the minion answers."""
    base = tmp_path_factory.mktemp("e")
    ports = free_ports()
    lay_out(base)
    for folder in ("states", "pillar"):
        shutil.copytree(EXAMPLE / folder, base / folder, dirs_exist_ok=True)
    root = base / "root"
    (root / "root").mkdir(parents=True)
    own = {"ensue": {"minion_root": str(root)}}
    processes: list[subprocess.Popen[bytes]] = []
    try:
        # Tests change files, and the master has to see that at once.
        options = {"fileserver_list_cache_time": 0}
        folder = configured(base, "m", ports, master_options(base, ports[1]) | options)
        processes.append(started("salt-master", folder))
        folder = configured(base, "web1", ports, minion_options("web1", ports) | own)
        processes.append(started("salt-minion", folder))
        stock = StockSalt(base)
        stock.wait()
        try:
            yield stock
        finally:
            stock.call("state.apply", "teardown")
    finally:
        for process in processes:
            ended(process)
