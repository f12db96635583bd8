"""Templates give what Go's own engine and Sprig give; `conformance.json` is recorded with `record.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ensue.core.errors import GoTemplateError
from ensue.deploy.gotemplate import compile_template
from ensue.deploy.gotemplate.functions import FUNCTIONS

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("conformance.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["template"][:60] for case in CASES])
def test_a_template_renders_as_in_go(case: dict[str, Any]) -> None:
    """The output is the same, and there is an error where Go has one; `differs` says why a case differs."""
    if case["expected"] is None:
        with pytest.raises(GoTemplateError, match=r"\At:\d+:\d+: "):
            compile_template(case["template"], "t").render(case["data"])
    else:
        assert compile_template(case["template"], "t").render(case["data"]) == case["expected"]


def test_every_function_has_a_case() -> None:
    """The cases call all functions."""
    named = set(re.findall(r"\w+", " ".join(case["template"] for case in CASES)))
    assert sorted(set(FUNCTIONS) - named) == []


def test_every_function_is_documented() -> None:
    """The reference names each function."""
    page = Path(__file__).parents[3] / "docs" / "go-templates.md"
    named = set(re.findall(r"`(\w+)`", page.read_text(encoding="utf-8")))
    assert sorted(set(FUNCTIONS) - named) == []
