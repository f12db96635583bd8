"""`salt.utils.platform`: which system this machine runs."""

from __future__ import annotations

import sys

from ensue.salt_names.absent import not_there


def is_linux() -> bool:
    """Say whether it is Linux."""
    return sys.platform.startswith("linux")


def is_windows() -> bool:
    """Say whether it is Windows."""
    return sys.platform.startswith("win")


def is_darwin() -> bool:
    """Say whether it is macOS."""
    return sys.platform.startswith("darwin")


def is_sunos() -> bool:
    """Say whether it is Solaris or a relative of it."""
    return sys.platform.startswith("sunos")


def is_freebsd() -> bool:
    """Say whether it is FreeBSD."""
    return sys.platform.startswith("freebsd")


def is_netbsd() -> bool:
    """Say whether it is NetBSD."""
    return sys.platform.startswith("netbsd")


def is_openbsd() -> bool:
    """Say whether it is OpenBSD."""
    return sys.platform.startswith("openbsd")


def is_aix() -> bool:
    """Say whether it is AIX."""
    return sys.platform.startswith("aix")


def is_proxy() -> bool:
    """Say whether this is a proxy minion; ensue never is one."""
    return False


def is_smartos() -> bool:
    """Say whether it is SmartOS; ensue does not run there."""
    return False


__getattr__ = not_there(__name__)
