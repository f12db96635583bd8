"""Asking `command_server` for a command, from this process or, as a program, from a shell script.

As a program it is quick to start: it loads four modules of the standard library and no other.
"""

import json
import os
import socket
import sys


def ask(
    requests: socket.socket,
    words: list[str],
    folder: str,
    environment: dict[str, str],
    *,
    streams: tuple[int, int, int],
    entry: str = "ensue.cli:main",
) -> int:
    """Have a command started; return a pipe with its pid and, once it has ended, its exit code.

    Args:
        requests: leads to the server.
        words: the command line.
        folder: its working folder.
        environment: its environment.
        streams: its input, output and errors.
        entry: the module and the function that are called; the result is the exit code.
    """
    reading, writing = os.pipe()
    text = os.memfd_create("request")
    request = {"words": words, "folder": folder, "environment": environment, "entry": entry}
    os.write(text, json.dumps(request).encode())
    socket.send_fds(requests, [b"."], [text, *streams, writing])
    os.close(text)
    os.close(writing)
    return reading


def _main(server: int, words: list[str]) -> int:
    """Run a command with the folder, environment and streams of this process; return its exit code."""
    with socket.socket(fileno=server) as requests:
        reply = ask(requests, words, os.getcwd(), dict(os.environ), streams=(0, 1, 2))  # noqa: PTH109 (no pathlib here)
    with open(reply, "rb") as lines:  # noqa: PTH123 (no pathlib here)
        code = int(lines.read().split()[1])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1]), sys.argv[2:]))
