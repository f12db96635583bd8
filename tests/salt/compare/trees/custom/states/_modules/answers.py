"""A module that a tree brings along."""


def everything() -> int:
    """Return a number."""
    return 42
