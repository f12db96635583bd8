"""Targets: `T@ssh_host:web-* and G@os:Debian`, parsed once, matched against any subject. Pure."""

from ensue.targeting.grammar import TargetSyntaxError, parse_target
from ensue.targeting.match import Subject, matches
from ensue.targeting.so_far import NotKnownError, exact_name, matches_so_far, words_of

__all__ = [
    "NotKnownError",
    "Subject",
    "TargetSyntaxError",
    "exact_name",
    "matches",
    "matches_so_far",
    "parse_target",
    "words_of",
]
