"""Planted secrets: the kinds of them, the project that uses each in every way, and where to look for them.

Every kind has a value, the pillar that holds it, and the texts that no sink may show (the needles).
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell

KEY = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n"
    "QyNTUxOQAAACDvKa91\n"
    "aB9x+Q==\n"
    "zQ9k=\n"
    "-----END OPENSSH PRIVATE KEY-----\n"
)
OTHER_KEY = KEY.replace("a", "e")
DOTENV = "export MODE=x\nA_PASSWORD=env-planted-1\nPIN=q7z9\nQ=zq81\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of secret.

    Args:
        name: what it is called.
        value: what states are given.
        pillar: what is below `planted:<name>`; `value` is in it somewhere.
        path: where, as colon keys.
        secrets: what is secret in it; without any the value itself.
    """

    name: str
    value: str
    pillar: Any = None
    path: str = "password"
    secrets: tuple[str, ...] = ()

    @property
    def data(self) -> Any:
        """What pillar has of it."""
        return {"password": self.value} if self.pillar is None else self.pillar

    def needles(self) -> Iterator[str]:
        """Yield the texts that nothing may show: the secret in the forms that ensue's own sinks write."""
        for secret in self.secrets or (self.value,):
            yield secret.strip()
            yield json.dumps(secret)[1:-1]
            yield json.dumps(secret, ensure_ascii=False)[1:-1]
            yield repr(secret)[1:-1]
            yield shlex.quote(secret).strip("'")
            yield quote(secret, safe="")
            lines = secret.splitlines()
            if len(lines) > 1:
                yield from (line for line in lines if len(line) >= 4 and line[:5] != "-----")


KINDS = (
    Kind(name="eight characters", value="pl4nted1"),
    Kind(name="a passphrase", value="correct horse planted staple"),
    Kind(name="a key", value=KEY, pillar={"private_key": KEY}, path="private_key"),
    Kind(name="a key under another name", value=OTHER_KEY, pillar={"tls": OTHER_KEY}, path="tls"),
    Kind(name="a dotenv file", value=DOTENV),
    Kind(name="double quotes", value='pl4"nt"ed-dq'),
    Kind(name="single quotes", value="pl4'nt'ed-sq"),
    Kind(name="both quotes", value="pl4\"n't'ed-bq"),
    Kind(name="backslashes", value="pl4\\nted\\\\bs\\"),
    Kind(name="newlines", value="pl4nted-nl\nsecond-line-of-it\nz3d"),
    Kind(name="tabs and controls", value="pl4\tnted\x1b[0mctl"),
    Kind(name="unicode", value="pl4ntéd-ü€😀-uni"),
    Kind(name="percent", value="pl4%nted%20%s%(x)s-pc"),
    Kind(name="url characters", value="pl4&nted?=#/+: url"),
    Kind(name="shell characters", value="pl4$nted`x`$(y);!&|<>-sh"),
    Kind(name="markup", value="pl4<nted>&amp;</title>-mk"),
    Kind(name="yaml", value="pl4nted: [*y, &z] #-yaml"),
    Kind(name="contains another", value="x-pl4nted1-y"),
    Kind(name="in a word", value="plantedword"),
    Kind(name="digits", value="4815162342"),
    Kind(name="base64", value="cGw0bnRlZC9iNjQ+Pw=="),
    Kind(
        name="nested", value="pl4nted-nested", pillar={"secrets": [{"a": [["pl4nted-nested"]]}]},
        path="secrets:0:a:0:0",
    ),
    Kind(name="token", value="ghp_pl4ntedtoken", pillar={"Api-Token": "ghp_pl4ntedtoken"}, path="Api-Token"),
    Kind(
        name="a url", value="amqp://user:pl4nted-url@localhost/v", pillar={"url": "amqp://user:pl4nted-url@localhost/v"},
        path="url", secrets=("pl4nted-url",),
    ),
    Kind(
        name="an escaped url", value="https://u:pl4%2Fnted-url@localhost/",
        pillar={"url": "https://u:pl4%2Fnted-url@localhost/"}, path="url",
        secrets=("pl4%2Fnted-url", "pl4/nted-url"),
    ),
    Kind(
        name="json text", value='{"user": "u", "password": "pl4nted-json"}',
        pillar={"text": '{"user": "u", "password": "pl4nted-json"}'}, path="text", secrets=("pl4nted-json",),
    ),
    Kind(
        name="dotenv text", value="USER=u\nDB_PASSWORD='pl4nted-dotenv'\n",
        pillar={"text": "USER=u\nDB_PASSWORD='pl4nted-dotenv'\n"}, path="text", secrets=("pl4nted-dotenv",),
    ),
)  # fmt: skip

