"""Whether a source has changed since a registration."""

from __future__ import annotations

from ensue.core.model.srn import Srn
from ensue.store.registry import fingerprint

KEY = fingerprint.new_key()
SOURCE = Srn("starting_state", "env-01")


def _compare(
    grains: dict[str, object], watch: tuple[str, ...], noted: fingerprint.Watched
) -> fingerprint.GrainsComparison:
    return fingerprint.compare(grains, watch=watch, noted=noted, key=KEY, source=SOURCE)  # type: ignore[arg-type]  # plain data


def _take(grains: dict[str, object], *watch: str) -> fingerprint.Watched:
    return fingerprint.take(grains, watch, key=KEY, source=SOURCE)  # type: ignore[arg-type]  # plain data


def test_a_watched_change_is_named() -> None:
    """Another value, or none, of a watched key is a change; the key is named."""
    noted = _take({"status": "succeeded", "address": "10.0.0.1"}, "status", "address")
    assert _compare({"status": "succeeded", "address": "10.0.0.2"}, ("status", "address"), noted).changed == (
        "address",
    )
    assert _compare({"status": "succeeded"}, ("status", "address"), noted).changed == ("address",)


def test_a_volatile_grain_is_no_change() -> None:
    """What is not watched may change."""
    noted = _take({"status": "succeeded", "uptime": 1}, "status")
    assert _compare({"status": "succeeded", "uptime": 2}, ("status",), noted) == fingerprint.GrainsComparison(
        (), noted
    )


def test_an_unnoted_status_was_succeeded() -> None:
    """Leaving `succeeded` is a change even if no status was noted; a status that is not given is none."""
    assert _compare({"status": "stopped"}, ("status",), ()).changed == ("status",)
    assert _compare({"status": "succeeded"}, ("status",), ()).changed == ()
    assert _compare({}, ("status",), ()).changed == ()


def test_what_nobody_noted_is_noted_now() -> None:
    """The first value seen of another watched key is taken as it is, and from then on it counts."""
    first = _compare({"address": "10.0.0.1"}, ("address",), ())
    assert first.changed == ()
    assert _compare({"address": "10.0.0.2"}, ("address",), first.watched).changed == ("address",)


def test_a_fingerprint_tells_nothing_without_its_key() -> None:
    """The same grain has another fingerprint under another key."""
    other = fingerprint.take({"status": "x"}, ("status",), key=fingerprint.new_key(), source=SOURCE)
    assert _take({"status": "x"}, "status") != other
