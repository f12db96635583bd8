"""The master, the deadline, the keys and the limits of a run over minions, from its options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.deadlines import FLEET_RUN_S
from ensue.core.model.data import is_mapping
from ensue.core.model.fleet import MinionReport
from ensue.language.targeting.batch import Portion
from ensue.salt.fleet.admission import rsa_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.settings.settings import Settings
    from ensue.salt.fleet.master import SaltMaster


_ID: Final = re.compile(r"(?=.*\w)[\w.@:+=-]{1,255}")
"""An id that is one word wherever it is written: in a target, in a tag, in front of the ID of a state."""

_ODD_ID: Final = (
    "its id cannot be used in a target: an id has at most 255 characters, letters, digits and . _ - @ : + ="
)


def master_config(settings: Settings) -> str | None:
    """Return the path of the configuration of Salt's master; None: Salt's default."""
    given = settings.option("fleet")
    path = given.get("config") if is_mapping(given) else None
    return str(settings.root / str(path)) if path else None


def deadline_s(settings: Settings) -> float:
    """Return how long a run may take, in seconds."""
    given = settings.option("fleet")
    return float(given.get("deadline_s", FLEET_RUN_S)) if is_mapping(given) else FLEET_RUN_S


def with_keys(master: SaltMaster, batch: Sequence[str]) -> tuple[dict[str, bytes], list[MinionReport]]:
    """Return the accepted keys of minions, and reports of those that have none, or an id that is no word.

    Salt's master accepts nearly any id, such as `x or *`, which would change whom a job is published for.
    """
    known: dict[str, bytes] = {}
    unknown: list[MinionReport] = []
    for minion in batch:
        if _ID.fullmatch(minion) is None:
            unknown.append(MinionReport(id=minion, problem=_ODD_ID, ok=False))
            continue
        pem = master.accepted_key(minion)
        try:
            rsa_key(pem)
        except ValueError as error:
            problem = f"the master has no accepted key to check its reports with: {error}"
            unknown.append(MinionReport(id=minion, problem=problem, ok=False))
        else:
            known[minion] = pem
    return known, unknown


def portion(text: str | None, what: str, *, least: int = 1) -> Portion | None:
    """Return a number or percentage of minions; None if there is none.

    Raises:
        ConfigurationError: it is neither.
    """
    return None if text is None else Portion.parse(text, what, least=least)
