"""The shell scripts behind `PosixFiles`: POSIX sh, coreutils or busybox, nothing else.

`$1` is always the path. A script ends with 0, with one of the exit codes below, or
with the exit code of the tool that failed.
"""

from __future__ import annotations

from typing import Final

ABSENT: Final = 81
"""The path does not exist."""
IS_FOLDER: Final = 82
"""The path is a folder."""
NOT_REGULAR: Final = 83
"""The path is a device, pipe or socket."""
NOT_A_LINK: Final = 84
"""The path is something other than a symlink."""
NOT_A_FOLDER: Final = 85
"""The path is something other than a folder."""
CUT_SHORT: Final = 86
"""Fewer bytes than announced arrived, or could be written."""
NOT_EMPTY: Final = 87
"""The folder is not empty."""
NO_TOOL: Final = 88
"""The required tool is missing."""
FOREIGN_LINK: Final = 89
"""A symlink in the path must not be followed; stdout has its owner, a line end, and its path."""

DENIED: Final = 90
"""The user of the connection may not do that."""

COMMON: Final = r"""
set -u
LC_ALL=C; export LC_ALL
unset CDPATH
p=$1
there() { [ -e "$1" ] || [ -L "$1" ]; }
file_at() {
  [ ! -d "$1" ] || exit 82
  [ ! -e "$1" ] || [ -f "$1" ] || exit 83
}
unowned() { r=$?; [ "$(id -u)" -eq 0 ] || exit 90; exit $r; }
failed() {
  r=$? a=$1
  while [ ! -d "${a:-/}" ]; do a=${a%/*}; done
  [ -w "${a:-/}" ] && [ -x "${a:-/}" ] || (exit $r) || unowned
  exit $r
}
"""
"""Begins every script.

`failed` ends a script whose last command could not change what is in the folder `$1`, or in the first above
it that exists; `unowned` one that could not change an owner or mode. Root never gets 90 of them.
"""

_RESOLVE: Final = r"""
trusted() {
  owner=$(stat -c %u -- "$2") || exit
  [ "$owner" != "$(id -u)" ] || return 0
  above=$(stat -L -c '%a %u' -- "${1:-/}") || exit
  [ $((0${above% *} & 01002)) -eq $((01002)) ] || return 0
  [ "${above#* }" = "$owner" ]
}
resolve() {
  at= rest=$1 links=0
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/};; *) rest=;; esac
    case $part in
      ''|.) continue;;
      ..) at=${at%/*}; continue;;
    esac
    if [ -L "$at/$part" ] && [ -n "$rest$2" ]; then
      links=$((links + 1))
      [ $links -le 40 ] || { echo "Too many levels of symbolic links" >&2; exit 1; }
      trusted "$at" "$at/$part" || { stat -c %U -- "$at/$part"; printf %s "$at/$part"; exit 89; }
      to=$(readlink -- "$at/$part"; echo x)
      to=${to%?x}
      case $to in /*) at=;; esac
      rest=$to/$rest
      continue
    fi
    at=$at/$part
  done
  at=${at:-/}
}
"""
"""`resolve` sets `at` to a path without symlinks, as `foreign_links` describes.

Its `$1` is a path; its `$2` is empty to leave a symlink at the end as it is.
"""

_NEED_FILE: Final = r"""
if ! [ -e "$p" ]; then
  d=${p%/*}
  [ -x "${d:-/}" ] || ! [ -d "${d:-/}" ] || exit 90
  exit 81
fi
file_at "$p"
[ -r "$p" ] || exit 90
"""

READ: Final = _NEED_FILE + 'exec cat < "$p"'

PART: Final = (
    _NEED_FILE
    + r"""
stat -L -c '%d %i %s %Y' -- "$p" || exit
[ -s "$p" ] || exec cat < "$p"
exec dd bs=1048576 skip="$2" count="$3" < "$p"
"""
)
"""`$2` start of a part of the file, `$3` its length, both in MiB. A line of marks comes first."""

CHECKSUM: Final = (
    _NEED_FILE
    + r"""
command -v "$2" >/dev/null 2>&1 || exit 88
exec "$2" < "$p"
"""
)
"""`$2` is the program, such as `sha256sum`."""

WRITE: Final = (
    _RESOLVE
    + r"""
token=$2 size=$3 mode=$4 user=$5 group=$6
resolve "$p" follow
p=$at
file_at "$p"
d=${p%/*}
t=${d%/}/.ensue-$token
umask 077
trap 'rm -f -- "$t"' EXIT
trap 'exit 129' HUP INT TERM PIPE
set -C
cat > "$t" || failed "$d"
set +C
[ "$(wc -c < "$t")" -eq "$size" ] || exit 86
if [ -e "$p" ]; then
  old=$(stat -c '%a %u %g' -- "$p") || exit
  set -- $old
  [ -n "$mode" ] || mode=$1
  [ -n "$user" ] || user=$2
  [ -n "$group" ] || group=$3
fi
own() { [ "$(stat -c "$1" -- "$t")" = "$2" ]; }
if [ -n "$user" ] && ! own %u "$user" && ! own %U "$user"; then chown -- "$user" "$t" || unowned; fi
if [ -n "$group" ] && ! own %g "$group" && ! own %G "$group"; then chgrp -- "$group" "$t" || unowned; fi
chmod "${mode:-0644}" "$t" || exit
sync "$t" 2>/dev/null || :
mv -f -- "$t" "$p" || failed "$d"
trap - EXIT
"""
)
"""`$2` a token, `$3` size in bytes, `$4` mode, `$5` user, `$6` group (empty: keep); content on stdin."""

