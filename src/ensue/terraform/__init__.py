"""Running the terraform or OpenTofu binary on a configuration, with its state encrypted between runs.

Shared by the environment provider `terraform` and the state module `terraform`. Nothing here knows what the
outputs are used for.
"""

from __future__ import annotations

from ensue.terraform.binary import find_binary
from ensue.terraform.stored_state import Output
from ensue.terraform.workspace import Applied, Planned, Workspace

__all__ = ["Applied", "Output", "Planned", "Workspace", "find_binary"]
