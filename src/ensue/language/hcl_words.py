"""Words of Terraform in an SLS or in `ensue.yaml`, and what to write here.

Patterns are texts: few runs meet such a word, so that only these compile them.

Source: the meta-arguments and blocks of Terraform's language.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.language.result_words import BLOCK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_EACH: Final = "write `names`, or {% for … %} around the state (in a delayed block for what a state returns)"
_DIFFERS: Final = (
    "leave the argument out: a state changes only what its arguments name; "
    "`replace: false` makes a file only once"
)
_KEYWORDS: Final = {
    "for_each": _EACH,
    "count": _EACH,
    "lifecycle": "leave it out: a state changes what differs; of a definition, `protect` keeps what it made",
    "ignore_changes": _DIFFERS,
    "prevent_destroy": "leave it out: an apply undoes no deleted state; a definition has `protect`",
    "create_before_destroy": "write two states: one makes the new thing, one with `require` removes the old",
    "replace_triggered_by": "write `onchanges` or `watch` with the states whose changes count",
    "depends_on": "write `require` with the module and the ID of each state: `- require: [{cmd: build}]`",
    "provider": "write `tgt` with the resource on which the state runs",
    "providers": "write `tgt` with the resource on which the state runs",
    "provisioner": "write a state of its own, with `tgt` for the machine and `require`",
    "connection": "the machine is a resource: `registers` of this state, or `resources` in pillar",
    "triggers": "write `onchanges` or `watch` with the states whose changes count",
    "triggers_replace": "write `onchanges` or `watch` with the states whose changes count",
    "dynamic": "write {% for … %}",
    "variable": "a variable is a key of pillar, in a file that pillar/top.sls assigns, or of `--pillar`",
    "output": "write ${module:ID:property} where a result is used; `ensue show` and `--out json` have it",
    "module": "write `include`, or a macro; a state `terraform.applied` applies a module of Terraform",
    "locals": "write {% set name = … %}, or a key of pillar",
    "interpreter": "write `shell: /bin/bash`, or begin the command with the interpreter",
    "on_failure": "leave it out: states after a failed one run unless they `require` it",
    "taint": "`ensue deploy --replace RESOURCE` makes a resource anew; of states, change what is written",
    "sensitive_content": "write `contents` and `sensitive`",
}
_VALUES: Final = r"TF_VAR_\w*|(?:.+\.)?tfvars(?:\.json)?"
_FOLDER: Final = "source"
_ARGUMENTS: Final = {
    "vars": "variables",
    "var": "variables",
    "inputs": "variables",
    "env": "environment",
    "path": _FOLDER,
    "dir": _FOLDER,
}
_BLOCKS: Final = {
    "moved": "leave it out: a state keeps what it made if its `name` stays; its ID may change",
    "removed": "leave the state out: what it made stays, and a plan says so",
    "import": "leave it out: a state finds what exists",
    "data": "write a `cmd.run` with `read_only: true`, which a plan runs too, and ${cmd:ID:stdout} to use it",
    "outputs": "write ${module:ID:property} where a result is used; `ensue show enforced` has all results",
    "terraform": "leave it out: `store_url` in ensue.yaml names the database, no providers are downloaded",
    "check": "write a `cmd.run` with `read_only: true`, which fails with its command",
}
"""Blocks of Terraform whose words are arguments, modules or usual IDs here."""
_TRANSLATED: Final = (
    "abspath|base64decode|base64encode|basename|ceil|chomp|cidrhost|cidrsubnet|coalesce|compact|concat|contains"
    "|dirname|element|file|fileexists|filebase64|flatten|floor|format|formatdate|join|jsondecode|jsonencode|keys"
    "|length|lookup|lower|max|md5|merge|min|one|pathexpand|range|regex|replace|sha256|sort|split|substr"
    "|templatefile|timestamp|title|toset|tostring|trim|trimspace|try|upper|urlencode|uuid|values|yamldecode"
    "|yamlencode|zipmap"
)
_STATE: Final = r"\w:[^:/\s]+:\w"
"""A reference within a function: `upper(cmd:x:stdout)`."""
_FILTERS: Final = {"jsonencode": "{{ … | tojson }}", "yamlencode": "{{ … | yaml }}"}
_JINJA: Final = {
    **_FILTERS,
    "abspath": "an absolute path",
    "base64decode": "{{ salt['hashutil.base64_b64decode'](…) }}",
    "base64encode": "{{ … | base64_encode }}",
    "chomp": "{{ ….rstrip('\\n') }}",
    "coalesce": "{{ pillar.get('x') or 'default' }}",
    "concat": "{{ a + b }}",
    "contains": "{{ item in list }}",
    "element": "{{ list[0] }}",
    "file": "{{ salt['cp.get_file_str']('salt://…') }}; a state such as `file.managed` has `source`",
    "join": "{{ list | join(',') }}",
    "jsondecode": "{{ … | load_json }}",
    "keys": "{{ ….keys() | list }}",
    "length": "{{ … | length }}",
    "lookup": "{{ mapping.get('key', 'x') }}",
    "lower": "{{ … | lower }}",
    "max": "{{ … | max }}",
    "merge": "{{ dict(a, **b) }}",
    "min": "{{ … | min }}",
    "replace": "{{ … | replace('a', 'b') }}",
    "sort": "{{ … | sort }}",
    "split": "{{ ….split(',') }}",
    "templatefile": "`source` and `template: jinja` of `file.managed`",
    "title": "{{ … | title }}",
    "tostring": "{{ … | string }}",
    "toset": "{{ … | unique }}",
    "trimspace": "{{ … | trim }}",
    "try": "{{ … | default('x') }}",
    "upper": "{{ … | upper }}",
    "urlencode": "{{ … | urlencode }}",
    "values": "{{ ….values() | list }}",
    "yamldecode": "{{ … | load_yaml }}",
    "alltrue": "{{ false not in list }}",
    "anytrue": "{{ true in list }}",
    "basename": "{{ salt['file.basename'](path) }}",
    "can": "{{ … is defined }}",
    "ceil": "{{ number | round(0, 'ceil') | int }}",
    "compact": "{{ list | select | list }}",
    "dirname": "{{ salt['file.dirname'](path) }}",
    "distinct": "{{ list | unique }}",
    "endswith": "{{ text.endswith('x') }}",
    "fileexists": "{{ salt['file.file_exists'](path) }}",
    "flatten": "{{ list | flatten }}",
    "floor": "{{ number | round(0, 'floor') | int }}",
    "format": "{{ 'web-%s' | format(value) }}",
    "formatdate": "{{ 'now' | strftime('%Y-%m-%d') }}",
    "md5": "{{ text | md5 }}",
    "nonsensitive": "the value as it is",
    "one": "{{ list | first }}",
    "regex": "{{ text | regex_search('(…)') }}",
    "reverse": "{{ list | reverse | list }}",
    "sensitive": "`sensitive: true` of the state that returns it; secrets of pillar are masked by their keys",
    "setintersection": "{{ a | intersect(b) }}",
    "setproduct": "a loop within a loop: {% for a in … %}{% for b in … %}",
    "setsubtract": "{{ a | difference(b) }}",
    "setunion": "{{ a | union(b) }}",
    "sha1": "{{ text | sha1 }}",
    "sha256": "{{ text | sha256 }}",
    "sha512": "{{ text | sha512 }}",
    "slice": "{{ list[0:2] }}",
    "startswith": "{{ text.startswith('x') }}",
    "strcontains": "{{ 'x' in text }}",
    "substr": "{{ text[0:3] }}",
    "sum": "{{ list | sum }}",
    "timestamp": "{{ 'now' | strftime('%Y-%m-%dT%H:%M:%S') }}, which is another value in every run",
    "tolist": "{{ … | list }}",
    "tomap": "{{ dict(…) }}",
    "tonumber": "{{ text | int }}",
    "tobool": "{{ text | to_bool }}",
    "trimprefix": "{{ text.removeprefix('x') }}",
    "trimsuffix": "{{ text.removesuffix('x') }}",
    "uuid": "{{ 'name' | uuid }}, which is always the same for one name",
}
_FUNCTIONS: Final = "|".join(sorted({*_TRANSLATED.split("|"), *_JINJA}))
_INTERPOLATION: Final = (
    r"(?<![$\\%])(?:%\{~?\s*(?P<directive>for|if|else|endif|endfor)\b[^{}\n]*\}|\$\{(?:"
    r"(?P<kind>var|local|terraform)\.(?P<name>\w+)|(?P<own>pillar|grains|opts)[.:](?P<key>\w+)(?=[.\[}])|(?P<each>each\.(?:key|value)|count\.index)|path\.(?:module|root|cwd)"
    r"|(?P<read>(?:module|data)\.[\w-]+\.[\w-]+"
    r"|(?:self\.|resource\.[\w-]+\.|[a-z][a-z0-9]*_\w+\.(?:[\w-]+(?:\[[^][{}\n]*\])?\.)?)[a-z]\w*(?=[^:{}\n]*\}))"
    rf"|(?P<function>{_FUNCTIONS})\((?:\{{[^{{}}\n]*\}})?"
    r"|(?P<choice>[\w.\"'][^{}\n?]* \? [^{}\n]+ : ))[^{}\n]*\})"
)
"""Types of resources have an underscore (`random_pet.name`); properties of Java have none before the dot."""
_TERNARY: Final = r"\{[{%](?:[^%}'\"]|'[^']*'|\"[^\"]*\")*\?(?:[^%}'\"]|'[^']*'|\"[^\"]*\")*:"
_COALESCING: Final = r"\{[{%](?:[^%}'\"]|'[^']*'|\"[^\"]*\")*\?\?"
_OPERATORS: Final = r"\{[{%](?:[^%}'\"]|'[^']*'|\"[^\"]*\")*(?:&&|\|\||!(?!=))"
_IN_LOOPS: Final = {
    "each.key": "{{ key }} in {% for key, value in ….items() %}",
    "each.value": "{{ value }} in {% for key, value in ….items() %}",
    "count.index": "{{ loop.index0 }} in {% for … %}",
}
_DIRECTIVES: Final = {
    "for": "{% for … %} of Jinja",
    "if": "{% if … %} of Jinja",
    "else": "{% else %} of Jinja",
    "endif": "{% endif %} of Jinja",
    "endfor": "{% endfor %} of Jinja",
}
_PATHS: Final = "{{ opts['root_dir'] }} for the folder of the project"
_HCL_FILES: Final = (".tf", ".tfvars", ".tftpl", ".hcl")
_RESOURCE: Final = (
    r"(aws|azuread|azurerm|cloudflare|digitalocean|docker|google|hcloud|helm|kubernetes|libvirt|local|null|openstack"
    r"|proxmox|random|terraform|time|tls|vault|vsphere)(?:_[a-z0-9_]+|(?P<of_idem>(?:\.[a-z0-9_]+)+))"
)
"""A resource type of a provider, `aws_instance`, or a module of a plug-in of Idem, `aws.ec2.instance`."""
_APPLIED: Final = "`terraform.applied` applies a module of Terraform as a state, and returns its outputs"
_MADE_ONCE: Final = (
    "a `cmd.run` with `creates` makes a value once, one with `read_only` reads it, and `sensitive: true` "
    "makes it a secret"
)
_COMMENT: Final = r"(?m)^\s*(?://|/\*)"
_HEREDOC: Final = r"(?m)(?<=[:=\s])<<-?[A-Z]+$"
COMMENT: Final = "a comment begins with `#`"
_ATTRIBUTE: Final = r"([a-z_]+) = (.+)"
_BLOCK: Final = r"\s*(resource|variable|output|provider|module|data|locals|terraform)\b[^:\n]*\{"


def instead_of_argument(word: str) -> str:
    """Return what to write instead of a meta-argument of Terraform; empty if it is none."""
    advice = _KEYWORDS.get(word, "")
    return f"`{word}` is Terraform's: {advice}" if advice else ""


def argument_meant(word: str, names: Collection[str]) -> str:
    """Return the argument of a state of Terraform that a word of Terraform or Ansible means; empty: none.

    Args:
        word: the word, `vars`.
        names: the arguments of the function.
    """
    meant = _ARGUMENTS.get(word, "")
    if meant == _FOLDER and "variables" not in names:
        return ""  # The source of a file is no folder of a configuration.
    return meant if meant in names else ""


def instead_of_block(word: str) -> str:
    """Return what to write instead of a block of Terraform that is written as a state; empty if it is none.

    Args:
        word: the ID of the state.
    """
    advice = _BLOCKS.get("data" if word.startswith("data.") else word, "")
    return f"`{word}` is Terraform's: {advice}" if advice else instead_of_argument(word)


def instead_of_variable_file(word: str) -> str:
    """Return what to write instead of a file or environment variable with values; empty if it is none.

    Args:
        word: `TF_VAR_region`, `prod.auto.tfvars`.
    """
    if not re.fullmatch(_VALUES, word):
        return ""
    return (
        f"`{word}` is Terraform's: write the values into a file that pillar/top.sls assigns, or give "
        "`--pillar KEY=VALUE` or `--pillar-file FILE`; no environment variable and no other file is read"
    )


def instead_of_resource(module: str) -> str:
    """Return what to write instead of a resource type of a provider of Terraform; empty if it is none.

    Args:
        module: what is written in place of a state module, `aws_instance` or, as in Idem, `aws.ec2.instance`.
    """
    match = re.fullmatch(_RESOURCE, module)
    if match is None:
        return ""
    if match["of_idem"]:
        return f"`{module}` belongs to a plug-in of Idem, and ensue has no states of clouds: {_APPLIED}"
    if match[1] in ("random", "tls"):
        return f"`{module}` is a resource of Terraform: {_MADE_ONCE}; or {_APPLIED}"
    return f"`{module}` is a resource of Terraform: {_APPLIED}"


def interpolations(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the interpolations of Terraform in a text, each with what to write instead.

    Args:
        text: the text.
        name: the name of the state that has it; a file of Terraform may contain them.
    """
    if name.endswith(_HCL_FILES):
        return
    for match in re.finditer(_INTERPOLATION, text):
        yield match[0], _instead_of_interpolation(match)


