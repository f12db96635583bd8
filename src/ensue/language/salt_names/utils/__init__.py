"""`salt.utils`: its modules, and the functions that it contained itself until 2018."""

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.exceptions import CommandNotFoundError
from ensue.language.salt_names.utils.args import clean_kwargs
from ensue.language.salt_names.utils.data import compare_dicts, is_true, traverse_dict
from ensue.language.salt_names.utils.data import repack_dictlist as repack_dictlist
from ensue.language.salt_names.utils.data import traverse_dict_and_list as traverse_dict_and_list
from ensue.language.salt_names.utils.decorators import memoize
from ensue.language.salt_names.utils.files import fopen, mkstemp, normalize_mode
from ensue.language.salt_names.utils.functools import alias_function, namespaced_function
from ensue.language.salt_names.utils.hashutils import get_hash
from ensue.language.salt_names.utils.path import join as path_join
from ensue.language.salt_names.utils.path import which, which_bin
from ensue.language.salt_names.utils.platform import is_darwin, is_freebsd, is_linux, is_sunos, is_windows
from ensue.language.salt_names.utils.stringutils import to_bytes as to_bytes
from ensue.language.salt_names.utils.stringutils import to_str, to_unicode
from ensue.language.salt_names.utils.user import get_user
from ensue.language.salt_names.utils.versions import compare_versions, version_cmp, warn_until


def check_or_die(command: str | None) -> None:
    """Check that a program is installed.

    Raises:
        CommandNotFoundError: it is not installed.
    """
    if command is None or which(command) is None:
        raise CommandNotFoundError("'None' is not a valid command." if command is None else command)


__all__ = [
    "alias_function", "check_or_die", "clean_kwargs", "compare_dicts", "compare_versions", "fopen",
    "get_hash", "get_user", "is_darwin", "is_freebsd", "is_linux", "is_sunos", "is_true", "is_windows",
    "memoize", "mkstemp", "namespaced_function", "normalize_mode", "path_join", "to_str", "to_unicode",
    "traverse_dict", "version_cmp", "warn_until", "which", "which_bin",
]  # fmt: skip

__getattr__ = not_there(__name__)
