"""Only what a minion of a run signed for its job is admitted."""

from __future__ import annotations

from typing import Any

import pytest
from tests.salt.fleet.minion_keys import public_pem, signer

from ensue.salt.fleet import admission
from ensue.salt.fleet.admission import Admission, Admitted, Exceeded, SaltFailed, rsa_key
from ensue.salt.fleet.sealing import RunKey

PUBLIC = RunKey().public


def _admission() -> Admission:
    made = Admission("run")
    made.expect("1", {name: public_pem(name) for name in ("web1", "web2")})
    return made


def _event(frame: dict[str, Any], sender: str = "web1") -> dict[str, Any]:
    return {"id": sender, "data": frame, "tag": "ensue/run/x", "cmd": "_minion_event"}


def test_a_signed_frame_is_admitted_once() -> None:
    """A frame with the signature of its minion is admitted with any tag; a duplicate is dropped."""
    admitting = _admission()
    (frame,) = signer("web1", public=PUBLIC).frames(b"x")
    admitted = admitting.admit("ensue/run/web2", _event(frame, "web2"))
    assert isinstance(admitted, Admitted)
    assert (admitted.minion, admitted.number) == ("web1", 0)
    assert admitting.admit("ensue/run/web1", _event(frame)) is None
    assert not admitting.refused


@pytest.mark.parametrize(
    "made",
    [
        signer("web2", public=PUBLIC, key="web1"),
        signer("web1", public=PUBLIC, key="nobody"),
        signer("nobody", public=PUBLIC, key="web1"),
        signer("web1", public=PUBLIC, jid="2"),
        signer("web1", public=PUBLIC, run_id="other"),
    ],
    ids=["for another minion", "wrong key", "unknown minion", "another job", "another run"],
)
def test_a_signature_counts_in_its_place(made: Any) -> None:
    """A frame for another minion, job or run, or with another key, is refused and counted by its sender."""
    admitting = _admission()
    (frame,) = made.frames(b"x")
    assert admitting.admit("ensue/run/web1", _event(frame)) is None
    assert admitting.refused == {"web1": 1}


@pytest.mark.parametrize("field", ["minion", "number", "sealed", "signature"])
def test_every_field_is_signed(field: str) -> None:
    """A frame in which any field is that of another frame is refused."""
    admitting, made = _admission(), signer("web1", public=PUBLIC)
    (frame,), (other,) = made.frames(b"x"), made.frames(b"y")
    other["minion"] = "web2"
    assert admitting.admit("ensue/run/web1", _event({**frame, field: other[field]})) is None
    assert admitting.refused == {"web1": 1}


def test_quotas_end_a_minion_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minion beyond its quota of frames or bytes is reported once; what it sends later takes no memory."""
    monkeypatch.setattr(admission, "MOST_FRAMES", 3)
    admitting, made = _admission(), signer("web1", public=PUBLIC)
    meaning = [admitting.admit("ensue/run/x", _event(made.frames(b"x")[0])) for _ in range(6)]
    assert [type(verdict) for verdict in meaning] == [
        Admitted,
        Admitted,
        Admitted,
        Exceeded,
        type(None),
        type(None),
    ]
    monkeypatch.setattr(admission, "MOST_BYTES", 1000)
    large = signer("web2", public=PUBLIC)
    meaning = [admitting.admit("ensue/run/x", _event(large.frames(b"x" * 600)[0])) for _ in range(3)]
    assert [type(verdict) for verdict in meaning] == [Admitted, Exceeded, type(None)]


def test_a_return_of_salt_is_heard_once_and_only_as_a_failure() -> None:
    """Salt's return of a job is a problem or is ignored, once per minion; one of another job is ignored."""
    admitting = _admission()
    failed = {"id": "web1", "return": "Traceback\n  boom\n"}
    assert admitting.admit("salt/job/2/ret/web1", failed) is None
    assert admitting.admit("salt/job/1/ret/web1", {"id": "web1", "return": {"problem": ""}}) is None
    assert admitting.admit("salt/job/1/ret/web1", failed) == SaltFailed(
        "web1", "Salt could not run ensue there: boom"
    )
    assert admitting.admit("salt/job/1/ret/web1", failed) is None
    assert admitting.admit("salt/job/1/ret/x", {"id": "nobody", "return": ""}) is None


def test_only_rsa_keys_are_keys_of_salt() -> None:
    """A key of another kind, or malformed, is refused."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    other = Ed25519PrivateKey.generate().public_key()
    for pem in (b"", b"no key", other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)):
        with pytest.raises(ValueError, match=r".+"):
            rsa_key(pem)
    assert rsa_key(public_pem("web1")).key_size == 2048
