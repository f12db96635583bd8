"""Signing policies, and how they combine with what a user asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.certificates.target import done, target

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.policies import merged, policy_named

if TYPE_CHECKING:
    from ensue.testing.context import FakeFunctionContext


def with_policies(policies: Any) -> FakeFunctionContext:
    async def get(_: Any, option: str, default: Any) -> Any:
        assert (option, default) == ("x509_signing_policies", {})
        return policies

    return target(functions={"config.get": get})


@pytest.mark.parametrize(
    "policy",
    [
        {"commonName": "a", "X509v3 Key Usage": "b", "signing_private_key_passphrase": "hunter2x"},
        [{"commonName": "a"}, {"X509v3 Key Usage": "b"}, {"signing_private_key_passphrase": "hunter2x"}],
    ],
)
def test_a_policy_has_arguments_by_short_names(policy: Any) -> None:
    """As a mapping or as Salt's list of them; its passphrase is masked."""
    ctx = with_policies({"p": policy})
    assert done(policy_named(ctx, "p")) == {
        "CN": "a", "keyUsage": "b", "signing_private_key_passphrase": "hunter2x",
    }  # fmt: skip
    assert ctx.masker.text("hunter2x") == "(sensitive)"


def test_without_a_name_there_is_no_policy() -> None:
    """Nothing is looked up."""
    assert done(policy_named(target(), None)) == done(policy_named(target(), "")) == {}


@pytest.mark.parametrize(
    "policies", [{}, None, "text", {"q": {"CN": "a"}}, {"p": {}}, {"p": "text"}, {"p": ["text"]}]
)
def test_a_policy_that_is_not_there_is_an_error(policies: Any) -> None:
    """As is one of another shape."""
    with pytest.raises(
        StateFailedError, match=r"x509_signing_policies, in options or pillar, has no policy p"
    ):
        done(policy_named(with_policies(policies), "p"))


@pytest.mark.parametrize(
    ("policy", "given", "expected"),
    [
        ({"O": "theirs"}, {"O": "ours", "CN": "a"}, {"O": "theirs", "CN": "a"}),
        ({"minions": "*", "days_valid": 1}, {"CN": "a"}, {"days_valid": 1, "CN": "a"}),
        ({"O": "theirs"}, {"subject": "CN=a"}, {"O": "theirs"}),
        ({"subject": "CN=b"}, {"subject": {"CN": "a"}}, {"subject": "CN=b"}),
        ({"subject": {"O": "b"}}, {"subject": {"O": "a", "CN": "a"}}, {"subject": {"O": "b", "CN": "a"}}),
        ({"subject": ["O=b"]}, {"subject": ["CN=a"]}, {"subject": ["O=b", "CN=a"]}),
    ],
)
def test_a_policy_takes_precedence(
    policy: dict[str, Any], given: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Its attributes replace a whole subject; two subjects of one kind are combined."""
    assert merged(policy, given) == expected
