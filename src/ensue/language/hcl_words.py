"""Words of Terraform in an SLS or in `ensue.yaml`, and what to write here.

Source: the meta-arguments and blocks of Terraform's language.
"""

from __future__ import annotations

import re
from typing import Any, Final

_EACH: Final = "write `names`, or {% for … %} around the state (in a delayed block for what a state returns)"
_KEYWORDS: Final = {
    "for_each": _EACH,
    "count": _EACH,
    "lifecycle": "leave it out: a state changes what differs; of a definition, `protect` keeps what it made",
    "provider": "write `tgt` with the resource on which the state runs",
    "providers": "write `tgt` with the resource on which the state runs",
    "provisioner": "write a state of its own, with `tgt` for the machine and `require`",
    "connection": "the machine is a resource: `registers` of this state, or `resources` in pillar",
    "triggers": "write `onchanges` or `watch` with the states whose changes count",
    "triggers_replace": "write `onchanges` or `watch` with the states whose changes count",
    "dynamic": "write {% for … %}",
    "sensitive_content": "write `contents` and `sensitive`",
}
_BLOCK: Final = re.compile(r"\s*(resource|variable|output|provider|module|data|locals|terraform)\b[^:\n]*\{")


def instead_of_argument(word: str) -> str:
    """Return what to write instead of a meta-argument of Terraform; empty if it is none."""
    advice = _KEYWORDS.get(word, "")
    return f"`{word}` is Terraform's: {advice}" if advice else ""


def instead_of_hcl(data: Any) -> str:
    """Return what to write instead of HCL, which YAML reads as one text; empty for other data."""
    if not isinstance(data, str) or not _BLOCK.match(data):
        return ""
    return (
        "this looks like HCL: an SLS is YAML; write each resource as a state, an ID and below it "
        "`module.function` with a list of arguments"
    )
