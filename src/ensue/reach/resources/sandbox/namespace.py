"""Gives a process its own root: a copy-on-write view of this machine, in a user and mount namespace.

Each top-level folder of the machine is mounted in the sandbox's root as an overlay whose changes go below the
sandbox's folder. /etc, /root, /home, /tmp and /run are the sandbox's own; /proc is that of its process
namespace; /sys is read-only, and so is the folder of Python if it would not be visible otherwise. Nothing of
the machine is writable, and the project's state folder is not even visible.

This keeps changes in a sandbox away from the machine. It shares the machine's network and does not confine
anyone who wants to get out.

Source: Linux manual pages user_namespaces(7), mount_namespaces(7), kernel documentation "Overlay Filesystem".
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.reach.resources.sandbox import kernel
from ensue.reach.resources.sandbox.root import OWN_FOLDERS, ROOT_NAME, copy_folders

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

_NAMESPACES: Final = (
    kernel.NEW_USERS | kernel.NEW_MOUNTS | kernel.NEW_PIDS | kernel.NEW_IPC | kernel.NEW_HOSTNAME
)

_ESSENTIAL: Final = frozenset({"bin", "lib", "lib32", "lib64", "libx32", "nix", "gnu", "sbin", "usr"})
"""No command runs without these; if they cannot be overlaid, they are mounted read-only."""

_FOLDER_DEPTHS: Final = {"usr": 2, "var": 3, "opt": 2, "srv": 2}
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS: Final = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}
_PROC_READ_ONLY: Final = ("acpi", "bus", "fs", "irq", "scsi", "sys", "sysrq-trigger")
"""Paths through which root could change the machine, even from a user namespace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RootPlan:
    """What a process needs in order to enter a sandbox's root.

    Args:
        directory: the sandbox's folder.
        hidden: the project's state folder, which must not be visible from within.
        hostname: the sandbox's host name.
        python_paths: the folders of Python and its libraries.
    """

    directory: Path
    hidden: Path
    hostname: str
    python_paths: tuple[Path, ...]


def leave_the_machines() -> None:
    """Give this process its own namespaces; the process namespace applies to its next child.

    Raises:
        OSError: the kernel does not allow it for this user.
    """
    try:
        kernel.unshare(_NAMESPACES)
    except OSError as error:
        hint = "see sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone"
        raise OSError(error.errno, f"{error.strerror} ({hint})") from error


def map_users(pid: int) -> None:
    """Make us root in another process's new user namespace; called from outside it.

    Root keeps every user and group under its own number, so that files can be given away. Any other user can
    only be root.
    """
    process = Path(f"/proc/{pid}")
    if os.geteuid() == 0:
        for name in ("uid_map", "gid_map"):
            ours = Path("/proc/self", name).read_text(encoding="ascii").splitlines()
            ranges = [f"{first} {first} {count}" for first, _, count in map(str.split, ours)]
            (process / name).write_text("\n".join(ranges) + "\n", encoding="ascii")
        return
    (process / "uid_map").write_text(f"0 {os.geteuid()} 1\n", encoding="ascii")
    (process / "setgroups").write_text("deny", encoding="ascii")
    (process / "gid_map").write_text(f"0 {os.getegid()} 1\n", encoding="ascii")


def python_paths() -> tuple[Path, ...]:
    """Return the folders that this interpreter imports from, none of them below another."""
    package = Path(__file__).parents[4]
    paths = {Path(path) for path in (sys.prefix, sys.base_prefix, *sys.path) if path not in {"", "/"}}
    present = sorted(path for path in {*paths, package} if path.is_absolute() and path.exists())
    return tuple(path for path in present if not any(other in path.parents for other in present))


