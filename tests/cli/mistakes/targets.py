"""Targets, hosts, options of the project and runs."""

from tests.cli.mistakes.mistake import SECRET, Mistake, line, option, with_files

HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGpF0F2tPdrP5mAZZ6c0nxXr4nsH3e1V4nxsQ3Hwx2lE"


def host(more: str = "", *, key: str = "host", type_: str = "ssh_host") -> dict[str, str]:
    """Return the pillar of a host at whose address nothing listens."""
    config = f"{{{key}: 127.0.0.1, port: 1, connect_attempts: 1, host_key: '{HOST_KEY}'{more}}}"
    text = f"resources:\n  {type_}:\n    jumphost-web-a: {config}\n"
    return {"pillar/top.sls": "base: {'*': [hosts]}\n", "pillar/hosts.sls": text}


def apply_to(target: str, *, says: str, mends: str, code: int = 2) -> Mistake:
    """Return an apply to a target that is wrong."""
    return with_files(line(f"apply --tgt {target} t", says=says, mends=mends, code=code), host())


def ping(what: str, files: dict[str, str], *, says: str, mends: str, code: int = 2, at: str = "") -> Mistake:
    """Return a call to a host whose registration is wrong."""
    files = {"states/t.sls": "a: test.nop\n", **files}
    words = "call jumphost-web-a test.ping"
    return Mistake(what=what, words=words, files=files, says=says, mends=mends, code=code, at=at)


