"""`salt.utils.platform`: the operating system of this machine."""

from __future__ import annotations

import sys

from ensue.language.salt_names.absent import not_there


def is_linux() -> bool:
    """Return whether it is Linux."""
    return sys.platform.startswith("linux")


def is_windows() -> bool:
    """Return whether it is Windows."""
    return sys.platform.startswith("win")


def is_darwin() -> bool:
    """Return whether it is macOS."""
    return sys.platform.startswith("darwin")


def is_sunos() -> bool:
    """Return whether it is Solaris or a derivative."""
    return sys.platform.startswith("sunos")


def is_freebsd() -> bool:
    """Return whether it is FreeBSD."""
    return sys.platform.startswith("freebsd")


def is_netbsd() -> bool:
    """Return whether it is NetBSD."""
    return sys.platform.startswith("netbsd")


def is_openbsd() -> bool:
    """Return whether it is OpenBSD."""
    return sys.platform.startswith("openbsd")


def is_aix() -> bool:
    """Return whether it is AIX."""
    return sys.platform.startswith("aix")


def is_proxy() -> bool:
    """Return whether this is a proxy minion; ensue never is one."""
    return False


def is_smartos() -> bool:
    """Return whether it is SmartOS; ensue does not run there."""
    return False


__getattr__ = not_there(__name__)
