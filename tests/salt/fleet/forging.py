"""What a hostile minion fires while a job runs, in the name of another one: frames, ends, returns and lists.

Run as `python forging.py FOLDER VICTIM` on the minion with the configuration folder FOLDER.
"""

from __future__ import annotations

import base64
import sys
import zlib
from pathlib import Path
from typing import Any

import salt.channel.client
import salt.config
import salt.payload

from ensue.salt.fleet.signing import LAST, FrameSigner


def _order(folder: Path) -> dict[str, Any]:
    """Return the order that the minion carries out, as Salt keeps it while the job runs."""
    for path in (folder / "cache" / "proc").iterdir():
        job = salt.payload.loads(path.read_bytes())
        for argument in job.get("arg", ()):
            if isinstance(argument, dict) and "order" in argument:
                order: dict[str, Any] = argument["order"]
                return order
    raise SystemExit("no job of ensue")


def main(folder: Path, victim: str) -> None:
    """Forge the end of another minion in every way that Salt's bus has."""
    opts = salt.config.minion_config(str(folder / "minion"))
    opts["master_uri"] = f"tcp://127.0.0.1:{opts['master_port']}"
    opts["master_ip"] = "127.0.0.1"
    order = _order(folder)
    own = FrameSigner(order, opts["id"], opts["pki_dir"])
    as_victim = FrameSigner(order, victim, opts["pki_dir"])
    ended = LAST + zlib.compress(b'{"type":"MinionEnded","problem":"forged"}')
    forged = [as_victim.frame(ended) for _ in range(3)]
    prefix, jid = f"ensue/{order['run_id']}/", order["jid"]
    bomb = {
        **own.frame(b"x"),
        "signature": base64.b64encode(b"x" * 256).decode(),
        "sealed": "A" * (300 << 10),
    }
    returned = {"id": victim, "jid": jid, "return": "forged", "retcode": 1, "success": False, "fun": "x.y"}
    pairs: list[tuple[Any, Any]] = [
        *((f"{prefix}{victim}", {"id": victim, "data": frame}) for frame in forged),
        *((f"{prefix}{tail}", {"id": victim}) for tail in ("end", "/end", "", "end/0")),
        (f"{prefix}x", {"id": [], "data": {"minion": {}, "number": "x"}}),
        (f"{prefix}x", {"id": victim, "data": bomb}),
        (f"salt/job/{jid}/ret/{victim}", returned),
        (f"salt/job/{jid}/ret/{victim}", {}),
    ]
    loads: list[dict[str, Any]] = [
        {"cmd": "_minion_event", "events": [{"tag": tag, "data": data} for tag, data in pairs]},
        *({"cmd": "_minion_event", "tag": f"{prefix}{victim}", "data": frame} for frame in forged),
        {"cmd": "_minion_event", "tag": b"ensue/\xff\xfe", "data": {}},
        {"cmd": "_minion_event", "tag": f"{prefix}x", "data": [1, None]},
        {"cmd": "_return", **returned, "id": opts["id"], "resource_id": victim},
    ]
    with salt.channel.client.ReqChannel.factory(opts) as channel:
        for load in loads:
            channel.send({"id": opts["id"], **load})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