def _instead_of_interpolation(match: re.Match[str]) -> str:
    name = match["name"]
    if match["own"]:
        return f"{{{{ {match['own']}.{match['key']} }}}}"
    if match["directive"]:
        return _DIRECTIVES[match["directive"]]
    if match["kind"] == "local":
        return f"{{{{ {name} }}}} after {{% set {name} = … %}}"
    if match["kind"]:
        return f"{{{{ pillar.{name} }}}} with `{name}` in pillar"
    if match["each"]:
        return _IN_LOOPS[match["each"]]
    return _instead_of_read(match)


def _instead_of_read(match: re.Match[str]) -> str:
    if match["read"]:
        return "${module:ID:property} of the state that returns it"
    if match["choice"]:
        return "{{ this if condition else that }}"
    return _instead_of_function(match) if match["function"] else _PATHS


def _instead_of_function(match: re.Match[str]) -> str:
    if re.search(_STATE, match[0]):
        return f"a filter of Jinja, over what the state has returned, in {BLOCK}"
    return _FILTERS.get(match["function"], "{{ … }} with a filter or function of Jinja")


def instead_of_expression(name: str, keys: Sequence[str], line: str) -> str:
    """Return what to write instead of an expression of Terraform in a template; empty if it is none.

    Args:
        name: the name that the expression begins with, `var` or `jsonencode`.
        keys: what is read of it, `("region",)`.
        line: the line of the template.
    """
    if re.search(rf"\b{re.escape(name)}\s*\(", line):
        is_function = not keys and name in _FUNCTIONS.split("|")
        advice = _JINJA.get(name, "a filter or function of Jinja, or of `salt`") if is_function else ""
    else:
        advice = _instead_of_value(name, keys)
    whole = ".".join((name, *keys[:1]))
    if advice:
        return f"`{whole}` is Terraform's: write {advice}"
    # A resource has a name and an attribute: `aws_instance.web.id`.
    return instead_of_resource(name) if len(keys) > 1 else ""


