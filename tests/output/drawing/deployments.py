"""Deployments to draw in tests: made by hand, of a given size, and any at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from hypothesis import strategies as st

from ensue.deploy.provisioning.nodes import Why
from ensue.deploy.provisioning.surroundings import Status
from ensue.output.drawing.from_resources import ResourceToDraw

if TYPE_CHECKING:
    from collections.abc import Iterator

STATUSES: tuple[Status, ...] = get_args(Status)
WHYS: tuple[Why, ...] = get_args(Why)
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'`&lt;#quot;",
    "a\n  end\nb",
    "\u202eevil\u200f שלום",
    "]]>-->{}",
)


def resource(
    type_: str,
    id_: str,
    *edges: tuple[ResourceToDraw, Why],
    status: Status = "planned",
    comment: str = "",
    class_: str = "default",
) -> ResourceToDraw:
    """Return a resource that depends on others."""
    return ResourceToDraw(
        type=type_,
        class_=class_,
        id=id_,
        definition=f"{type_}-def",
        driver="humanitec/echo",
        status=status,
        comment=comment,
        edges=tuple((other.key, why) for other, why in edges),
    )


def shop(count: int) -> Iterator[ResourceToDraw]:
    """Yield workloads with a database and its policy, a role that selects it, and shared resources."""
    base = resource("base-env", "base-env", status="unchanged")
    cache = resource("redis", "shared.sessions", status="orphaned")
    yield from (base, cache)
    for number in range(count):
        id_ = f"modules.shop-{number}"
        database = resource("postgres", f"{id_}.externals.db", (base, "reference"), status="created")
        policy = resource(
            "aws-policy", f"{id_}.externals.db", (database, "reference"), status="failed", comment="denied"
        )
        role = resource("aws-role", id_, (policy, "selector"), status="skipped")
        made_for: list[tuple[ResourceToDraw, Why]] = [(database, "co-provision"), (database, "for_each")]
        monitor = resource("monitor", f"{id_}.externals.db", *made_for, status="updated")
        yield from (database, policy, role, monitor)
        yield resource(
            "workload",
            id_,
            (role, "reference"),
            (database, "workload"),
            (policy, "match_dependents"),
            (cache, "workload"),
            status="skipped",
        )


@st.composite
def deployments(draw: st.DrawFn) -> list[ResourceToDraw]:
    """Any resources in any workloads, each of which depends on any before it."""
    texts = st.sampled_from(HOSTILE) | st.text(max_size=60)
    workloads = draw(st.lists(texts, max_size=3, unique=True))
    resources: list[ResourceToDraw] = []
    for number in range(draw(st.integers(0, 12))):
        owner = draw(st.sampled_from(["shared", *(f"modules.{name}" for name in workloads)]))
        others = draw(st.lists(st.sampled_from(resources), max_size=4)) if resources else []
        resources.append(
            resource(
                draw(st.sampled_from(["postgres", "s3"]) | texts),
                f"{owner}.externals.{number}{draw(texts)}",
                *((other, draw(st.sampled_from(WHYS))) for other in others),
                status=draw(st.sampled_from(STATUSES)),
                comment=draw(texts),
                class_=draw(st.sampled_from(["default", "cold"])),
            )
        )
    for name in workloads:
        others = draw(st.lists(st.sampled_from(resources), max_size=6)) if resources else []
        resources.append(resource("workload", f"modules.{name}", *((other, "workload") for other in others)))
    return list({drawn.key: drawn for drawn in resources}.values())
