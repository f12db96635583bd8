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

_KILL_GROUP: Final = """
if ! kill -0 {pid} 2>/dev/null && [ ! -d /proc/{pid} ]; then
  kill -s {signal} -- -{pid} 2>/dev/null || kill -s {signal} -{pid} 2>/dev/null || :
fi
"""


def kill_script(pid: int, signal_name: str, *, has_exited: bool = False) -> str:
    """Return a script that sends a signal to a process and all its descendants.

    It reaches the process group (in the forms of dash and of busybox) and the descendants that left
    the group: sudo with `use_pty` starts its command in a session of its own. If the process has exited, it
    reaches what is left of the group; a process of that number is then another one, and the group is gone.

    Args:
        pid: the process id on the target.
        signal_name: the signal without `SIG` (`TERM`).
        has_exited: whether the process is known to have exited.
    """
    return (_KILL_GROUP if has_exited else _KILL).format(signal=signal_name, pid=pid)