def _instead_of_value(name: str, keys: Sequence[str]) -> str:
    if not keys:
        return ""
    match name:
        case "var" | "terraform":
            return f"{{{{ pillar.{keys[0]} }}}} with `{keys[0]}` in pillar"
        case "local" | "locals":
            return f"{{{{ {keys[0]} }}}} after {{% set {keys[0]} = … %}}"
        case "path":
            return _PATHS
        case "module" | "data" | "self":
            return f"${{module:ID:property}} of the state that returns it, and to decide by it, {BLOCK}"
        case _:
            return _IN_LOOPS.get(f"{name}.{keys[0]}", "")


def instead_of_operator(line: str) -> str:
    """Return what to write instead of an operator of Terraform in a tag; empty if it has none."""
    if re.search(_COALESCING, line):
        return "a value in place of a missing one is {{ x | default(3) }}"
    if re.search(_TERNARY, line):
        return "the conditional expression of Jinja is {{ x if condition else y }}"
    return "the operators of Jinja are `and`, `or` and `not`" if re.search(_OPERATORS, line) else ""


def is_lookup_of_mapping(line: str) -> bool:
    """Return whether a line has `lookup(mapping, …)` of Terraform; Ansible's begins with a quoted name."""
    return re.search(r"\blookup\(\s*[^'\"\s]", line) is not None


def attribute_of_hcl(text: str) -> str:
    """Return an attribute of HCL, `name = "x"`, as YAML, `name: "x"`; empty if a text is none."""
    match = re.fullmatch(_ATTRIBUTE, text)
    return f"{match[1]}: {match[2]}" if match else ""


def broken_by_hcl(text: str) -> str:
    """Return what to write instead of a comment or heredoc of HCL in broken YAML; empty without one.

    Args:
        text: the YAML up to the error.
    """
    if re.search(_COMMENT, text):
        return COMMENT
    if heredoc := re.search(_HEREDOC, text):
        return (
            f"a text of several lines begins with `|` in place of {heredoc[0].strip()}, and is indented below"
        )
    return ""


def instead_of_hcl(data: Any) -> str:
    """Return what to write instead of HCL in an SLS, which YAML reads as one text; empty for other data."""
    if not is_hcl(data):
        return ""
    return (
        "this looks like HCL: an SLS is YAML; write each resource as a state, an ID and below it "
        "`module.function` with a list of arguments"
    )


def is_hcl(data: Any) -> bool:
    """Return whether what was read as YAML begins with a block of HCL."""
    return isinstance(data, str) and re.match(_BLOCK, data) is not None
