"""Collects the changes and comments of a `docker_container` state, and makes its return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ensue.core.model.returns import StateReturn
from ensue.library.states._docker import part

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class Report:
    """What a state has done so far.

    Args:
        name: the state's name.
        changes: its changes.
        comments: its comments, one sentence each.
    """

    name: str
    changes: dict[str, Any] = field(default_factory=dict[str, Any])
    comments: list[str] = field(default_factory=list[str])

    def returned(
        self, result: bool | None, *more: str, about: Mapping[str, Any] | None = None
    ) -> StateReturn:
        """Make the return of the state.

        Args:
            result: the result.
            *more: sentences to add to the comment.
            about: description of the container by docker, for `new_state`.
        """
        sentences = [*self.comments, *more]
        return StateReturn(
            name=self.name,
            result=result,
            changes=self.changes,
            comment=". ".join(sentences) + ("." if len(sentences) > 1 else ""),
            new_state=None if about is None else container_state(about),
        )


def container_state(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `new_state` of a container from docker's description."""
    networks = part(about, "NetworkSettings", "Networks")
    return {
        "name": str(about.get("Name", "")).lstrip("/"),
        "id": about.get("Id"),
        "image_id": about.get("Image"),
        "state": state_of(about),
        "networks": {name: part(networks, name).get("IPAddress") or "" for name in networks},
        "ports": part(about, "NetworkSettings", "Ports"),
    }


def state_of(about: Mapping[str, Any] | None) -> str | None:
    """Return `running`, `paused` or `stopped`; None for a container that does not exist."""
    if about is None:
        return None
    now = part(about, "State")
    return "paused" if now.get("Paused") else "running" if now.get("Running") else "stopped"
