"""An execution module of a tree."""


def everything() -> int:
    """Return a number."""
    return 42
