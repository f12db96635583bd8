"""Runs the terraform or OpenTofu binary on a configuration, with its state encrypted between runs.

The environment provider `terraform`, the driver and the state module `terraform` share it. It does not know
how the outputs are used.
"""

from __future__ import annotations

from ensue.reach.terraform.binary import find_binary
from ensue.reach.terraform.stored_state import Output
from ensue.reach.terraform.workspace import TerraformApplyResult, TerraformPlanResult, Workspace

__all__ = ["Output", "TerraformApplyResult", "TerraformPlanResult", "Workspace", "find_binary"]
