"""A command of ensue that is killed at one place of its own: around the job that acknowledges frames.

Run as `python killed_coordinator.py PLACE ensue …`; the places are `before`, `after`, and `forgotten`.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from ensue.cli import main
from ensue.salt.fleet import coordinator
from ensue.salt.fleet.master import SaltMaster


def _kill(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _prepare(place: str) -> None:
    publish, forget = SaltMaster.publish, coordinator.forget_fleet

    def publish_and_die(self: SaltMaster, *arguments: Any) -> None:
        order = arguments[3]
        if order["verb"] == "acknowledge" and place == "before":
            _kill()
        publish(self, *arguments)
        if order["verb"] == "acknowledge" and place == "after":
            _kill()

    def forget_and_die(*arguments: Any) -> None:
        forget(*arguments)
        _kill()

    SaltMaster.publish = publish_and_die  # type: ignore[method-assign]
    if place == "forgotten":
        coordinator.forget_fleet = forget_and_die


if __name__ == "__main__":
    _prepare(sys.argv[1])
    sys.argv = ["ensue", *sys.argv[2:]]
    sys.exit(main())
