"""What states are about: a path, or a name of their module; some are about nothing that is undone."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.model.returns import Return, ScopeReturn
from ensue.language.functions.functions import Functions
from ensue.language.functions.made_things import MadeThings

MADE = MadeThings(lambda _type: Functions("ensue.library.states"))


def returned(function: str, name: str = "x", **fields: Any) -> Return:
    """Return the return of a state."""
    module, _, function = function.rpartition(".")
    known: dict[str, Any] = {
        "tag": f"{module}_|-{name}_|-{name}_|-{function}",
        "id": name,
        "name": name,
        "sls": "t",
        "module": module,
        "function": function,
        "scope": "",
        "target": "minion:m1",
        "result": True,
        "changes": {},
        "comment": "",
    }
    return Return(**known, **fields)


@pytest.mark.parametrize(
    ("state", "things"),
    [
        (returned("file.managed", "/etc/x"), ("/etc/x",)),
        (returned("file.absent", "/etc/./x/"), ("/etc/x",)),
        (returned("service.dead", "nginx"), ("service:nginx",)),
        (returned("pkg.installed", "tools", new_state={"jq": "1", "curl": ""}), ("pkg:jq", "pkg:curl")),
        (returned("pkg.removed", "tools", old_state={"jq": "1"}), ("pkg:jq",)),
        (returned("pkg.installed", "jq"), ("pkg:jq",)),
        (returned("pkg.held", "jq", new_state={"held": True}), ("pkg:jq",)),
        (returned("postgres_database.present", "shop"), ("postgres_database:shop",)),
        (
            returned("postgres_database.present", "shop", placed=("db_host=pg1", "db_port=5433")),
            ("postgres_database:shop (db_host=pg1, db_port=5433)",),
        ),
        (
            returned("acl.present", "/srv/x", placed=("acl_type=user", "acl_name=ann")),
            ("/srv/x (acl_type=user, acl_name=ann)",),
        ),
        (returned("cron.present", "true", placed=("user=ann",)), ("cron:crontab true (user=ann)",)),
        (returned("cmd.run", "true"), ()),
        (returned("test.present", "a"), ()),
        (returned("no_such.present", "a"), ()),
        (
            returned(
                "graph.deployed",
                "it",
                applied=(
                    ScopeReturn(kind="deployment", name="shop/dev", scope="it/shop/dev", status="done"),
                ),
            ),
            ("graph:shop/dev",),
        ),
    ],
    ids=lambda value: f"{value.module}.{value.function}" if isinstance(value, Return) else None,
)
def test_what_a_state_is_about(state: Return, things: tuple[str, ...]) -> None:
    """States about one thing give the same text, whichever function and ID they have."""
    assert MADE.of(state).things == things
