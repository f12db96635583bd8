"""Targets: `T@ssh_host:web-* and G@os:Debian`, parsed once, matched against any subject. Pure."""

from ensue.targeting.grammar import TargetSyntaxError, parse_target
from ensue.targeting.match import Subject, matches

__all__ = ["Subject", "TargetSyntaxError", "matches", "parse_target"]
