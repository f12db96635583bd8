"""Delayed blocks: finding them in raw text, and finding them by name.

Nothing here renders or runs anything; a block is kept as text until a state calls for it.

Source: SEP 16 (delayed state rendering).
"""

from ensue.language.blocks.block import UNLIMITED, UNSET, Block, Limit, Scan
from ensue.language.blocks.scan import scan

__all__ = ["UNLIMITED", "UNSET", "Block", "Limit", "Scan", "scan"]
