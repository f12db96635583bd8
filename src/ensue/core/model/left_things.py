"""What stays on a machine that is no longer managed, in words."""

from __future__ import annotations


def left_words(count: int, srn: str) -> str:
    """Return what states made on a machine that stays there, and how to see and to remove it.

    Args:
        count: how many things there are; 0: an empty text.
        srn: the machine.
    """
    if not count:
        return ""
    what, stay, them = ("1 thing", "stays", "it") if count == 1 else (f"{count} things", "stay", "them")
    return (
        f"{what} that states made on it {stay} (`ensue show enforced --tgt {srn}` lists {them}; "
        f"to remove {them}, declare {them} absent while it is registered)"
    )
