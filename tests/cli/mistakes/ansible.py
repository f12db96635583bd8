"""Mistakes of users of Ansible in files: tasks, playbooks, inventories, templates and settings."""

from __future__ import annotations

from typing import Any, Final

from tests.cli.mistakes.mistake import Mistake, option

_NODEGROUPS: Final = {"ensue.yaml": "nodegroups: {web: w*, db: d*}\n"}
_HOSTS: Final = "# inventory\nresources: {ssh_host: {hosts: {web-01: {host: 192.0.2.1}}}}\n"
_GROUPS: Final = {"states/t.sls": "a: test.nop\n", **_NODEGROUPS}


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
    *[
        _state(
            f"the command {command}",
            f"x:\n  cmd.run:\n    - name: {command}\n",
            at="states/t.sls:3",
            says=f"`name` of 'x' is {command}, not a text",
            mends=f"did you mean the text '{command}'? Put it in quotes",
        )
        for command in ("false", "true", "3")
    ],
    Mistake(
        what="the command false, where unknown arguments are ignored",
        words="plan t",
        files={
            "states/t.sls": "x:\n  cmd.run:\n    - name: false\n",
            "ensue.yaml": "on_unknown_argument: ignore\n",
        },
        at="states/t.sls:3",
        says="warning[E0408]: `name` of 'x' is false, not a text",
        mends="as in Salt, the ID is the name instead: x",
        code=0,
    ),
    _state(
        "a package with a state",
        "curl:\n  pkg:\n    - state: present\n",
        at="states/t.sls:2:3",
        says="'curl' names no function of 'pkg'",
        mends="write `pkg.installed`; there is no argument `state`",
    ),
    _state(
        "a state without its indentation",
        "x:\nfile.managed:\n- name: /tmp/never/x\n",
        at="states/t.sls:1:1",
        says="'x' is not a state declaration",
        mends="indent `file.managed:` and its list, so that they are below `x:`",
    ),
    _state(
        "a list with a value twice",
        "{% for user in ['a', 'a'] %}\n{{ user }}:\n  test.nop: []\n{% endfor %}\n",
        at="states/t.sls:2",
        says="the key 'a' appears twice",
        mends="and the list no value twice (`| unique`)",
    ),
    *[
        _state(
            f"the mode {mode}",
            f"/tmp/never/x:\n  file.managed:\n    - contents: x\n    - mode: {mode}\n",
            at="states/t.sls:4",
            says=f"`mode` of '/tmp/never/x' is '{mode}'",
            mends=f"did you mean {meant}?",
        )
        for mode, meant in (
            ("u+x", "the whole mode, such as '0755'"),
            ("-w", "the whole mode, such as '0755'"),
            ("u=rw,g=r", "'0640'"),
            ("u=rwx,g=rx,o=rx", "'0755'"),
        )
    ],
    *[
        _state(
            f"a misspelt key of {argument}",
            f"/tmp/never/x:\n  file.managed:\n    - {argument}: {key}\n",
            at="states/t.sls:2:3",
            says=f"{key} does not exist",
            mends=f"did you mean {meant}?",
            code=2,
        )
        for argument, key, meant in (("contents_grains", "os_familly", "os_family"),)
    ],
    *[
        _state(
            f"the path of {function}",
            f"x:\n  {function}:\n    - path: /tmp/never/x\n",
            at="states/t.sls:3",
            says=f"{function} takes no argument 'path'",
            mends=f"did you mean {meant}?",
        )
        for function, meant in (
            ("file.managed", "name"),
            ("file.recurse", "name"),
            ("file.directory", "name"),
            ("terraform.applied", "source"),
        )
    ],
    *[
        _state(
            f"a task in one line: {task}",
            f"x:\n  {task}\n",
            at="states/t.sls:2:3",
            says="there is no state function",
            mends=f"write {mends}; its arguments are a list: `- name: value`",
        )
        for task, mends in (
            ("user: name=foo state=present", "`user.present` or `user.absent`"),
            ("service: name=nginx state=started", "`service.running` or `service.dead`"),
            (
                "file: path=/tmp/never/x state=directory",
                "`file.managed`, `file.directory`, `file.symlink` or `file.absent`",
            ),
            ("apt: name=nginx", "`pkg.installed` (`pkgrepo.managed` for a repository)"),
        )
    ],
    *[
        _state(
            f"an argument without its dash: {line_}",
            f"x:\n  file.managed:\n    - name: /tmp/never/x\n  {line_}\n",
            at="states/t.sls:4:3",
            says=says,
            mends=f"{mends}: `- {line_}`",
        )
        for line_, says, mends in (
            (
                "contents: y",
                "there is no state function contents.y",
                "write it in the list of `file.managed`",
            ),
            ("user: root", "there is no state function user.root", "write it in the list of `file.managed`"),
            ("mode: 644", "`mode` of 'x' is beside its function 'file.managed'", "write it there"),
            ("replace: false", "`replace` of 'x' is beside its function 'file.managed'", "write it there"),
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
    *[
        _state(f"a role: {text}", text, at="states/t.sls:1", says=says, mends=mends)
        for text, says, mends in (
            ("include: [{role: t2}]\n", "there is no environment 'role'", "write `- t2`"),
            ("import_role: {name: web}\n", "no state function name.web", "write `include: [SLS]`"),
            ("include_role: [web]\n", "'include_role' is not a state declaration", "write `include: [SLS]`"),
            ("import_tasks: a.yml\n", "no state function a.yml", "write `include: [SLS]`"),
        )
    ],
    *[
        _state(
            f"beside a function: {text}",
            f"b: test.nop\na:\n  test.nop: []\n  {text}\n",
            at="states/t.sls:4:3",
            says=f"`{text.partition(':')[0]}` of 'a' is beside its function 'test.nop'",
            mends=mends,
        )
        for text, mends in (
            ("when: grains.os == 'Debian'", "`when` is Ansible's: write {% if … %}"),
            ("become: true", "the registration of a host has `sudo: true`"),
            ("tags: web", "write it there: `- tags: web`"),
            ("require: [{test: b}]", "write it there: `- require: …`"),
            ("onlyif: 'true'", "write it there: `- onlyif: 'true'`"),
            ("cwd: /tmp", "write it there: `- cwd: /tmp`"),
            ("name: x", "write it there: `- name: x`"),
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
            f"{function}: [{text}], without its colon",
            f"x:\n  {function}:\n    - {text}\n",
            at="states/t.sls:2:3",
            says=f"there is no state function {function}.{text}",
            mends=f"a colon is missing: write {mends}",
        )
        for function, text, mends in (
            ("file.managed", "name /tmp/x", "`- name: /tmp/x`"),
            ("file.managed", "mode 644", "`- mode: 644`"),
            ("cmd.run", "name echo hi", "`- name: echo hi`"),
            ("cmd.run", "env A=1 make", "`- env: A=1 make`, or `- name: env A=1 make`"),
        )
    ],
    _state(
        "a module of Ansible with its command beside it",
        "x: {ansible.builtin.command: echo hi}\n",
        at="states/t.sls:1:5",
        says="the arguments of 'x' are not a list",
        mends="instead of `command`, write `cmd.run`; put a dash before each argument",
    ),
    _state(
        "a reference with a dot for the colon",
        "x:\n  test.nop:\n    - text: ${cmd.check:stdout}\ncheck:\n  cmd.run:\n    - name: pwd\n",
        at="states/t.sls:3",
        says="${cmd.check:stdout} is not a reference",
        mends="write ${cmd:check:stdout} to read what the state returns",
        words="plan t",
        code=0,
    ),
    _state(
        "a nested key of pillar with a default",
        'a:\n  test.nop:\n    - x: "{{ pillar.a.b | default(1) }}"\n',
        at="states/t.sls:3",
        says="a mapping has no key 'a'",
        mends="below other keys {{ salt['pillar.get']('KEY:KEY', 'x') }}",
    ),
    _state(
        "the template j2",
        "x:\n  file.managed:\n    - name: /tmp/never/x\n    - template: j2\n    - source: salt://files/port.j2\n",
        at="states/t.sls:2:3",
        says="there is no renderer 'j2'",
        mends="did you mean jinja?",
        code=2,
    ),
    _state(
        "a task that is delegated to this machine",
        "x:\n  file.absent:\n    - name: /tmp/never/x\n    - delegate_to: localhost\n",
        at="states/t.sls:4:7",
        says="takes no argument 'delegate_to'",
        mends="the id of this machine, `localhost`, is that of `minion:ID` in `ensue resources list`",
    ),
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
            ("user.present", "comment", "write `fullname`"),
            ("file.symlink", "src", "write `target`"),
            ("file.line", "backrefs", "write `file.replace`, whose `repl` may have"),
            ("git.latest", "repo", "write `name` with the address"),
            ("cron.present", "job", "write `name` with the command"),
            ("cron.present", "weekday", "write `dayweek`"),
            ("ssh_auth.present", "key", "write `name` with the key"),
            ("service.running", "daemon_reload", "`systemctl daemon-reload` and `onchanges`"),
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
        "a line that is absent",
        "x:\n  file.line:\n    - content: a\n    - state: absent\n",
        at="states/t.sls:4:7",
        says="'state: absent' of 'x' is Ansible's",
        mends="write `mode: delete` and `match`",
    ),
    _state(
        "a function that has the name of a module",
        "x:\n  file.template:\n    - source: salt://files/port.j2\n",
        at="states/t.sls:2:3",
        says="no state function file.template",
        mends="write `file.managed` with `source` and `template: jinja`",
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
        _state(
            f"the expression {text}",
            f'a:\n  test.nop:\n    - x: "{{{{ {text} }}}}"\n',
            at="",
            says=says,
            mends=mends,
        )
        for text, says, mends in (
            ("'/a/b' | basename", "no filter 'basename'", "write {{ salt['file.basename'](path) }}"),
            ("'a' | hash('sha1')", "no filter 'hash'", "write `sha1`, `sha256`, `sha512` or `md5`"),
            ("'a' | password_hash('sha512')", "no filter 'password_hash'", "`hash_password: true` in `user"),
            ("'1' is version('1', '>')", "no test 'version'", "{{ salt['pkg.version_cmp'](a, b) >= 0 }}"),
            ("'a' | ansible.builtin.dirname", "no filter 'ansible.builtin.dirname'", "salt['file.dirname']"),
            ("'a' | community.general.json_query('a')", "no filter", "no collection here: write json_query"),
            ("now()", "'now' is undefined", "{{ None | strftime('%Y-%m-%d') }} is the time"),
            (
                "lookup('env', 'HOME')",
                "'lookup' is undefined",
                "on this machine, {{ salt['cmd.run']('echo $HO",
            ),
            ("role_path", "'role_path' is undefined", "salt://{{ slspath }}/FILE a file beside it"),
        )
    ],
    *[
        option(f"{name}: x", says=f"ensue has no option '{name}'", mends=mends)
        for name, mends in (
            ("forks", "`ensue apply --concurrency N`"),
            ("become", "`sudo: true`"),
            ("remote_user", "in pillar below `resources`: `user`"),
            ("fact_caching", "write `grains_cache_expiration: SECONDS`"),
            ("roles_path", "`file_roots: {base: [states, FOLDER]}`"),
            ("host_key_checking", "the key of a host is always checked"),
            ("private_key_file", "in pillar below `resources`: `priv`"),
            ("vault_password_file", "`ensue keys encrypt`"),
        )
    ],
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
]
