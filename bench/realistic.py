"""Cases as real trees have them: states that look at files, many distinct templates, many SLS, globs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cases import Case

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = 300
SLS_FILES = 40
STATES_PER_SLS = 15
_OPTIONS_PER_TEMPLATE = 8
_ROLE = """\
{% set place = 'PLACE' %}
{% set service = pillar['service'] %}
{{ place }}:
  file.directory:
    - makedirs: true
{{ place }}/main.conf:
  file.managed:
    - source: salt://realistic/role.jinja
    - template: jinja
    - mode: '0640'
    - require:
      - file: {{ place }}
{% for part in range(6) %}
{{ place }}/part-{{ part }}.conf:
  file.managed:
    - contents: |
        name = {{ service.name }}-{{ part }}
        port = {{ service.port + part }}
    - require:
      - file: {{ place }}
{% endfor %}
{{ place }}/current:
  file.symlink:
    - target: {{ place }}/main.conf
notes-NUMBER:
  file.append:
    - name: {{ place }}/notes
    - text: service {{ service.name }}
    - require:
      - file: {{ place }}
check-NUMBER:
  cmd.run:
    - name: 'true'
    - onchanges:
      - file: {{ place }}/main.conf
made-NUMBER:
  cmd.run:
    - name: touch {{ place }}/stamp
    - creates: {{ place }}/stamp
there-NUMBER:
  file.exists:
    - name: {{ place }}/stamp
    - require:
      - cmd: made-NUMBER
gone-NUMBER:
  file.absent:
    - name: {{ place }}/old
done-NUMBER:
  test.nop:
    - watch:
      - file: {{ place }}/part-*
"""
"""An SLS of 15 states: a folder, files of a template and of texts, a link, commands, checks."""


def realistic_cases(managed: Path) -> list[Case]:
    """Return the cases.

    Args:
        managed: a folder for the files that states keep.
    """
    return [
        _tree("exists-20000", _exists(20_000), 20_000),
        _tree("templates-300", _templated(managed / "templates"), TEMPLATES, _templates()),
        _tree("mixed-600", _includes(), SLS_FILES * STATES_PER_SLS, _mixed(managed / "mixed")),
        _tree("recurse-2000", _recurse(managed / "recurse"), 1, _folder(2000)),
        Case(name="globs-2000", sls=_globs(1000), states=2000, nothing=True),
        Case(name="globs-8000", sls=_globs(4000), states=8000, nothing=True, peers=()),
    ]


def _tree(name: str, sls: str, states: int, files: dict[str, str] | None = None) -> Case:
    return Case(name=name, sls=sls, states=states, files=files or {})


def _exists(count: int) -> str:
    return "".join(f"exists-{number}:\n  file.exists:\n    - name: /etc/passwd\n" for number in range(count))


def _templated(folder: Path) -> str:
    return "".join(
        f"{folder}/{number}.conf:\n"
        "  file.managed:\n"
        f"    - source: salt://realistic/templates/{number}.jinja\n"
        "    - template: jinja\n"
        "    - makedirs: true\n"
        for number in range(TEMPLATES)
    )


def _templates() -> dict[str, str]:
    return {f"realistic/templates/{number}.jinja": _template(number) for number in range(TEMPLATES)}


def _template(number: int) -> str:
    """Return a template of about 40 lines, like that of a service's configuration; each is another text."""
    options = "".join(
        f"{{% if grains['os_family'] == 'Debian' and port != {place} %}}\n"
        f"{{{{ option('setting-{number}-{place}', port + {place}) }}}}\n"
        "{% else %}\n"
        f"other-{place} = {{{{ grains['id'] | upper }}}}\n"
        "{% endif %}\n"
        for place in range(_OPTIONS_PER_TEMPLATE)
    )
    return (
        f"# service {number}\n"
        "{% macro option(name, value) -%}\n{{ name }} = {{ value }}\n{%- endmacro %}\n"
        f"{{% set port = salt['pillar.get']('service:port', {number}) %}}\n{options}"
        f"{{% for host in range({number % 5 + 1}) %}}\n"
        "host-{{ host }} {{ pillar['service']['name'] }}\n"
        "{% endfor %}\n"
    )


def _includes() -> str:
    return "include:\n" + "".join(f"  - realistic.role_{number}\n" for number in range(SLS_FILES))


def _mixed(folder: Path) -> dict[str, str]:
    files = {f"realistic/role_{number}.sls": _role(number, folder) for number in range(SLS_FILES)}
    return {**files, "realistic/role.jinja": _template(0)}


def _role(number: int, folder: Path) -> str:
    return _ROLE.replace("PLACE", f"{folder}/role-{number}").replace("NUMBER", str(number))


def _recurse(folder: Path) -> str:
    return f"{folder}:\n  file.recurse:\n    - source: salt://realistic/tree\n    - file_mode: '0644'\n"


def _folder(count: int) -> dict[str, str]:
    return {
        f"realistic/tree/{number % 50}/{number}.conf": f"option = {number}\n" * 20 for number in range(count)
    }


def _globs(count: int) -> str:
    """Return an SLS with one glob for each of `count` states, which fits a state or a few."""
    return "".join(f"app-{number}:\n  test.nop: []\n" for number in range(count)) + "".join(
        f"last-{number}:\n  test.nop:\n    - require:\n      - test: app-{number}*\n"
        for number in range(count)
    )
