"""Pillar that a template prints into a state with a target, compared with the pillar of its resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.app.test_targets import TOP, boxes

from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

SLS = """
{% set mine = pillar.word %}
one:
  test.nop:
    - name: {{ pillar.word }} {{ pillar['word'] }}
    - tgt: web-* and not {{ pillar.word }}
two:
  test.nop:
    - tgt: web-*
    - name: {{ mine }} {{ pillar.app.name }}
three:
  test.nop:
    - tgt: web-1
    - name: {{ salt['pillar.get']('app:port') + 1 }} ports
four:
  test.nop:
    - tgt: web-1
    - name: {{ pillar.get('word') }} {{ pillar.users[0] }}
    - text: {{ pillar.users[mine | length - 3] | upper }} {{ pillar.app.get('port', 3) }}
other {{ pillar.word }}:
  test.nop:
    - tgt: web-2
here {{ pillar.word }}: test.nop
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Two folders as machines; one has values of its own in pillar."""
    boxes(tmp_path, "web-1", "web-2")
    write(
        tmp_path,
        pillar__top=f"{TOP}  '*': [all]\n  'web-1': [own]\n",
        pillar__own="word: mine\napp: {port: 2}\nusers: [ann, eve]\n",
        pillar__all="word: ours\napp: {port: 1, name: a}\nusers: [ann, bob]\n",
        states__p=SLS,
    )
    return tmp_path


def test_a_value_is_a_warning_where_a_resource_has_another_one(site: Path) -> None:
    """The values are compared; a variable, `tgt`, and a value that all have are no reason to warn."""
    report = apply(site, "p")
    assert report.exit_code == 0
    warned = [(warning.code, str(warning.span), warning.summary) for warning in report.warnings]
    other = "here is the value of m; web-1 has another one"
    assert warned == [
        ("E0716", "states/p.sls:5:13", f"`pillar.word` {other}"),
        ("E0716", "states/p.sls:5:31", f"`pillar.word` {other}"),
        ("E0716", "states/p.sls:14:13", f"`pillar.app.port` {other}"),
        ("E0716", "states/p.sls:18:13", f"`pillar.word` {other}"),
        ("E0716", "states/p.sls:19:13", f"`pillar.users` {other}"),
        ("E0716", "states/p.sls:19:59", f"`pillar.app.port` {other}"),
    ]
    assert apply(site, "p", test=True).warnings == report.warnings


def test_a_key_that_is_not_written_out_is_no_reason_to_warn(site: Path) -> None:
    """Of `pillar[name]` and `name in pillar` it is not known what they read; all of pillar differs always."""
    write(
        site,
        states__p="{% set key = 'same' %}\none:\n  test.nop:\n    - tgt: web-*\n"
        "    - name: a {{ pillar[key | lower] | length }} {{ pillar[key].one }} {{ key in pillar }}"
        " {{ pillar.get(key).one }}\n",
        pillar__all="same: {one: 1}\n",
    )
    assert apply(site, "p").warnings == ()
    write(site, states__p="one:\n  test.nop:\n    - tgt: web-*\n    - name: {{ pillar | length }} keys\n")
    assert [warning.code for warning in apply(site, "p").warnings] == ["E0716"]


def test_an_sls_that_is_applied_to_a_resource_means_its_own_values(site: Path) -> None:
    """A state that runs elsewhere, as in `delegate_to`, has the grains and pillar of the resource."""
    write(
        site,
        states__p="drain:\n  test.show_notification:\n    - tgt: web-2\n"
        "    - text: drain {{ grains.id }} {{ pillar.word }}\n",
    )
    report = apply(site, "p", tgt="web-1")
    assert [returned.comment for returned in report.returns.values()] == ["drain web-1 mine"]
    assert report.warnings == ()
    assert [warning.code for warning in apply(site, "p").warnings] == ["E0716"]


def test_a_missing_key_beside_a_target(site: Path) -> None:
    """The error says whose pillar a template has."""
    write(site, states__p="one:\n  test.nop:\n    - name: {{ pillar.words }}\n    - tgt: web-1\n")
    with pytest.raises(CompileError, match="has the pillar of the one target that it is rendered for"):
        apply(site, "p")
