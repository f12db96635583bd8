"""State module `network`: interfaces, routes and settings in the files of ifupdown or `ifcfg`.

Files are written if they differ, and applied by the target's programs. On a target that is not booted,
such as a chroot or an image, only the files are written.

Notes:
    `network` writes the files that Salt writes for ifupdown (Debian) and `ifcfg` (the Red Hat family). On
    Debian, `hostname` needs `apply_hostname`. An interface that is up is restarted by one command, and the
    return warns of what that interrupts. With `noifupdown` of any value, and on a target whose system is not
    running, the interface is left alone. A warning names the lines that `/etc/network/interfaces` would lose
    because ensue does not understand them.

Differences from Salt:
    netplan and keyfiles of NetworkManager are refused. A file is left alone if only the order of options
    differs; an interface without a method (`proto: none` on Debian) is refused; `resolv.conf` is written
    without extra blank lines.

Source: Salt's state module `network`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.network.interface import managed
from ensue.library.states.network.whole import routes, system

FUNCTIONS: Final = by_name(managed, routes, system)
