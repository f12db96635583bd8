"""State modules `rabbitmq_…`: what data cases do not show of secrets and of failures."""

from __future__ import annotations

from tests.library.states.system_states import context, state

from ensue.testing.connection import FakeConnection


def test_a_password_is_in_no_command_and_in_no_message() -> None:
    """Neither a user's nor one in the URI of an upstream; both go to the program's input."""
    fake = FakeConnection()
    fake.on_run("rabbitmqctl *", stdout=b"[]")
    ctx = context(fake)
    made = state("rabbitmq_user.present", ctx, "web", password="hunter2x")
    upstream = state("rabbitmq_upstream.present", ctx, "up", uri="amqp://a:hunter3x@host")
    assert (made.result, upstream.result, upstream.sensitive) == (True, True, ("definition:uri",))
    assert not [command for command in fake.commands if "hunter" in " ".join(command.argv or ())]
    assert [command.stdin for command in fake.commands if b"hunter2x" in command.stdin] == [b"hunter2x\n"]
    assert ctx.masker.text("hunter2x hunter3x") == "(sensitive) (sensitive)"


def test_a_user_without_a_password_cannot_log_in_with_any() -> None:
    """A password that nobody knows is set and taken away; if that fails, the user goes, too."""
    fake = FakeConnection()
    fake.on_run("rabbitmqctl *", stdout=b"[]")
    assert state("rabbitmq_user.present", context(fake), "web").result is True
    words = [" ".join(command.argv or ()) for command in fake.commands]
    assert [word.split()[2] for word in words[:3]] == ["list_users", "add_user", "clear_password"]
    fake.on_run("rabbitmqctl --quiet clear_password *", returncode=70, stderr=b"Error: no")
    failed = state("rabbitmq_user.present", context(fake), "web")
    assert (failed.result, "Error: no" in failed.comment) == (False, True)
    assert " ".join(fake.commands[-1].argv or ()) == "rabbitmqctl --quiet delete_user web"


def test_what_cannot_be_asked_is_said() -> None:
    """A target without the program, an answer that is no JSON, and a password of several lines."""
    fake = FakeConnection()
    fake.on_run("*", returncode=127)
    missing = state("rabbitmq_vhost.present", context(fake), "x")
    assert (missing.result, "no program `rabbitmqctl`" in missing.comment) == (False, True)
    fake.on_run("*", stdout=b"Listing vhosts ...")
    odd = state("rabbitmq_vhost.present", context(fake), "x")
    assert (odd.result, "not return a JSON list" in odd.comment) == (False, True)
    fake.on_run("*", stdout=b"[]")
    assert state("rabbitmq_user.present", context(fake), "x", password="a\nb").result is False
    assert state("rabbitmq_policy.present", context(fake), "x", pattern="", definition="{").result is False
