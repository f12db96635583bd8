"""The variables that a configuration declares, read without terraform."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.reach.terraform.declared_variables import declared_variables, undeclared

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = """\
variable "size" { default = "small" }
variable
  "below" {}
variable bare {
  type = object({ inner = string })
}
/* variable "in_a_comment" {} */
# variable "after_a_sign" {}
// variable "after_slashes" {}
locals {
  text   = "variable \\"escaped\\" {} ${lookup({ a = "}" }, "a")}"
  script = <<-EOT
    variable "in_a_heredoc" {}
  EOT
  my_variable = "other" # variable "behind" {}
}
variable "last"{}
"""


def test_declarations_are_found_in_code_alone(tmp_path: Path) -> None:
    """Not in strings, comments or heredocs; nor in folders below."""
    (tmp_path / "main.tf").write_text(DECLARED)
    (tmp_path / "more.tf.json").write_text(json.dumps({"variable": {"in_json": {}, "second": {}}}))
    (tmp_path / "blocks.tofu.json").write_text(json.dumps([{"variable": [{"in_blocks": {}}]}]))
    (tmp_path / "broken.tf.json").write_text("{")
    (tmp_path / "module").mkdir()
    (tmp_path / "module/main.tf").write_text('variable "below_it" {}')
    assert set(declared_variables(tmp_path)) == {
        *("size", "below", "bare", "last", "in_json", "second", "in_blocks"),
    }


def test_what_is_not_declared_has_similar_names(tmp_path: Path) -> None:
    """Those that the configuration declares."""
    (tmp_path / "main.tf").write_text(DECLARED)
    assert undeclared(["size", "siz"], str(tmp_path)) == {
        "siz": "the configuration declares no variable 'siz' (did you mean size?); its value is not used"
    }
    assert undeclared([], "/nowhere") == {}


@pytest.mark.parametrize("end", ["", "\n", '"', "/*", "<<E\n"])
@given(text=st.text(alphabet='variable "{}#/*<-E\n\\$', max_size=60))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, text: str, end: str) -> None:
    """Whatever a file has, and however it ends; a declaration before it is found."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "main.tf").write_text(f'variable "first" {{}}\n{text}{end}')
    assert "first" in set(declared_variables(folder))
