"""A program that runs commands of ensue without the privileges of root, and prints what each gave as JSON.

`python -m tests.cli.without_privileges COMMANDS`, where COMMANDS is a JSON list of lists of words. Root
without capabilities is an ordinary user for the kernel: what belongs to others is closed to it.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import sys

from ensue.cli import main


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def give_up_privileges() -> None:
    """Drop all capabilities of this process, if it has some."""
    if os.geteuid() == 0:
        header, nothing = _Header(0x20080522, 0), (ctypes.c_uint32 * 6)()
        if ctypes.CDLL(None, use_errno=True).capset(ctypes.byref(header), ctypes.byref(nothing)):
            raise OSError(ctypes.get_errno(), "capset")


def run(words: list[str]) -> tuple[int, str, str]:
    """Run a command; return its exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.getvalue(), err.getvalue()


if __name__ == "__main__":
    give_up_privileges()
    json.dump([run(words) for words in json.loads(sys.argv[1])], sys.__stdout__)
