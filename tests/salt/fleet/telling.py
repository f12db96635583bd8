"""Sends a message to the ensue that runs a job on a minion, and prints what the minion returned to Salt.

Run as `python telling.py FOLDER RUN JID MINION` with the folder that has everything of the fleet: Salt
changes a process that loads it.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from ensue.salt.fleet.bundle import shipped_relay
from ensue.salt.fleet.channel import MinionChannel
from ensue.salt.fleet.frames import CoordinatorMessage
from ensue.salt.fleet.master import SaltMaster


async def _tell(base: Path, run_id: str, jid: str, minion: str) -> Any:
    master = SaltMaster(str(base / "m" / "master"))
    with master.shipped_files("telling") as shipped:
        parts = {part: f"_ensue/{name}" for part, name in shipped_relay(shipped).items()}
    channel = MinionChannel(master, {"run_id": run_id, "parts": parts})
    channel.expect(jid, {minion: master.accepted_key(minion)})
    events = importlib.import_module("salt.utils.event")
    with events.get_master_event(master.opts, master.opts["sock_dir"], listen=True) as bus:
        bus.connect_pub()
        await channel.tell(minion, CoordinatorMessage("unheard", {"of": [1]}))
        while True:
            event = bus.get_event(wait=60, tag="salt/job/", full=True)
            if event["tag"].endswith(f"/ret/{minion}") and event["data"]["jid"] != jid:
                return event["data"]["return"]


if __name__ == "__main__":
    folder, *words = sys.argv[1:]
    sys.stdout.write(json.dumps(asyncio.run(_tell(Path(folder), *words))))