STAT: Final = r"""
if [ -n "$2" ]; then [ -e "$p" ] || absent=1; else there "$p" || absent=1; fi
if [ -n "${absent-}" ]; then
  d=${p%/*}; d=${d:-/}
  [ ! -d "$d" ] || [ -x "$d" ] || exit 90
  exit 81
fi
stat $2 -c '%f %u %g %U %G %s %Y %X' -- "$p" || exit
[ -n "$2" ] || [ ! -L "$p" ] || readlink -- "$p"
"""
"""`$2` is `-L` to follow."""

LIST: Final = r"""
there "$p" || exit 81
[ -d "$p" ] || { echo "Not a directory" >&2; exit 1; }
ls -a -- "$p" >/dev/null || exit
cd -- "$p" || exit
for f in * .[!.]* ..?*; do
  if there "$f"; then printf '%s\0' "$f"; fi
done
"""

MAKE_DIRECTORY: Final = (
    _RESOLVE
    + r"""
mode=$2
resolve "$p" ''
p=$at
[ ! -d "$p" ] || exit 0
there "$p" && exit 85
if [ -n "$3" ]; then
  d=${p%/*}
  umask 022
  [ -z "$d" ] || [ -d "$d" ] || mkdir -p -- "$d" || failed "$d"
fi
umask 077
mkdir -- "$p" || { r=$?; [ -d "$p" ] && exit 0; (exit $r); failed "${p%/*}"; }
chmod "$mode" "$p"
"""
)
"""`$2` mode, `$3` is `-p` for parents."""

CHECK_CHANGE: Final = (
    _RESOLVE
    + r"""
resolve "$p" "$2"
d=${at%/*}; d=${d:-/}
if [ ! -d "$d" ] || { [ -w "$d" ] && [ -x "$d" ]; }; then
  [ -L "$p" ] || echo own
  exit 0
fi
[ "$(id -u)" -eq 0 ] || exit 90
echo "its folder cannot be changed" >&2
exit 1
"""
)
"""`$2` is empty to leave a symlink at the end as it is. Prints something if there is none at the end."""

REMOVE: Final = (
    _RESOLVE
    + r"""
resolve "$p" ''
p=$at
there "$p" || exit 0
if [ -n "$2" ]; then rm -rf -- "$p" || failed "${p%/*}"; exit 0; fi
if [ -d "$p" ] && [ ! -L "$p" ]; then
  rmdir -- "$p" && exit 0
  r=$?
  [ -z "$(ls -A -- "$p" 2>/dev/null)" ] || exit 87
  (exit $r)
  failed "${p%/*}"
fi
rm -f -- "$p" || failed "${p%/*}"
"""
)
"""`$2` is non-empty for a recursive removal."""

SYMLINK: Final = (
    _RESOLVE
    + r"""
resolve "$p" ''
p=$at
d=${p%/*}
t=${d%/}/.ensue-$3
if [ ! -L "$p" ]; then
  [ ! -e "$p" ] || exit 84
  ln -s -- "$2" "$p" || failed "$d"
  exit 0
fi
ln -s -- "$2" "$t" || failed "$d"
mv -f -T -- "$t" "$p" 2>/dev/null && exit 0
rm -f -- "$t"
exec ln -s -f -n -- "$2" "$p"
"""
)
"""`$2` target, `$3` a token. With a `mv` without `-T` (an old busybox), it is not atomic."""

RENAME: Final = (
    _RESOLVE
    + r"""
resolve "$2" ''
new=$at
resolve "$p" ''
p=$at
there "$p" || exit 81
if [ -d "$new" ] && [ ! -L "$new" ]; then
  [ -d "$p" ] && [ ! -L "$p" ] || exit 82
  rmdir -- "$new" || exit 87
elif [ -L "$new" ]; then
  mv -f -T -- "$p" "$new" 2>/dev/null && exit 0
  rm -f -- "$new" || exit
fi
mv -f -- "$p" "$new" || failed "${new%/*}"
"""
)
"""`$2` the new path. A `mv` without a useful `-T` (busybox) replaces a symlink in two steps."""

SET_MODE: Final = (
    _RESOLVE
    + r"""
[ -e "$p" ] || exit 81
resolve "$p" follow
chmod "$2" "$at" || unowned
"""
)
"""`$2` mode."""

SET_OWNER: Final = (
    _RESOLVE
    + r"""
there "$p" || exit 81
if [ -n "$4" ]; then resolve "$p" ''; else resolve "$p" follow; fi
p=$at
if [ -n "$2" ]; then chown $4 -- "$2" "$p" || unowned; fi
if [ -n "$3" ]; then chgrp $4 -- "$3" "$p" || unowned; fi
exit 0
"""
)
"""`$2` user, `$3` group, `$4` is `-h` not to follow."""

SET_TIMES: Final = (
    _RESOLVE
    + r"""
[ -e "$p" ] || exit 81
resolve "$p" follow
p=$at
TZ=UTC0; export TZ
touch -c -a -t "$2" "$p" && exec touch -c -m -t "$3" "$p"
"""
)
"""`$2` time of access, `$3` time of change, as `touch -t` reads them in UTC."""
