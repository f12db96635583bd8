"""A hundred thousand derived resources: registering them, reading one, and an apply that names one of them.

There is no peer: Salt's derived resources are a design, and Terraform's state belongs to one configuration.
"""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Final

from cases import Case

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: Final = "derived-100000"
"""The project whose store has a hundred thousand derived resources."""

_ENTRIES: Final = 100_000
_BATCH: Final = 1000
_READ: Final = 1000
_REGISTERED_PER_S: Final = 5000
_READ_IN_S: Final = 0.0002
_PLAIN: Final = "first:\n  test.nop: []\nsecond:\n  test.nop: []\n"
_NAMING: Final = "first:\n  test.nop: []\nsecond:\n  test.nop:\n    - tgt: T@dummy:box-77777\n"


def derived_cases() -> list[Case]:
    """Return an apply beside the store, and one that names a resource in it."""
    return [
        Case(name=f"{PROJECT}-{name}", project=PROJECT, sls=sls, states=2, peers=(), nothing=True)
        for name, sls in (("unnamed", _PLAIN), ("named", _NAMING))
    ]


def fill_derived(cachedir: Path) -> str:
    """Register the resources as a state does, read some, and say how long that takes.

    Args:
        cachedir: the project's.
    """
    from ensue.core.model.resource import DeclaredBy, RegistrationRequest
    from ensue.core.model.srn import Srn
    from ensue.store.registry.registry import ResourceRegistry

    def requests(first: int) -> list[RegistrationRequest]:
        source = Srn("cloud", f"rack-{first}")
        declared_by = DeclaredBy(sls="base:racks", scope="", tag=f"cloud_|-{first}_|-{first}_|-present")
        return [
            RegistrationRequest(
                srn=Srn("dummy", f"box-{number}"),
                config={"grains": {"number": number}},
                source=source,
                declared_by=declared_by,
            )
            for number in range(first, first + _BATCH)
        ]

    registry = ResourceRegistry(cachedir, minion_id="bench")
    started = time.perf_counter()
    for first in range(0, _ENTRIES, _BATCH):
        registry.register_many(requests(first))
    rate = _ENTRIES / (time.perf_counter() - started)
    spent_s: list[float] = []
    for number in range(0, _ENTRIES, _ENTRIES // _READ):
        started = time.perf_counter()
        registry.get(Srn("dummy", f"box-{number}"))
        spent_s.append(time.perf_counter() - started)
    registry.close()
    read_s = median(spent_s)
    return (
        f"{PROJECT}: {rate:,.0f} registered a second (goal {_REGISTERED_PER_S:,} "
        f"{'met' if rate >= _REGISTERED_PER_S else 'MISSED'}), one read in {read_s * 1e6:.0f} µs (goal "
        f"{_READ_IN_S * 1e6:.0f} µs {'met' if read_s <= _READ_IN_S else 'MISSED'})"
    )
