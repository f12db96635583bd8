"""Mistakes of users of Ansible in a project: inventories, top files, and what a command applies where."""

from __future__ import annotations

from typing import Final

from tests.cli.mistakes.mistake import Mistake

_NODEGROUPS: Final = {"ensue.yaml": "nodegroups: {web: w*, db: d*}\n"}
_HOSTS: Final = "# inventory\nresources: {ssh_host: {hosts: {web-01: {host: 192.0.2.1}}}}\n"
_GROUPS: Final = {"states/t.sls": "a: test.nop\n", **_NODEGROUPS}
_WITH_HOSTS: Final = {**_GROUPS, "pillar/top.sls": "base: {'*': [hosts]}\n", "pillar/hosts.sls": _HOSTS}


ROWS: list[Mistake] = [
    *[
        Mistake(
            what=f"a target in the place of an SLS: {words}",
            words=words,
            files={
                **_GROUPS,
                "states/web.sls": "a: test.nop\n",
                "pillar/top.sls": "base: {'*': [hosts]}\n",
                "pillar/hosts.sls": _HOSTS,
            },
            says=f"there is no SLS '{name}'",
            mends=f"{name} is {what}: write `--tgt {target}`; without --tgt, SLS are applied to this machine",
        )
        for words, name, what, target in (
            ("apply N@web", "N@web", "a target", "N@web"),
            ("plan web N@web", "N@web", "a target", "N@web"),
            ("apply web-01", "web-01", "a machine", "web-01"),
            ("apply db", "db", "a nodegroup", "N@db"),
        )
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
        Mistake(
            what=f"a list with a host of an inventory: {words}",
            words=words,
            files={
                "pillar/top.sls": "base: {'*': [hosts]}\n",
                "pillar/hosts.sls": _HOSTS.replace("{host:", "{ansible_host:"),
            },
            says="misconfigured",
            mends="for `ansible_host` write `host`",
            code=0,
        )
        for words in ("resources list", "resources show ssh_host:web-01")
    ],
    *[
        Mistake(
            what=f"hosts that no top file assigns: {words}, {len(top)} top files",
            words=words,
            files={"states/t.sls": "a: test.nop\n", "pillar/hosts.sls": _HOSTS, **top},
            says=says,
            mends="write `base: {'box': [hosts]}` in top.sls of the pillar roots",
            code=code,
        )
        for top in ({}, {"pillar/top.sls": "base: {'web-*': [hosts]}\n"})
        for words, says, code in (
            (
                "resources list --id box",
                "no machine manages the `resources` of pillar/hosts.sls --> pillar/hosts.sls:2",
                0,
            ),
            ("call web-01 test.ping", "no target matched 'web-01' (no machine manages the `resources`", 2),
            ("apply t --tgt web-01", "no minion or resource matches the target 'web-01'", 2),
            ("plan t --tgt web-01", "no minion or resource matches the target 'web-01'", 2),
        )
    ],
    *[
        Mistake(
            what=f"an inventory that nothing reads: {path}, {text.split()[0]}",
            words="resources list --id box",
            files={"pillar/top.sls": "base: {'*': [hosts]}\n", "pillar/hosts.sls": "a: 1\n", path: text},
            at=f"{path}:{line}",
            says=f"no machine manages the hosts of {path}",
            mends="write `resources: {ssh_host: {hosts: {ID: {host: ADDRESS}}}}` in a pillar file",
            code=0,
        )
        for path, text, line in (
            ("pillar/hosts.sls", "all:\n  children:\n    web:\n      hosts: {w1: {}}\n", 1),
            ("pillar/hosts.sls", "a: 1\nssh_host:\n  user: root\n  hosts:\n    w1: {host: 192.0.2.1}\n", 2),
            ("hosts.ini", "[web]\nw1 ansible_host=192.0.2.1\n", 2),
            ("inventory", "web:\n  hosts:\n    w1: {ansible_host: 192.0.2.1}\n", 3),
        )
    ],
    Mistake(
        what="a group that is not defined",
        words="call N@web test.ping",
        says="there is no nodegroup 'web' (ensue.yaml has none)",
        mends="define it in ensue.yaml: `nodegroups: {NAME: [ID, ID]}`",
    ),
    Mistake(
        what="words of Ansible without their prefix, in a registration",
        words="resources list",
        files={
            **_WITH_HOSTS,
            "pillar/hosts.sls": _HOSTS.replace("{host:", "{become: true, remote_user: a, host:"),
        },
        says="unknown keys of Ansible",
        mends="for `become` write `sudo`, for `remote_user` write `user`",
        code=0,
    ),
    Mistake(
        what="an encrypted value without the folder of keys",
        words="plan t",
        files={
            **_WITH_HOSTS,
            "ensue.yaml": "gpg_keydir: keys\n",
            "pillar/hosts.sls": "#!yaml|gpg\na: |\n  -----BEGIN PGP MESSAGE-----\n\n  hQ==\n"
            "  -----END PGP MESSAGE-----\n",
        },
        at="pillar/hosts.sls:2",
        says="there is no folder of keys",
        mends="copy the one with the secret key to it",
    ),
    Mistake(
        what="an inventory in INI as pillar",
        words="plan t",
        files={**_WITH_HOSTS, "pillar/hosts.sls": "# hosts\n[web]\nw1 ansible_host=192.0.2.1\n"},
        at="pillar/hosts.sls:3",
        says="this is not YAML",
        mends="this looks like INI: a file of the project is YAML",
    ),
    Mistake(
        what="JSON of a program as pillar",
        words="plan t",
        files={
            **_WITH_HOSTS,
            "pillar/hosts.sls": "{{ salt['cmd.run']('echo \"{}\"') | tojson }}\n",
        },
        at="pillar/hosts.sls:1",
        says="it renders to a text",
        mends="a text that is JSON becomes data with {{ … | load_json | tojson }}",
    ),
    Mistake(
        what="an SLS of other machines, without --tgt",
        words="plan t",
        files={**_WITH_HOSTS, "states/top.sls": "base: {N@web: [t], 'db-*': [t]}\n"},
        says="warning[E0411]: the top file assigns 't' to N@web, not to this machine, box",
        mends="for those machines: `--tgt N@web`",
        code=0,
    ),
    Mistake(
        what="a nodegroup without N@ in the top file",
        words="plan",
        files={**_WITH_HOSTS, "states/top.sls": "base: {web: [t], 'db*': [t], N@db: []}\n"},
        says="the top file assigns nothing to box",
        mends="= help: `ensue apply --tgt 'db*'` applies what it assigns",
        code=2,
    ),
    *[
        Mistake(
            what=f"a path in the place of an SLS: {path}",
            words=f"plan {path}",
            files={"states/web/init.sls": "a: test.nop\n", "states/t.sls": "a: test.nop\n"},
            says=says,
            mends=f"write `{name}`",
        )
        for path, name, says in (
            ("web.sls", "web", "there is no file web.sls"),
            ("web/init.sls", "web", "there is no file web/init.sls"),
            ("states/web.sls", "web", "there is no file states/web.sls"),
            ("./t.sls", "t", "there is no file t.sls"),
            ("states/web/", "web", "there is no SLS 'states/web/'"),
            ("./states/t", "t", "there is no SLS './states/t'"),
        )
    ],
]