def enter_root(plan: RootPlan) -> None:
    """Build the root and enter it. The process has its namespaces and is mapped to root.

    Raises:
        OSError: the kernel refuses a step; the process must not go on.
    """
    kernel.mount("", "/", flags=kernel.PRIVATE | kernel.RECURSIVE)
    os.chdir(plan.directory)
    kernel.mount(ROOT_NAME, ROOT_NAME, flags=kernel.BIND)
    root = os.open(ROOT_NAME, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    shown = {name for name in _top_folders(plan.hidden) if _show(root, name, plan)}
    _own_file_systems(root)
    _show_python(root, shown, plan.python_paths)
    _hide(root, plan.hidden)
    socket.sethostname(plan.hostname)
    os.fchdir(root)
    os.close(root)
    kernel.enter_new_root()


def _top_folders(hidden: Path) -> Iterator[str]:
    with os.scandir("/") as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name in OWN_FOLDERS or entry.name == "lost+found" or Path(entry.path) == hidden:
                continue
            if entry.is_symlink() or entry.is_dir(follow_symlinks=False):
                yield entry.name


def _show(root: int, name: str, plan: RootPlan) -> bool:
    """Mount one folder of the machine; return whether its content is visible."""
    source = Path("/", name)
    if source.is_symlink():
        with contextlib.suppress(FileExistsError):
            os.symlink(source.readlink(), name, dir_fd=root)
        return source.readlink().parts[0] == "usr"
    if not plan.hidden.is_relative_to(source):
        try:
            _overlay(root, name)
        except OSError as error:
            _log(f"/{name} is not writable in this sandbox: {error}")
        else:
            return True
    if name in _ESSENTIAL:
        _show_read_only(root, source)
        return True
    with contextlib.suppress(OSError):
        os.mkdir(name, 0o755, dir_fd=root)
        copy_folders(source, Path(ROOT_NAME, name), depth=_FOLDER_DEPTHS.get(name, 0), hidden=plan.hidden)
    return False


def _overlay(root: int, name: str) -> None:
    source, changes, scratch = Path("/", name), Path("upper", name), Path("work", name)
    if not changes.exists():
        status = source.stat()
        changes.mkdir(parents=True)
        if not _is_mapped(status):
            # We cannot write in what belongs to the machine's root, but in a folder of our own above it.
            copy_folders(source, changes, depth=_FOLDER_DEPTHS.get(name, 0))
        changes.chmod(stat.S_IMODE(status.st_mode) | stat.S_IRWXU)
    scratch.mkdir(parents=True, exist_ok=True)
    # Relative paths, so that no character of the project's own path has to be quoted.
    layers = {"lowerdir": source, "upperdir": changes, "workdir": scratch}
    options = ",".join(f"{layer}={_quoted(str(path))}" for layer, path in layers.items())
    with _mount_point(root, name) as target:
        kernel.mount("overlay", target, "overlay", options=f"{options},userxattr")
    # The kernel leaves it without permissions, which would break searching or copying the project's folder.
    (scratch / "work").chmod(stat.S_IRWXU)


def _quoted(path: str) -> str:
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def _is_mapped(status: os.stat_result) -> bool:
    return status.st_uid == 0


def _show_read_only(root: int, source: Path) -> None:
    with _mount_point(root, str(source).lstrip("/"), folder=source.is_dir()) as target:
        kernel.mount(str(source.resolve()), target, flags=kernel.BIND | kernel.RECURSIVE)
    # The mount hides the folder of the descriptor it was made through, so it is opened by name.
    with _mount_point(root, str(source).lstrip("/"), folder=source.is_dir()) as target:
        kernel.make_read_only(target)


def _own_file_systems(root: int) -> None:
    _own_processes(root)
    with contextlib.suppress(OSError):
        _show_read_only(root, Path("/sys"))
    for name, mode in (("tmp", "1777"), ("run", "755"), ("dev", "755")):
        with _mount_point(root, name) as target:
            kernel.mount("tmpfs", target, "tmpfs", kernel.NO_SETUID, f"mode={mode}")
    _own_devices(root)
    with _mount_point(root, "run/lock"):
        pass


def _own_processes(root: int) -> None:
    try:
        with _mount_point(root, "proc") as target:
            kernel.mount("proc", target, "proc", kernel.NO_SETUID | kernel.NO_DEVICES | kernel.NO_EXEC)
    except OSError as error:
        # Inside a container that hides parts of its /proc, the kernel does not allow a new one.
        _log(f"/proc is the machine's in this sandbox: {error}")
        _show_read_only(root, Path("/proc"))
        return
    for name in _PROC_READ_ONLY:
        if Path("/proc", name).exists():
            _freeze(root, f"proc/{name}", folder=Path("/proc", name).is_dir())


def _freeze(root: int, path: str, *, folder: bool) -> None:
    with _mount_point(root, path, folder=folder) as target:
        kernel.mount(target, target, flags=kernel.BIND | kernel.RECURSIVE)
    with _mount_point(root, path, folder=folder) as target:
        kernel.make_read_only(target)


def _own_devices(root: int) -> None:
    for name in _DEVICES:
        with _mount_point(root, f"dev/{name}", folder=False) as target:
            kernel.mount(f"/dev/{name}", target, flags=kernel.BIND)
    with _mount_point(root, "dev") as folder:
        for name, destination in _DEVICE_LINKS.items():
            Path(folder, name).symlink_to(destination)
    with _mount_point(root, "dev/shm") as target:
        kernel.mount("tmpfs", target, "tmpfs", kernel.NO_SETUID, "mode=1777")
    # No terminal is offered, so a kernel without this one is sufficient.
    with contextlib.suppress(OSError), _mount_point(root, "dev/pts") as target:
        kernel.mount("devpts", target, "devpts", kernel.NO_SETUID, "newinstance,ptmxmode=0666,mode=0620")


def _show_python(root: int, shown: Iterable[str], paths: Iterable[Path]) -> None:
    for path in paths:
        if path.parts[1] not in shown:
            _show_read_only(root, path)


def _hide(root: int, hidden: Path) -> None:
    try:
        place = os.open(str(hidden).lstrip("/"), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
    except OSError:
        return
    try:
        kernel.mount("tmpfs", f"/proc/self/fd/{place}", "tmpfs", kernel.NO_SETUID, "mode=700,size=4k")
    finally:
        os.close(place)


@contextlib.contextmanager
def _mount_point(root: int, path: str, *, folder: bool = True) -> Generator[str]:
    """Open a place in the root, creating it if it is missing, without following any symlink.

    Earlier commands in the sandbox may have put symlinks anywhere; from here they would lead into the
    machine.
    """
    *parents, last = path.split("/")
    place = os.dup(root)
    try:
        for part in parents:
            place = _descend(place, part)
        place = _descend(place, last) if folder else _descend_to_file(place, last)
        yield f"/proc/self/fd/{place}"
    finally:
        os.close(place)


def _descend(place: int, part: str) -> int:
    with contextlib.suppress(FileExistsError):
        os.mkdir(part, 0o755, dir_fd=place)
    below = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
    os.close(place)
    return below


def _descend_to_file(place: int, part: str) -> int:
    with contextlib.suppress(FileExistsError):
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o644, dir_fd=place))
    below = os.open(part, os.O_PATH | os.O_NOFOLLOW, dir_fd=place)
    os.close(place)
    return below


def _log(message: str) -> None:
    sys.stderr.write(f"{message}\n")
