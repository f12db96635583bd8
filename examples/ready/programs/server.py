"""Starts a web server in the background and returns at once; the server needs a moment until it answers."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress


def start() -> dict[str, int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", "site"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {"port": port, "pid": subprocess.Popen(words, start_new_session=True, **quiet).pid}


request = json.load(sys.stdin)
server = request["cookie"]
if request["operation"] == "delete":
    with suppress(ProcessLookupError):
        os.kill(server["pid"], signal.SIGTERM)
    print("{}")
else:
    server = server or start()
    print(json.dumps({"values": {"host": "127.0.0.1", "port": server["port"]}, "cookie": server}))
