"""The real terraform (or tofu) binary, and configurations that need nothing but its built-in provider."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

BOX = """\
variable "size" { default = "small" }
resource "terraform_data" "box" { input = var.size }
output "size" { value = terraform_data.box.output }
output "password" {
  value     = "hunter2-of-terraform"
  sensitive = true
}
"""

NULLS = """\
variable "size" {
  type    = string
  default = null
}
output "size" { value = var.size }
output "computed" { value = terraform_data.box.output }
output "hidden" {
  value     = var.size
  sensitive = true
}
output "inner" { value = [var.size] }
resource "terraform_data" "box" { input = var.size }
"""
"""All its outputs are null, except that `inner` is a list with a null."""

BROKEN = """\
resource "terraform_data" "first" { input = "made" }
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "test -e %s" }
}
output "made" { value = terraform_data.first.output }
"""
"""Fails after its first resource as long as a file is not there."""


def needs_terraform() -> None:
    """Skip a test on a machine that has no terraform. No package of Debian's has one."""
    if not (shutil.which("terraform") or shutil.which("tofu")):
        pytest.skip("there is no terraform or tofu on this machine")


def configuration(folder: Path, text: str) -> Path:
    """Write a configuration and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.tf").write_text(text)
    return folder
