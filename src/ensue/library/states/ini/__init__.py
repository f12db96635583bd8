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

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.ini.options import options_absent, options_present
from ensue.library.states.ini.sections import sections_absent, sections_present

FUNCTIONS: Final = by_name(
    options_absent, options_present, sections_absent, sections_present, make_only=("name",)
)