OTHER_SECRETS = {
    "sensitive": "marked-pl4nted",
    "registered": "registered-pl4nted",
    "argument": "argument-pl4nted",
    "query": "query-pl4nted",
    "header": "header-pl4nted",
    "line": "line-pl4nted",
    "cookie": "cookie-pl4nted",
    "command": "command-pl4nted",
    "parameter": "parameter-pl4nted",
    "ssh": "login-pl4nted",
    "former": "former-pl4nted",
    "option": "option-pl4nted",
}
"""Secrets that do not come from pillar's `planted`, by where they come from."""

_EACH = """
{% for name, one in pillar['kinds'].items() %}
{% set value = salt['pillar.get'](one) %}
"note {{ name }}":
  test.show_notification:
    - text: {{ value | json }}
"stdout {{ name }}":
  cmd.run:
    - name: cat
    - stdin: {{ value | json }}
    - success_stdout: [nothing]
"last line {{ name }}":
  cmd.run:
    - name: tail -n 3
    - stdin: {{ value | json }}
"env {{ name }}":
  cmd.run:
    - name: "printf '%s' \\"$PLANTED\\"; cat /proc/[0-9]*/cmdline >> out/argv 2>/dev/null; :"
    - cwd: ROOT
    - env:
      - PLANTED: {{ value | json }}
"argv {{ name }}":
  cmd.run:
    - name: {{ ('echo ' ~ value | replace("'", "'\\\\''")) | json }}
    - success_retcodes: [2, 127]
"fails {{ name }}":
  cmd.run:
    - name: 'cat >&2; exit 3'
    - stdin: {{ value | json }}
"managed {{ name }}":
  file.managed:
    - name: ROOT/out/{{ name }}
    - contents_pillar: {{ one | json }}
"changed {{ name }}":
  file.managed:
    - name: ROOT/out/changed {{ name }}
    - contents: {{ ['first', value, 'last'] | json }}
"appended {{ name }}":
  file.append:
    - name: ROOT/out/appended
    - text: {{ value | json }}
"serialized {{ name }}":
  file.serialize:
    - name: ROOT/out/serialized {{ name }}
    - dataset: {{ {'k': [value]} | json }}
    - serializer: json
    - merge_if_exists: true
"produced {{ name }}":
  test.present:
    - new_state: {{ {'v': value, 'deep': [[value]], value: 1, 'text': {'v': value} | json} | json }}
    - changes: {{ {'new': value, 'lines': value.splitlines()} | json }}
    - comment: {{ ('about ' ~ value) | json }}
"bound {{ name }}":
  test.present:
    - new_state: {text: "say ${test:produced {{ name }}:v} twice"}
    - comment: "${test:produced {{ name }}:deep}"
"raises {{ name }}":
  mine.explode:
    - what: {{ value | json }}
{{ ('named ' ~ value) | json }}:
  test.nop: []
{% endfor %}
"""

_OTHERS = """
"marked":
  test.present:
    - new_state: {pin: marked-pl4nted}
    - sensitive: [pin]
"takes the marked":
  test.present:
    - new_state: {text: "x ${test:marked:pin} y"}
    - comment: "${test:marked:pin}"
"registers":
  test.present:
    - new_state: {host: 127.0.0.1}
    - registers:
      - ssh_host:later: {host: 127.0.0.1, port: PORT, password: registered-pl4nted, connect_attempts: 1}
"an argument":
  test.present:
    - new_state: {remote: "https://u:argument-pl4nted@localhost/x"}
    - comment: "git clone https://u:argument-pl4nted@localhost/x failed"
"https://u:argument-pl4nted@localhost/y":
  test.nop: []
"query":
  http.query:
    - name: http://user:query-pl4nted@127.0.0.1:PORT/x
    - status: 200
"query with a password":
  http.query:
    - name: http://127.0.0.1:PORT/query-pl4nted
    - username: u
    - password: query-pl4nted
    - header_dict: {Authorization: Bearer header-pl4nted}
    - status: 200
"headers as lines":
  http.query:
    - name: http://127.0.0.1:PORT/?access_token=parameter-pl4nted
    - header_list: ['X-Api-Key: line-pl4nted', 'Cookie: sid=cookie-pl4nted; theme=dark']
    - status: 200
"a command with a header":
  cmd.run:
    - name: "true -H 'Proxy-Authorization: Bearer command-pl4nted' https://localhost/?token=parameter-pl4nted"
"refused login":
  test.nop:
    - tgt: ssh_host:refused
"former":
  file.managed:
    - name: ROOT/out/former
    - contents: "a\\npassword = now-pl4nted\\n"
"delays":
  test.present:
    - new_state: {v: {{ pillar['planted']['eight characters']['password'] }}}
    - delayed_render: [block: later]
#!delayed_block later
"grown {{ prev_ret.new_state.v }}":
  test.present:
    - new_state: {v: "{{ pillar['planted']['a passphrase']['password'] }}"}
#!end_delayed_block
"""

