"""Waits for a master, and prints the id of each minion that starts: each line is an event of Salt's own bus.

Run as `python awaiting.py CONFIG`, because Salt changes a process that loads it. It prints an empty line once
the master answers, and ends with its stdin.
"""

from __future__ import annotations

import importlib
import sys
import threading

LONGEST_S = 120
_STARTS = "salt/minion/"


def _print_starts(config: str) -> None:
    options = importlib.import_module("salt.config").master_config(config)
    events = importlib.import_module("salt.utils.event")
    with events.get_master_event(options, options["sock_dir"], listen=True) as bus:
        if not bus.connect_pub(timeout=LONGEST_S):
            return
        sys.stdout.write("\n")
        sys.stdout.flush()
        while True:
            event = bus.get_event(wait=LONGEST_S, tag=_STARTS, full=True)
            if event is not None and event["tag"].endswith("/start"):
                sys.stdout.write(f"{event['tag'].removeprefix(_STARTS).removesuffix('/start')}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    threading.Thread(target=_print_starts, args=sys.argv[1:2], daemon=True).start()
    sys.stdin.read()
