"""Filters and tests of Ansible that no template of ensue has under that name, and what to write here.

Tests for results, such as `is changed`, are in `result_words`.

Source: the filters and tests of `ansible.builtin`.
"""

from __future__ import annotations

from typing import Final

from ensue.language.ansible_modules import NAMESPACES

_PATH: Final = "{{{{ salt['file.{0}'](path) }}}}"

_FILTERS: Final = {
    "to_yaml": "yaml",
    "to_nice_yaml": "yaml(False)",
    "to_json": "json",
    "to_nice_json": "json(indent=2)",
    "from_yaml": "load_yaml",
    "from_json": "load_json",
    "b64encode": "base64_encode",
    "b64decode": "base64_decode",
    "bool": "to_bool",
    "mandatory": "nothing: an undefined value is an error",
    "ternary": "{{ a if condition else b }}",
    "combine": "{{ salt['slsutil.merge'](a, b) }}",
    "dict2items": "{% for key, value in mapping.items() %}",
    "items2dict": "{{ dict(items | map(attribute='key') | zip(items | map(attribute='value'))) }}",
    "subelements": "two {% for … %}, one in the other",
    "extract": "{{ mapping[key] }}",
    "basename": _PATH.format("basename"),
    "dirname": _PATH.format("dirname"),
    "realpath": "{{ salt['cmd.run']('realpath PATH') }}",
    "expanduser": "{{ salt['user.info'](name).home }} before the rest of the path",
    "splitext": "{{ path.rpartition('.') }}",
    "hash": "`sha1`, `sha256`, `sha512` or `md5`, the filter of that name",
    "checksum": "`sha1`, the filter of that name",
    "password_hash": "`hash_password: true` in `user.present`; elsewhere "
    "{{ salt['shadow.gen_password'](password, crypt_salt) }}, with a salt of your own, which keeps the hash",
    "to_datetime": "`strftime`, the filter that formats a date",
    "fileglob": "{{ salt['cp.list_master'](prefix='FOLDER') }} for files below the file roots",
    "vault": "`ensue keys encrypt`, which prints a value for pillar",
    "unvault": "nothing: encrypted values of pillar are decrypted",
    "comment": "the signs themselves, with {{ text | indent }}",
}
_TESTS: Final = {
    **dict.fromkeys(("version", "version_compare"), "{{ salt['pkg.version_cmp'](a, b) >= 0 }} (-1, 0 or 1)"),
    "search": "{{ text | regex_search('PATTERN') }}, which is none without a match",
    "regex": "{{ text | regex_search('PATTERN') }}, which is none without a match",
    "contains": "{{ item in list }}",
    "any": "{{ list | select | list }}, which is empty if none is true",
    "all": "{{ list | reject | list }}, which is empty if all are true",
    "subset": "{{ a | difference(b) == [] }}",
    "superset": "{{ b | difference(a) == [] }}",
    "truthy": "{{ value | to_bool }}",
    "falsy": "{{ not (value | to_bool) }}",
    "exists": "{{ salt['file.access'](path, 'f') }}",
    "file": _PATH.format("file_exists"),
    "directory": _PATH.format("directory_exists"),
    "link": _PATH.format("is_link"),
    "nan": "{{ value != value }}",
}


def instead_of_filter(name: str) -> str:
    """Return what to write instead of a filter of Ansible; empty if it is none."""
    bare = _without_collection(name)
    if advice := _FILTERS.get(bare, ""):
        return f"`{name}` is Ansible's: write {advice}"
    return f"filters have no collection here: write {bare}" if bare != name else ""


def instead_of_test(name: str) -> str:
    """Return what to write instead of a test of Ansible for values, `is version`; empty if it is none."""
    advice = _TESTS.get(_without_collection(name), "")
    return f"`is {name}` is Ansible's: write {advice}" if advice else ""


def _without_collection(name: str) -> str:
    """Return a name without the collection before it, as in `ansible.builtin.basename`."""
    return name.rpartition(".")[2] if name.split(".", maxsplit=1)[0] in NAMESPACES else name
