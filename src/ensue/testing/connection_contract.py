"""The whole contract of a Connection: files and commands. See `FileContract` for how to use it."""

from __future__ import annotations

from ensue.testing.command_contract import CommandContract
from ensue.testing.contract_play import Subject
from ensue.testing.file_contract import FileContract

__all__ = ["CommandContract", "ConnectionContract", "FileContract", "Subject"]


class ConnectionContract(FileContract, CommandContract):
    """The contract of every target that has files and runs commands."""