_BROKEN = {
    "jinja": "{{ salt['mine.explode'](pillar['planted']['double quotes']['password']) }}: test.nop\n",
    "undefined": "{{ pillar['planted']['unicode']['password'] ~ nothing.x }}: test.nop\n",
    "raised": "{{ raise('no ' ~ pillar['planted']['backslashes']['password']) }}: test.nop\n",
    "yaml": "x: [{{ pillar['planted']['in a word']['password'] }}\ny: }\n",
    "function": "x:\n  test.{{ pillar['planted']['eight characters']['password'] }}: []\n",
    "requisite": "x:\n  test.nop:\n    - require: [test: {{ pillar['planted']['token']['Api-Token'] }}]\n",
    "twice": 2 * "{{ pillar['planted']['digits']['password'] }}: test.nop\n",
    "literal": "x:\n  test.nop:\n    - env:\n      - DB_PASSWORD: option-pl4nted\n      - a: [\n",
    "url": "x:\n  git.latest:\n    - name: https://u:argument-pl4nted@localhost/x\n    - target: [\n",
    "argument": "x:\n  test.present:\n    - no_such: {{ pillar['planted']['a passphrase']['password'] }}\n",
    "reference": "x: {test.nop: [a: '${test:{{ pillar['planted']['in a word']['password'] }}:x}']}\n",
}

_MODULE = """
def explode(*args, what=None, name=None, **kwargs):
    what = what or args[-1]
    try:
        raise ValueError(what)
    except ValueError as error:
        raise RuntimeError(f"{what!r} {what} {error.args} {dict(a=[what])}") from error
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """A place that something was written to.

    Args:
        name: what it is.
        content: its bytes.
        proof: a text in it that shows that it is what it was to be.
    """

    name: str
    content: bytes
    proof: bytes = field(default=b"")


def plant(shell: Shell, port: int) -> None:
    """Write the project.

    Args:
        shell: its folder.
        port: where a server refuses whoever comes.
    """
    host = {"host": "127.0.0.1", "port": port, "password": OTHER_SECRETS["ssh"], "connect_attempts": 1}
    pillar = {
        "planted": {kind.name: kind.data for kind in KINDS},
        "kinds": {kind.name: f"planted:{kind.name}:{kind.path}" for kind in KINDS},
        "resources": {"ssh_host": {"hosts": {"refused": host}}},
    }
    shell.write("ensue.yaml", f"id: web-01\nservice_token: {OTHER_SECRETS['option']}\n")
    shell.write("pillar/top.sls", "base:\n  '*':\n    - data\n")
    shell.write("pillar/data.sls", "#!json\n" + json.dumps(pillar))
    shell.write("states/_states/mine.py", _MODULE)
    shell.write("states/_modules/mine.py", _MODULE)
    text = (_EACH + _OTHERS).replace("ROOT", str(shell.root)).replace("PORT", str(port))
    shell.write("states/all.sls", text)
    shell.write("states/top.sls", "base:\n  '*':\n    - all\n")
    for name, broken in _BROKEN.items():
        shell.write(f"states/broken/{name}.sls", broken)
    shell.write("out/former", f"a\npassword = {OTHER_SECRETS['former']}\n")
    for kind in KINDS:
        shell.write(
            f"out/changed {kind.name}",
            f"first\n{OTHER_SECRETS['former']}\npassword: {OTHER_SECRETS['former']}\n",
        )
        shell.write(
            f"out/serialized {kind.name}", json.dumps({"k": "x", "password": OTHER_SECRETS["former"]})
        )


def broken_files() -> list[str]:
    """Return the names of SLS that do not compile."""
    return [f"broken.{name}" for name in _BROKEN]


def needles() -> dict[str, list[bytes]]:
    """Return what no sink may hold, by the kind of secret; texts that are parts of others are left out."""
    texts = {kind.name: sorted({text.encode() for text in kind.needles()}) for kind in KINDS}
    return texts | {f"from {name}": [secret.encode()] for name, secret in OTHER_SECRETS.items()}