ROWS = [
    apply_to("web1,web2", says="no minion or resource matches the target 'web1,web2'", mends="L@web1,web2"),
    apply_to(
        "T@ssh_hsot:web", says="there is no resource type 'ssh_hsot'", mends="did you mean ssh_host?", code=1
    ),
    apply_to("X@web", says="there is no target engine X@", mends="there are T, M, G", code=1),
    apply_to("web-[1:12]", says="[1:12] is a range of Ansible", mends="write R@web-[1-12]", code=1),
    apply_to("T@ssh_host:web-[01:12]", says="[01:12] is a range of Ansible", mends="web-[01-12]", code=1),
    apply_to("R@web-[1:12]", says="[1:12] is a range of Ansible", mends="write R@web-[1-12]", code=1),
    apply_to("web-[a:c]", says="[a:c] is a range of Ansible", mends="write web-[a-c]", code=1),
    Mistake(
        what="a range of Ansible in the top file",
        words="apply",
        files={"states/top.sls": "base:\n  'web-[1:12]': [t]\n", "states/t.sls": "a: test.nop\n"},
        at="states/top.sls:2",
        says="[1:12] is a range of Ansible",
        mends="write R@web-[1-12]",
    ),
    line("apply --tgt G@os=Debian t", says="the target 'G@os=Debian'", mends="G@os:Debian", code=2),
    apply_to(
        "G@os:Debian",
        says="failed: jumphost-web-a states on ssh_host:jumphost-web-a: it cannot be decided whether",
        mends="check `host` and `port`",
    ),
    apply_to(
        "jumphost-web-b", says="matches the target 'jumphost-web-b'", mends="did you mean jumphost-web-a?"
    ),
    with_files(
        line(
            "apply --tgt N@wbe t",
            says="there is no nodegroup 'wbe'",
            mends="did you mean web?",
        ),
        {"ensue.yaml": "nodegroups: {web: 'web*'}\n"},
    ),
    *[
        with_files(
            line(f"call {pattern} test.ping", says=f"no target matched '{pattern}'", mends=mends, code=2),
            {"ensue.yaml": "nodegroups: {web: 'web-*', prod: 'web-9'}\n"},
        )
        for pattern, mends in (
            ("web", "the nodegroup is N@web"),
            ("all", "'*' is every minion and resource; without this machine: '* and not box'"),
            ("a:b", "write 'L@a,b'"),
            ("web:!db", "write 'N@web and not db'"),
            ("web:&prod", "write 'N@web and N@prod'"),
            ("!db", "write 'not db and not box'"),
            ("~web.*", "a regular expression is E@web.*"),
            ("web[0]", "N@web is all of the nodegroup"),
            ("localhost", "this machine is box"),
            ("dbs", "a group is a nodegroup of ensue.yaml, N@NAME"),
        )
    ],
    apply_to("web:!db", says="matches the target 'web:!db'", mends="write 'web and not db'"),
    with_files(
        line("call web-a test.ping", says="no target matched 'web-a'", mends="mean jumphost-web-a?", code=2),
        host(),
    ),
    with_files(
        line(
            "call root@jumphost-web-a test.ping",
            says="no target matched 'root@jumphost-web-a'",
            mends="write the id alone, jumphost-web-a",
            code=2,
        ),
        host(),
    ),
    with_files(
        Mistake(
            what="a reference to a state of another host",
            words="apply t --tgt web-*",
            files={"states/t.sls": "a:\n  test.nop:\n    - x: ${cmd:token:stdout}\n"},
            at="states/t.sls:3:10",
            says="among the states of this target, 'cmd' has no state of the ID or name 'token'",
            mends="If another host has the value, write the state that finds it here, with `- tgt: HOST`",
        ),
        {"pillar/top.sls": "base: {'*': [hosts]}\n", "pillar/hosts.sls": "resources: {dummy: {web-1: {}}}\n"},
    ),
    Mistake(
        what="a reference to a minion",
        files={"states/t.sls": "a:\n  test.nop:\n    - x: ${minion[db-1]:cmd:token:stdout}\n"},
        at="states/t.sls:3:10",
        says="${minion[db-1]:cmd:token:stdout} reads from another minion",
        mends="with `- tgt: db-1`: then ${module:ID:property} reads it",
    ),
    ping(
        "a host that is not there",
        host(),
        says="nothing listens there",
        mends="check `host` and `port`, and that its SSH server runs",
    ),
    ping(
        "a misspelt key of a host",
        host(f", pasword: {SECRET}"),
        at="pillar/hosts.sls:3",
        says="unknown key `pasword`",
        mends="did you mean `password`?",
    ),
    ping(
        "a key of an inventory",
        host(key="ansible_host"),
        at="pillar/hosts.sls:3",
        says="unknown key of Ansible",
        mends="for `ansible_host` write `host`",
    ),
    ping(
        "the path of a key instead of its text",
        host(", private_key: /root/.ssh/id_rsa"),
        says="the private key cannot be read",
        mends="for the path of a file, write `priv`",
    ),
    ping(
        "the path of a key that is not there",
        host(", priv: /nonexistent/id_rsa"),
        says="the private key /nonexistent/id_rsa cannot be read: No such file or directory",
        mends="check `priv`",
    ),
    ping(
        "a misspelt type of resources",
        host(type_="ssh_hosts"),
        at="pillar/hosts.sls:2:3",
        says="there is no resource type 'ssh_hosts'",
        mends="did you mean ssh_host?",
        code=1,
    ),
    option("file_root: {base: [x]}", says="ensue has no option 'file_root'", mends="did you mean file_roots"),
    option("nodegroup: {web: 'a'}", says="ensue has no option 'nodegroup'", mends="did you mean nodegroups?"),
    option("backend: s3", says="ensue has no option 'backend'", mends="`store_url` names the store"),
    option("sls_sources: [file://x]", says="no option 'sls_sources'", mends="`file_roots: {base: [FOLDER]}`"),
    option("param_sources: [file://x]", says="no option 'param_sources'", mends="params is pillar"),
    option("acct_file: a.fernet", says="no option 'acct_file'", mends="`ensue keys encrypt`"),
    option("hosts: [web]", says="ensue has no option 'hosts'", mends="hosts are resources"),
    option("log_level: loud", says="the option 'log_level' is 'loud'", mends="it takes one of all", code=1),
    Mistake(
        what="ensue.yml",
        files={"states/t.sls": "a: test.nop\n", "ensue.yml": "id: web\n"},
        at="ensue.yml",
        says="nothing reads ensue.yml",
        mends="rename it to ensue.yaml",
        code=0,
    ),
    Mistake(
        what="a store of an unknown kind",
        files={"states/t.sls": "a: test.nop\n", "ensue.yaml": f"store_url: postgres://u:{SECRET}@h/db\n"},
        says="the store is of an unknown kind",
        mends="write sqlite:///PATH or postgresql+psycopg://",
    ),
    line("apply tt", says="there is no SLS 'tt'", mends="did you mean t?"),
    line("runs show 99", says="there is no run '99'", mends="see: ensue runs list"),
    line("apply t --only aa", says="`--only aa` names no state of this run", mends="did you mean a?"),
    line("apply t --pillar port:80", says="'port:80' is not a mapping", mends="write key=value"),
    line("apply t --out table", says="'table' is not one of", mends="highstate, short, json, yaml, quiet"),
    line("doc file.manage", says="there is no function, module, driver", mends="mean file.managed"),
    line("show activ", says="'activ' is not one of", mends="did you mean active?"),
    line("show pillar port", says="`show pillar` shows everything", mends="`ensue call ID pillar.get port`"),
    line("apply t --only test.a", says="`--only test.a` names no state", mends="did you mean a?"),
    line("apply t --only test:a", says="`--only test:a` names no state", mends="did you mean a?"),
    Mistake(
        what="a plan in a project with definitions only",
        words="plan",
        files={"definitions/a.yaml": ""},
        says="there is no top file",
        mends="`ensue deploy score.yaml --app APP",
        code=2,
    ),
    line(
        "resources forget dummy:vm*",
        says="dummy:vm* is a pattern, and an id is required",
        mends="(it matches none)",
        code=2,
    ),
    line(
        "show enforced a:b:c",
        says="`show enforced` shows everything",
        mends='select(.id == "a" and (.is_former | not)) | .new_state.b.c',
    ),
    line("resources lst", says="There is no command 'lst'", mends="Did you mean list?"),
    line("apply --root /nonexistent t", says="there is no folder /nonexistent", mends="check --root"),
]
