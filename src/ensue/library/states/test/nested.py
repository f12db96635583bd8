"""State module `test.nested`: `present` under a module path of two parts."""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.test.present import present

FUNCTIONS: Final = by_name(present)
