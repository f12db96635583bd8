"""The program of the minion, loaded as Salt loads it, with its own globals, on a fake minion."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.salt.fleet import relay
from ensue.salt.fleet.bundle import RELAY_PARTS
from ensue.salt.fleet.frames import MinionMessages
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.signing import frame_name

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

KEY: Final = RunKey()


class FakeMinion:
    """A minion whose events are kept.

    Args:
        folder: its cachedir and its keys.
        monkeypatch: sets the globals of Salt's renderer.

    Attributes:
        fired: the frames.
        on_frame: called with the number of frames after each.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fired: list[Any] = []
        self.on_frame: Callable[[int], None] = lambda _: None
        self._base = folder / "ensue"
        self._bundles = {"another-abi": "x.zip"}
        salt: Any = {
            "event.fire_master": self._fire,
            "grains.get": lambda _: "3008.3",
            "grains.items": dict,
            "pillar.items": lambda **_: {},
            "cp.cache_file": lambda name: str(Path(relay.__file__).with_name(name.removeprefix("salt://"))),
        }
        opts = {"id": "web1", "cachedir": str(folder), "pki_dir": str(folder)}
        for name, value in {"__salt__": salt, "__opts__": opts}.items():
            monkeypatch.setattr(relay, name, value, raising=False)
        self._set = monkeypatch.setattr

    def _fire(self, frame: Any, _tag: str) -> None:
        self.fired.append(frame)
        self.on_frame(len(self.fired))

    def ship(self, module: str, source: str) -> None:
        """Put a program in the place of ensue."""
        for folder in ("bundle/shipped", "tree/states"):
            (self._base / folder).mkdir(parents=True, exist_ok=True)
        (self._base / "bundle/shipped" / f"{module}.py").write_text(source)
        self._bundles = {relay.abi(): "shipped.zip"}
        self._set(relay, "PROGRAM", module)

    def run(self, verb: str, jid: str, **more: Any) -> dict[str, Any]:
        """Run an order; without `ship`, there is no ensue that runs it."""
        order = {
            "verb": verb,
            "run_id": "run",
            "jid": jid,
            "key": base64.b64encode(KEY.public).decode(),
            "bundles": self._bundles,
            "tree": "states.zip",
            "environments": {"base": "base"},
            "options": {},
            "beat_s": 15,
            "parts": {part: f"{part}.py" for part in RELAY_PARTS},
            **more,
        }
        self._set(relay, "order", order, raising=False)
        return relay.run()

    def messages(self, jid: str) -> list[Any]:
        """Return what was reported."""
        messages = MinionMessages()
        return [
            message
            for frame in self.fired
            for message in messages.add(
                frame["number"],
                KEY.opened(
                    base64.b64decode(frame["sealed"]), frame_name("run", jid, "web1", frame["number"])
                ),
            )
        ]
