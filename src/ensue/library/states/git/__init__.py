"""State module `git`: manages working copies on the target, with the target's git.

Notes:
    The target's own git does the work, and it never asks for a password. `identity` is a key, or a list of
    keys, on the target. If commits that the remote lacks, or uncommitted changes, would be lost, the state
    fails and keeps them, unless `force_reset` is set.

Differences from Salt:
    `changes` name a branch that was only switched. Bare and mirrored repositories, `https_user`, `https_pass`
    and keys from `salt://` are not supported.

Args:
    name: URL of the remote.
    target: the folder of the working copy.
    user: user who runs git on the target.
    password: accepted, as in Salt, without effect.
    identity: private keys on the target, for ssh.
    https_user: user name for an HTTPS remote.
    https_pass: password for an HTTPS remote.
    output_encoding: accepted, as in Salt, without effect.

Source: Salt's state module `git`, 3008.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.git.cloned import cloned
from ensue.library.states.git.config import config_set, config_unset
from ensue.library.states.git.detached import detached
from ensue.library.states.git.latest import latest
from ensue.library.states.git.present import present

FUNCTIONS: Final = by_name(cloned, config_set, config_unset, detached, latest, present)
