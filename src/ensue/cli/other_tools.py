"""Words of other tools' command lines, and what to write here: `terraform apply -target`, `ansible --limit`.

Source: the command lines of Terraform, OpenTofu, Pulumi, Ansible, Salt and Idem.
"""

from __future__ import annotations

from typing import Final

_PLAN: Final = "`ensue plan` shows what would change, with diffs"
_VALUES: Final = "`--pillar KEY=VALUE` gives a value, `--pillar-file FILE` a file of them"
_TARGET: Final = "`--tgt TARGET` chooses the machines"
_BECOME: Final = "the registration of a host says it: `sudo: true`"
_SLS: Final = "name the SLS to run: `ensue apply web.nginx`"
_LOG: Final = "`--log-level debug` says more"
_NO_QUESTION: Final = "leave it out: an apply asks nothing"
_CHECK: Final = (
    "`ensue show low [SLS]` compiles and shows all errors; `ensue plan` looks at the machines, too"
)
_RESULTS: Final = (
    "`ensue show enforced` has what states returned, `ensue show active` the outputs of resources"
)
_DESTROY: Final = "`ensue deploy --app APP --env ENV --destroy`; of states, an SLS with `absent` states"
_RESOURCES: Final = (
    "hosts are resources: `ensue resources register`, or in pillar (`ensue resources list` shows them)"
)

_PART: Final = (
    f"`--only ID` runs a state and what it requires, `ensue deploy --only RESOURCE` a resource; {_TARGET}"
)
_ACCOUNT: Final = "credentials are pillar: `--pillar-file FILE`, or a pillar file that is encrypted"
_ROOTS: Final = "`file_roots` in ensue.yaml says where SLS are"

_OPTIONS: Final = {
    "--diff": _PLAN,
    "-D": _PLAN,
    "--check": _PLAN,
    "-C": _PLAN,
    "--dry-run": _PLAN,
    "--dry": _PLAN,
    "--preview": _PLAN,
    "--noop": _PLAN,
    "--limit": _TARGET,
    "-l": _TARGET,
    "-L": "`--tgt L@ID,ID` lists machines",
    "-G": "`--tgt G@GRAIN:VALUE` chooses machines by a grain",
    "-E": "`--tgt E@EXPRESSION` chooses machines by a regular expression",
    "-N": "`--tgt N@NODEGROUP` chooses a nodegroup",
    "-out": "leave it out: an apply compares again, and needs no saved plan",
    "--upgrade": "leave it out: ensue downloads no providers",
    "-upgrade": "leave it out: ensue downloads no providers",
    "-lock": "leave it out: `ensue apply --wait` waits for another run",
    "-lock-timeout": "`ensue apply --wait` waits for another run",
    "-input": _NO_QUESTION,
    "--ask-pass": "the registration of a host has its `password` or `private_key`",
    "-k": "the registration of a host has its `password` or `private_key`",
    "--refresh": "`ensue resources refresh`, or `ensue deploy --refresh`",
    "--batch-size": "`--batch N`",
    "--syntax-check": _CHECK,
    "--list-tasks": _CHECK,
    "--list-tags": _CHECK,
    "--list-hosts": "`ensue resources list`",
    "--target": _PART,
    "-target": _PART,
    "--extra-vars": _VALUES,
    "-e": _VALUES,
    "--var": _VALUES,
    "-var": _VALUES,
    "--var-file": _VALUES,
    "-var-file": _VALUES,
    "--verbose": _LOG,
    "-v": _LOG,
    "-vv": _LOG,
    "-vvv": _LOG,
    "--become": _BECOME,
    "-b": _BECOME,
    "--ask-become-pass": _BECOME,
    "-K": _BECOME,
    "--become-user": "`runas: USER` of a state",
    "--tags": "`--only tag:NAME`",
    "--skip-tags": "`--exclude tag:NAME`",
    "--start-at-task": "`--start-at ID`",
    "--inventory": _RESOURCES,
    "-i": _RESOURCES,
    "--user": "the registration of a host says it: `user: NAME`",
    "-u": "the registration of a host says it: `user: NAME`",
    "--private-key": "the registration of a host says it: `private_key: …`",
    "--forks": "`--concurrency N`",
    "-f": "`--concurrency N`",
    "--parallelism": "`--concurrency N`",
    "-parallelism": "`--concurrency N`",
    "--auto-approve": _NO_QUESTION,
    "-auto-approve": _NO_QUESTION,
    "--yes": _NO_QUESTION,
    "-y": _NO_QUESTION,
    "--ask-vault-pass": "the key is in `ENSUE_KEY`, or in the key file: `ensue keys --help`",
    "--vault-password-file": "the key is in `ENSUE_KEY`, or in the key file: `ensue keys --help`",
    "--local": "leave it out: ensue needs no master",
    "--grains": "`ensue call TARGET grains.items` shows them",
    "--json": "`--out json`",
    "-json": "`--out json`",
    "--output": "`--out FORM`",
    "-o": "`--out FORM`",
    "-no-color": "`--no-color`",
    "-replace": "`ensue deploy --replace RESOURCE`",
    "-refresh-only": "`ensue deploy --plan --refresh`",
    "-detailed-exitcode": "`ensue plan --detailed-exitcode`",
    "-destroy": "`ensue deploy --destroy`",
    "-chdir": "`--root DIR`",
    "--params": _VALUES,
    "--sls-sources": _ROOTS,
    "--tree": _ROOTS,
    "--acct-file": _ACCOUNT,
    "--acct-key": _ACCOUNT,
    "--acct-profile": _ACCOUNT,
    "--hard-fail": "`--failhard`",
    "--invert": "an SLS with `absent` states",
    "--esm-plugin": "leave it out: enforced states are always kept, `ensue show enforced` has them",
    "--reconciler": "leave it out: `retry` of a state that needs it",
    "--runtime": "`state_auto_order: false` in ensue.yaml runs states at the same time",
    "--run-name": "leave it out: the project's folder names what was enforced",
}

