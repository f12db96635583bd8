"""Ends a command on a target, with everything that it started, through a POSIX shell.

The connection sends the script.
"""

from __future__ import annotations

from typing import Final

_KILL: Final = """
k() {{ kill -s {signal} "$@" 2>/dev/null; }}
all={pid}; more=1
while [ -n "$more" ]; do
  more=
  for stat in /proc/[0-9]*/stat; do
    {{ IFS= read -r line < "$stat"; }} 2>/dev/null || continue
    pid=${{line%% *}}; line=${{line##*) }}; line=${{line#* }}; parent=${{line%% *}}
    case " $all " in *" $pid "*) ;; *" $parent "*) all="$all $pid"; more=1;; esac
  done
done
k -- -{pid} || k -{pid} || :
k $all || :
"""


def kill_script(pid: int, signal_name: str) -> str:
    """Return a script that sends a signal to a process and all its descendants.

    It reaches the process group (in the forms of dash and of busybox) and the descendants that left
    the group: sudo with `use_pty` starts its command in a session of its own.

    Args:
        pid: the process id on the target.
        signal_name: the signal without `SIG` (`TERM`).
    """
    return _KILL.format(signal=signal_name, pid=pid)
