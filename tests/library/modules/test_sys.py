"""`sys`: the documentation of functions, as Salt's users ask for it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ensue.core.model.srn import Srn
from ensue.library.modules import sys as module
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext


@pytest.fixture
def ctx() -> FakeFunctionContext:
    """Return the context of a target with ensue's own functions."""
    return FakeFunctionContext(FakeConnection(Srn("minion", "m")))


def run(function: Any, ctx: FakeFunctionContext, *args: Any) -> Any:
    return asyncio.run(function(ctx, *args))


def test_doc_of_a_state_function(ctx: FakeFunctionContext) -> None:
    """`sys.doc` takes a state function, although Salt's takes only execution functions."""
    docs = run(module.doc, ctx, "file.managed")
    assert list(docs) == ["file.managed"]
    assert "makedirs (true or false; default: false)" in docs["file.managed"]


def test_doc_of_a_name_of_both_kinds(ctx: FakeFunctionContext) -> None:
    """The text has both functions."""
    text = run(module.doc, ctx, "cmd.run")["cmd.run"]
    assert "(execution function)" in text
    assert "(state function)" in text


def test_argspec_has_salts_shape(ctx: FakeFunctionContext) -> None:
    """Names, the defaults of the last of them, and whether others are taken."""
    spec = run(module.argspec, ctx, "file.touch")["file.touch"]
    assert set(spec) == {"args", "defaults", "varargs", "kwargs"}
    spec = run(module.state_argspec, ctx, "file.touch")["file.touch"]
    assert spec["args"][0] == "name"
    assert len(spec["defaults"]) == len(spec["args"]) - 1


def test_lists_take_modules_and_globs(ctx: FakeFunctionContext) -> None:
    """A module, a glob and nothing select functions and modules."""
    assert "sys" in run(module.list_modules, ctx)
    assert run(module.list_modules, ctx, "sy*") == ["sys", "sysctl", "sysrc"]
    assert "docker_image" in run(module.list_state_modules, ctx, "docker_*")
    assert "test.ping" in run(module.list_functions, ctx, "test")
    assert run(module.list_state_functions, ctx, "file.sym*") == ["file.symlink"]
    assert list(run(module.state_doc, ctx, "timezone")) == ["timezone.system"]
    assert run(module.doc, ctx, "no.such") == {}
