"""Targets: `T@ssh_host:web-* and G@os:Debian`, parsed once, matched against any subject. Pure."""

from ensue.language.targeting.by_name import NameMatcher
from ensue.language.targeting.errors import TargetSyntaxError
from ensue.language.targeting.expression import reads_grains, words_of
from ensue.language.targeting.grammar import parse_target
from ensue.language.targeting.match import TargetSubject, matches
from ensue.language.targeting.nodegroups import read_nodegroups
from ensue.language.targeting.partial_matching import NotKnownError, exact_name, matches_so_far
from ensue.language.targeting.vocabulary import Vocabulary

__all__ = [
    "NameMatcher", "NotKnownError", "TargetSubject", "TargetSyntaxError", "Vocabulary", "exact_name",
    "matches", "matches_so_far", "parse_target", "read_nodegroups", "reads_grains", "words_of",
]  # fmt: skip
