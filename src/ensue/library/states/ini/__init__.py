"""State module `ini`: options and sections of INI files.

Notes:
    A file with a change is written as a whole, in the format of Salt: a blank line before each section,
    blanks around each separator. Without a change, the file is left as it is. Comments and repeated options
    stay.

Differences from Salt:
    A plan lists the changes.

Args:
    separator: text between an option and its value.
    encoding: encoding of the file; UTF-8 by default.

Source: Salt's state module `ini`, 3008: results, changes and comments. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.path_exists import path_exists
from ensue.library.states.ini.options import options_absent, options_present
from ensue.library.states.ini.sections import sections_absent, sections_present

if TYPE_CHECKING:
    from ensue.core.model.returns import Return

FUNCTIONS: Final = by_name(
    options_absent, options_present, sections_absent, sections_present, make_only=("name",)
)
ABSENT: Final = {"options_present": "options_absent", "sections_present": "sections_absent"}


def _parts(returned: Return) -> list[str]:
    """Return what a state is about: a part of a file, which stays when that is removed."""
    return [f"{returned.name} ({returned.function.partition('_')[0]})"]


THINGS: Final = _parts
STILL_EXISTS: Final = path_exists