_FILES: Final = (".sls", ".yml", ".yaml", ".tf", ".json")
_COMMANDS: Final = {
    "destroy": _DESTROY,
    "import": "leave it out: states find what exists; `ensue deploy` makes resources of its own",
    "salt": "`ensue call TARGET FUNCTION`, or `ensue apply --tgt TARGET [SLS]`",
    "salt-call": "`ensue call ID FUNCTION`, or `ensue apply [SLS]`",
    "salt-ssh": "`ensue call TARGET FUNCTION`, or `ensue apply --tgt TARGET [SLS]`",
    "ansible": "`ensue call TARGET FUNCTION`",
    "ansible-playbook": "`ensue apply [SLS]`",
    "score-compose": "`ensue deploy score.yaml --render compose --to DIR`",
    "score-k8s": "`ensue deploy score.yaml --render kubernetes --to DIR`",
    "generate": "`ensue deploy score.yaml --render compose --to DIR`",
    "humctl": "`ensue deploy`",
    "create": "`ensue apply`, or `ensue deploy`",
    "get": "`ensue show`, or `ensue resources list`",
    "delete": _DESTROY,
    "down": _DESTROY,
    "up": "`ensue apply`, or `ensue deploy`",
    "run": "`ensue apply`, or `ensue call TARGET FUNCTION`",
    "highstate": "`ensue apply` without a name",
    "state.apply": "`ensue apply [SLS]`",
    "state.highstate": "`ensue apply` without a name",
    "playbook": "`ensue apply [SLS]`",
    "preview": _PLAN,
    "diff": _PLAN,
    "check": _PLAN,
    "validate": _CHECK,
    "lint": _CHECK,
    "test": "`ensue plan`",
    "output": _RESULTS,
    "outputs": _RESULTS,
    "state": f"`ensue apply [SLS]` runs states; {_RESULTS}",
    "workspace": "`ensue deploy --env ENV`, or `ensue apply --saltenv ENV`",
    "refresh": "`ensue resources refresh`, or `ensue deploy --refresh`",
    "taint": "`ensue deploy --replace RESOURCE`",
    "force-unlock": "a process that has ended holds no lock; `ensue apply --wait` waits for one that runs",
    "fmt": "no formatter is needed: SLS files are YAML",
    "console": "`ensue call TARGET FUNCTION`",
    "inventory": "`ensue resources list`",
    "ping": "`ensue call '*' test.ping`",
    "ssh": "`ensue call TARGET cmd.run …`",
    "vault": "`ensue keys --help`",
    "login": "leave it out: ensue needs no account",
    "version": "`ensue --version`",
    "help": "`ensue --help`",
}


def instead_of_option(word: str) -> str:
    """Return what to write instead of an option of another tool; empty if it is none."""
    return _OPTIONS.get(word, "")


def instead_of_command(word: str) -> str:
    """Return what to write instead of a command of another tool; empty if it is none."""
    if instead := _COMMANDS.get(word, ""):
        return instead
    if word.endswith(_FILES):
        return "`ensue apply [SLS]` runs states, `ensue deploy FILE` Score files"
    module, dot, function = word.partition(".")
    is_function = dot and module.isidentifier() and function.isidentifier()
    return f"`ensue call TARGET {word}` calls a function" if is_function else ""
