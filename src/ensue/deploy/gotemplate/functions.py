"""All functions that templates may call, and those of Sprig that are refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.deploy.gotemplate.language_functions import LANGUAGE_FUNCTIONS
from ensue.deploy.gotemplate.sprig.certificates import CERTIFICATE_FUNCTIONS
from ensue.deploy.gotemplate.sprig.crypto import CRYPTO_FUNCTIONS
from ensue.deploy.gotemplate.sprig.dates import DATE_FUNCTIONS
from ensue.deploy.gotemplate.sprig.defaults import DEFAULT_FUNCTIONS
from ensue.deploy.gotemplate.sprig.dicts import DICT_FUNCTIONS
from ensue.deploy.gotemplate.sprig.encoding import ENCODING_FUNCTIONS
from ensue.deploy.gotemplate.sprig.lists import LIST_FUNCTIONS
from ensue.deploy.gotemplate.sprig.numeric import NUMERIC_FUNCTIONS
from ensue.deploy.gotemplate.sprig.paths import PATH_FUNCTIONS
from ensue.deploy.gotemplate.sprig.randoms import RANDOM_FUNCTIONS
from ensue.deploy.gotemplate.sprig.reflection import REFLECTION_FUNCTIONS
from ensue.deploy.gotemplate.sprig.regex import REGEX_FUNCTIONS
from ensue.deploy.gotemplate.sprig.semver import SEMVER_FUNCTIONS
from ensue.deploy.gotemplate.sprig.strings import STRING_FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.gotemplate.function import Function

_RANDOM: Final = frozenset(
    {
        *RANDOM_FUNCTIONS,
        *(CERTIFICATE_FUNCTIONS.keys() - {"buildCustomCert"}),
        "bcrypt",
        "encryptAES",
        "genPrivateKey",
        "htpasswd",
    }
)
"""The functions whose result differs each time: it contains a random value, key, serial number or salt."""

_ALL: Final[Mapping[str, Function]] = {
    **LANGUAGE_FUNCTIONS,
    **STRING_FUNCTIONS,
    **REGEX_FUNCTIONS,
    **NUMERIC_FUNCTIONS,
    **DATE_FUNCTIONS,
    **DEFAULT_FUNCTIONS,
    **ENCODING_FUNCTIONS,
    **LIST_FUNCTIONS,
    **DICT_FUNCTIONS,
    **PATH_FUNCTIONS,
    **RANDOM_FUNCTIONS,
    **SEMVER_FUNCTIONS,
    **REFLECTION_FUNCTIONS,
    **CRYPTO_FUNCTIONS,
    **CERTIFICATE_FUNCTIONS,
}

FUNCTIONS: Final[Mapping[str, Function]] = {
    name: msgspec.structs.replace(called, is_random=name in _RANDOM) for name, called in _ALL.items()
}
"""The functions that a template may call, by name."""

MUTATING: Final = frozenset({"set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"})
"""The functions that change a mapping in place."""

_NO_SURROUNDINGS: Final = (
    "Hand the value to the template as data: it does not see the machine that renders it"
)

REFUSED: Final[Mapping[str, str]] = {
    "env": _NO_SURROUNDINGS,
    "expandenv": _NO_SURROUNDINGS,
    "getHostByName": _NO_SURROUNDINGS,
}
"""Functions of Sprig that are not offered, each with an alternative."""
