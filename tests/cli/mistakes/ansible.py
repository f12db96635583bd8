"""Mistakes of users of Ansible on the command line: patterns of hosts, modules called ad hoc, and options."""

from __future__ import annotations

from typing import Any, Final

from tests.cli.mistakes.mistake import Mistake, line

_NODEGROUPS: Final = {"ensue.yaml": "nodegroups: {web: w*, db: d*}\n"}
_HOSTS: Final = "# inventory\nresources: {ssh_host: {hosts: {web-01: {host: 192.0.2.1}}}}\n"
_GROUPS: Final = {"states/t.sls": "a: test.nop\n", **_NODEGROUPS}


def _pattern(pattern: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    words = f"call {pattern} test.ping"
    return Mistake(what=pattern, words=words, files=_GROUPS, says=says, mends=mends, code=code)


def _state(what: str, text: str, *, says: str, mends: str, at: str, **of: Any) -> Mistake:
    files = {"states/t.sls": text, "states/files/app.conf.j2": "x\n", "states/files/port.j2": "{{ port }}\n"}
    return Mistake(what=what, files=files, at=at, says=says, mends=mends, **of)


ROWS: list[Mistake] = [
    *[
        _state(
            f"a task with a mapping: {module}",
            f"x:\n  {module}: {{path: /a, line: b}}\n",
            at="states/t.sls:2:3",
            says="the arguments of 'x' are a mapping",
            mends=mends,
        )
        for module, mends in (
            ("lineinfile", "write `file.line` or `file.replace`; put a dash"),
            ("ansible.builtin.get_url", "write `file.managed` with `source` and `source_hash`; put a dash"),
            ("file.managed", "= help: put a dash before each argument"),
        )
    ],
    _state(
        "roles of a play",
        "roles:\n  - web\n",
        at="states/t.sls:1:1",
        says="'roles' is not a state declaration",
        mends="`roles` is Ansible's: write `include` with the SLS",
    ),
    *[
        _state(
            f"the source {source}",
            f"x:\n  file.managed:\n    - name: /tmp/never/x\n    - source: {source}\n    - template: jinja\n",
            at="states/t.sls:2:3",
            says=f"the source {source} is not there",
            mends="a file below the file roots is salt://files/app.conf.j2",
            code=2,
        )
        for source in ("files/app.conf.j2", "./files/app.conf.j2", "files/app.conf")
    ],
    Mistake(
        what="a highstate of a project whose top file has only hosts",
        words="apply",
        files={"states/t.sls": "a: test.nop\n", "states/top.sls": "base: {N@web: [t]}\n", **_NODEGROUPS},
        says="the top file assigns nothing to box",
        mends="`ensue apply --tgt N@web` applies what it assigns to the machines of that target",
        code=2,
    ),
    *[
        _state(f"a role: {text}", text, at="states/t.sls:1", says=says, mends=mends)
        for text, says, mends in (
            ("include: [{role: t2}]\n", "there is no environment 'role'", "write `- t2`"),
            ("import_role: {name: web}\n", "no state function name.web", "write `include` with the SLS"),
            ("include_role: [web]\n", "'include_role' is not a state declaration", "write `include` with"),
            ("import_tasks: a.yml\n", "no state function a.yml", "write `include` with the SLS"),
        )
    ],
    *[
        Mistake(
            what=f"hosts that no top file assigns: {words}",
            words=words,
            files={"states/t.sls": "a: test.nop\n", "pillar/hosts.sls": _HOSTS, **top},
            says=says,
            mends="write `base: {'box': [hosts]}` in top.sls of the pillar roots",
            code=code,
        )
        for top in ({}, {"pillar/top.sls": "base: {'web-*': [hosts]}\n"})
        for words, says, code in (
            (
                "resources list",
                "no machine manages the `resources` of pillar/hosts.sls --> pillar/hosts.sls:2",
                0,
            ),
            ("call web-01 test.ping", "no target matched 'web-01' (no machine manages the `resources`", 2),
            ("apply t --tgt web-01", "no minion or resource matches the target 'web-01'", 2),
            ("plan t --tgt web-01", "no minion or resource matches the target 'web-01'", 2),
        )
    ],
    *[
        _state(
            f"{function}: [{text}]",
            f"x:\n  {function}:\n    - {text}\n",
            at="states/t.sls:2:3",
            says=f"there is no state function {function}.{text}",
            mends=f"an argument has a name: write `- name: {text}`",
        )
        for function, text in (("cmd.run", "echo hello"), ("cmd.run", "ls"), ("file.managed", "/tmp/x"))
    ],
    *[
        _state(
            f"{function} with {word}",
            f"x:\n  {function}:\n    - {word}: x\n",
            at="states/t.sls:3:7",
            says=f"{function} takes no argument '{word}'",
            mends=mends,
        )
        for function, word, mends in (
            ("cmd.run", "cmd", "did you mean name?"),
            ("cmd.run", "removes", "`removes` is Ansible's: write `onlyif: test -e PATH`"),
            ("cmd.run", "executable", "write `shell` with the path, `shell: /bin/bash`"),
            ("cmd.run", "warn", "`warn` is Ansible's: leave it out"),
            ("file.replace", "regexp", "write `pattern`"),
            ("file.line", "regexp", "write `match`"),
            ("file.line", "line", "write `content`"),
            ("file.managed", "vars", "write `context: {name: value}`"),
            ("file.managed", "validate", "write `check_cmd`"),
            ("user.present", "append", "write `remove_groups: false`"),
        )
    ],
    _state(
        "the user of a command",
        "x:\n  cmd.run:\n    - name: 'true'\n    - user: nobody\n",
        at="states/t.sls:4:7",
        says="cmd.run makes no use of 'user'",
        mends="write `runas`: with `user`, the command runs as the user of the connection",
        code=0,
    ),
    _state(
        "a service that is restarted",
        "x:\n  service.restarted: []\n",
        at="states/t.sls:2:3",
        says="no state function service.restarted",
        mends="write `service.running` with `watch` (or `listen`)",
    ),
    _state(
        "a variable of an SLS in a template file",
        "{% set port = 80 %}\nx:\n  file.managed:\n    - name: /tmp/never/x\n    - template: jinja\n"
        "    - source: salt://files/port.j2\n",
        at="states/t.sls:3",
        says="'port' is undefined",
        mends="give it the value with `context: {name: value}`",
        code=2,
    ),
    _state(
        "an argument that neither file.managed nor its template has",
        "x:\n  file.managed:\n    - name: /tmp/never/x\n    - template: jinja\n    - makedirs: true\n"
        "    - source: salt://files/port.j2\n    - port: 80\n    - modee: '0600'\n",
        at="",
        words="plan t",
        says="`modee` has no effect",
        mends="there is no such argument, and the template does not read it",
        code=0,
    ),
    *[
        _state(f"the tag {text}", f"{text}\n", at="states/t.sls:1", says="broken Jinja", mends=mends)
        for text, mends in (
            ("{% if a = b %}{% endif %}", "`=` assigns: to compare, write `==`"),
            ("{% when a %}", "write {% if … %} … {% endif %}"),
            ("{{ if a }}", "`if` is a statement: write it within {% %}"),
            ("{% if a && b %}{% endif %}", "write `and` and `or` for && and ||"),
            ("{% if a %}{% else if b %}{% endif %}", "write {% elif … %}"),
            ("{% if a %}", "check that every {% %} and {{ }} is closed"),
        )
    ],
    Mistake(
        what="a group with hosts and children",
        files={
            "states/t.sls": "a: test.nop\n",
            "ensue.yaml": "nodegroups: {prod: {children: [web]}, web: w*}\n",
        },
        says="neither an expression nor a list of words",
        mends="write `prod: N@web`",
    ),
    _pattern("N@web:N@db", says="there is no nodegroup 'web:N@db'", mends="write 'N@web or N@db'"),
    _pattern("N@web,!w1", says="there is no nodegroup 'web,!w1'", mends="write 'N@web and not w1'"),
    _pattern("N@web[0]", says="there is no nodegroup 'web[0]'", mends="N@web is all of the nodegroup"),
    _pattern("!N@web", says="no target matched '!N@web'", mends="write 'not N@web and not box'", code=2),
    _pattern("@web", says="no target matched '@web'", mends="the nodegroup is N@web", code=2),
    _pattern("me@w1", says="no target matched 'me@w1'", mends="write the id alone, w1", code=2),
    line("call box ping", says="function 'ping'", mends="write `ensue call TARGET test.ping`"),
    line("call box setup", says="function 'setup'", mends="write `ensue call TARGET grains.items`"),
    line("call box shell", says="function 'shell'", mends="write `ensue call TARGET cmd.run 'COMMAND'`"),
    line("call box ansible.builtin.copy", says="function 'ansible.builtin.copy'", mends="in an SLS, which"),
    line("call box apt", says="function 'apt'", mends="instead of `apt`, write `pkg.installed`"),
    line("call box file.managed", says="function 'file.managed'", mends="file.managed is a state function"),
    line("call --limit w1 test.ping", says="No such option '--limit'", mends="the target is the first word"),
    line("call --tgt w1 test.ping", says="No such option '--tgt'", mends="the target is the first word"),
    line("call w1 test.ping --tree", says="No such option '--tree'", mends="`--out json` prints the answers"),
    line("resources list --tgt w1", says="No such option '--tgt'", mends="`ensue call TARGET test.ping`"),
    line("apply t --list-hosts", says="No such option '--list-hosts'", mends="`ensue call TARGET test.ping`"),
    line("apply t --max-fail-percentage 9", says="No such option", mends="Instead: `--fail-limit N`"),
    line("apply t --tgt w1 --tgt w2", says="--tgt is given 2 times", mends="write one: --tgt 'L@w1,w2'"),
    line("plan t --tgt N@a --tgt w2", says="--tgt is given 2 times", mends="write one: --tgt 'N@a or w2'"),
]
