"""`salt.ext.six.moves`: builtins, and modules of the standard library that had other names in Python 2.

A module below it (`six.moves.urllib.parse`) is an attribute here; `ensue.language.salt_names.importing`
resolves it.
"""

from __future__ import annotations

import functools
import importlib
import io
import itertools
import shlex
from typing import Any, Final

from ensue.language.salt_names.absent import advice

_MODULES: Final = {
    "configparser": "configparser",
    "cPickle": "pickle",
    "html_parser": "html.parser",
    "http_client": "http.client",
    "http_cookies": "http.cookies",
    "queue": "queue",
    "socketserver": "socketserver",
    "urllib": "urllib",
    "urllib_error": "urllib.error",
    "urllib_parse": "urllib.parse",
    "urllib_request": "urllib.request",
    "xmlrpc_client": "xmlrpc.client",
    "xmlrpc_server": "xmlrpc.server",
    "builtins": "builtins",
}

filter = filter  # noqa: A001, PLW0127 -- the names are those of six
input = input  # noqa: A001, PLW0127
map = map  # noqa: A001, PLW0127
range = range  # noqa: A001, PLW0127
zip = zip  # noqa: A001, PLW0127
xrange = range
reduce = functools.reduce
zip_longest = itertools.zip_longest
filterfalse = itertools.filterfalse
StringIO = io.StringIO
cStringIO = io.StringIO  # noqa: N816
shlex_quote = shlex.quote


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(advice(f"salt.ext.six.moves.{name}"))
    for below in ("urllib.error", "urllib.parse", "urllib.request") if name == "urllib" else ():
        importlib.import_module(below)
    return importlib.import_module(_MODULES[name])
