"""Mistakes of users of Ansible on the command line: patterns of hosts, modules called ad hoc, and options."""

from __future__ import annotations

from typing import Final

from tests.cli.mistakes.mistake import Mistake, line

_GROUPS: Final = {"states/t.sls": "a: test.nop\n", "ensue.yaml": "nodegroups: {web: w*, db: d*}\n"}


def _pattern(pattern: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    words = f"call {pattern} test.ping"
    return Mistake(what=pattern, words=words, files=_GROUPS, says=says, mends=mends, code=code)


ROWS: list[Mistake] = [
    *[
        line(words, says="begins with @", mends="write `--pillar-file v.yml`")
        for words in ("plan t --pillar @v.yml", "plan t --pillar-file @v.yml")
    ],
    line(
        "plan t -e @v.yml",
        says="No such option '-e'",
        mends="`--pillar-file FILE` a file of them (without @)",
    ),
    line("plan t --check", says="No such option '--check'", mends="Instead: leave it out: `ensue plan`"),
    line("apply t --check", says="No such option '--check'", mends="Instead: `ensue plan` shows"),
    line("apply t --ignore-unreachable", says="No such option", mends="Instead: leave it out: a host that"),
    line("apply t --retry", says="No such option '--retry'", mends="`ensue apply --tgt 'L@ID,ID'` applies"),
    line("playbook", says="no command 'playbook'", mends="`ensue apply SLS --tgt TARGET` for others"),
    line("show match N@web", says="not a target", mends="Instead: `ensue call N@web test.ping` answers for"),
    line("show pillar web2", says="takes no 'web2'", mends="`ensue show pillar --tgt web2` the pillar of"),
    line(
        "call box cmd.run echo hi",
        says="too many positional arguments",
        mends="put an argument with blanks in quotes: `ensue call TARGET cmd.run 'echo hi'`",
    ),
    line("keys encrypt x", says="the value is no argument", mends="`ensue keys encrypt < FILE`"),
    line("apply t --hosts web", says="No such option '--hosts'", mends="`--tgt TARGET` chooses the machines"),
    *[
        line(f"doc {word}", says=f"topic '{word}'", mends=mends)
        for word, mends in (
            ("notify", "`notify` is Ansible's: write `onchanges_in`"),
            ("handlers", "`handlers` is Ansible's: write `onchanges_in`"),
            ("copy", "instead of `copy`, write `file.managed` with `source` or `contents`"),
            ("ansible.builtin.copy", "instead of `copy`, write `file.managed` with `source` or `contents`"),
            ("community.general.htpasswd", "ensue has no counterpart of this module: write `cmd.run`"),
            ("handler", "`handlers` is Ansible's: write `onchanges_in`"),
            ("notify_in", "`notify` is Ansible's: write `onchanges_in`"),
            ("rescue", "`onfail_stop: false`, with which failures count as handled"),
            ("facts", "instead of `facts`, write `ensue call TARGET grains.items`"),
            ("ansible_facts", "facts are grains: {{ grains.os_family }}"),
            ("inventory_hostname", "write {{ grains.id }}, the id of the host"),
            ("hostvars", "with `mine_functions: [grains.items]` in ensue.yaml, {% for id, facts in"),
            ("fact_caching", "write `grains_cache_expiration: SECONDS`"),
            ("limit", "instead of the option `--limit`: `--tgt TARGET` chooses the machines"),
            ("file.template", "write `file.managed` with `source` and `template: jinja`"),
            ("service.restarted", "write `service.running` with `watch` (or `listen`)"),
        )
    ],
    *[
        line(f"doc {word}", says=says, mends=mends, code=0)
        for word, says, mends in (
            ("ansible", "sls-primer (topic)", "docs/sls-primer.md"),
            ("playbook", "sls-primer (topic)", "`ensue apply SLS --tgt TARGET` to others"),
            ("nodegroups", "targeting-states (topic)", "gives a target a name, N@web"),
            ("include", "roots-and-pillar (topic)", "`include: [web.nginx]` at the top of an SLS"),
            ("dynamic-inventory", "resources (topic)", "a pillar file that begins with `#!py`"),
            ("vault", "secrets (topic)", "`ensue keys encrypt`"),
            ("group_vars", "roots-and-pillar (topic)", "`pillar/top.sls` assigns"),
            ("template", "template (driver)", "In an SLS: instead of `template`, write `file.managed` with"),
        )
    ],
    _pattern("N@web:N@db", says="there is no nodegroup 'web:N@db'", mends="write 'N@web or N@db'"),
    _pattern("N@web,!w1", says="there is no nodegroup 'web,!w1'", mends="write 'N@web and not w1'"),
    _pattern("N@web[0]", says="there is no nodegroup 'web[0]'", mends="N@web is all of the nodegroup"),
    _pattern("!N@web", says="no target matched '!N@web'", mends="write 'not N@web and not box'", code=2),
    _pattern(
        "'N@web and !w1'",
        says="no target matched 'N@web and !w1'",
        mends="for '!w1': write 'not w1'; a group",
        code=2,
    ),
    _pattern(
        "'w1 and web:db'",
        says="no target matched 'w1 and web:db'",
        mends="for 'web:db': write '( N@web or N@db )'; a group",
        code=2,
    ),
    _pattern(
        "'w1 and N@web:N@db'",
        says="there is no nodegroup 'web:N@db'",
        mends="for 'N@web:N@db': write '( N@web or N@db )'; a group",
    ),
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
    line(
        "apply t --max-fail-percentage 9", says="No such option", mends="Instead: `--batch N --fail-limit N%`"
    ),
    line("apply t --tgt w1 --tgt w2", says="--tgt is given 2 times", mends="write one: --tgt 'L@w1,w2'"),
    line("plan t --tgt N@a --tgt w2", says="--tgt is given 2 times", mends="write one: --tgt 'N@a or w2'"),
]
