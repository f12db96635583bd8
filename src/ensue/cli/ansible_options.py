"""Options and commands of Ansible's programs, and what to write here.

Source: `ansible`, `ansible-playbook`, `ansible-vault`, `ansible-inventory`, `ansible-doc`, `ansible-galaxy`,
`ansible-pull` and `ansible-console`, Ansible 2.20.
"""

from __future__ import annotations

from typing import Final

_HOST: Final = "the registration of a host, in pillar below `resources`, says it"
_BECOME: Final = f"{_HOST}: `sudo: true`"
_PASSWORD: Final = f"{_HOST}: `password`, or `priv` with the file of a key"
_CONNECTION: Final = f"{_HOST}: its type, such as `ssh_host` or `container`"
_SSH: Final = f"{_HOST}: `jump`, `port`, `known_hosts`, or `ssh_config: true` for ~/.ssh/config"
_VAULT: Final = (
    "gpg decrypts pillar, with the secret key in the folder `gpgkeys` (`gpg_keydir` in ensue.yaml); "
    "`ensue keys encrypt` encrypts a value: `ensue keys --help`"
)
_ENCRYPTED_VALUES: Final = "(the page Roots and pillar, Encrypted values)"
_VIEW: Final = (
    f"`gpg --homedir gpgkeys --decrypt` decrypts a message of pillar {_ENCRYPTED_VALUES}; "
    "`ensue show pillar` shows that a value is there, and masks it"
)
_REKEY: Final = (
    "make another key in the folder `gpgkeys`, and encrypt each value again with `ensue keys encrypt "
    f"--recipient KEY` {_ENCRYPTED_VALUES}"
)
_VERIFIED: Final = (
    "`ensue show low [SLS]` compiles and shows all errors; `ensue plan` looks at the machines, too"
)
_MODULE: Final = "the function and its arguments follow the target: `ensue call TARGET cmd.run 'uptime'`"
_STATES: Final = "`ensue show low [SLS]` lists the states of a run, with their tags"
_ALWAYS: Final = "leave it out: `listen` reacts at the end of the run, after failed states too"
_GRAINS: Final = "`ensue resources refresh` reads grains again"
_BACKGROUND: Final = (
    "leave it out: `--timeout` of `ensue call` limits how long a host may take, `bg: true` starts a "
    "command in the background"
)
_FOLDERS: Final = "`module_dirs` in ensue.yaml names folders of modules; `file_roots` says where SLS are"
_STEP: Final = "leave it out: `ensue plan` shows every change before it is made; `--only ID` runs one state"
_LISTED: Final = "`ensue doc` lists all modules, `ensue doc MODULE` its functions"
_HOSTS: Final = (
    "`ensue resources list` lists all hosts, `ensue show pillar --tgt TARGET` the values of those that a "
    "target matches"
)
_PLAYBOOK: Final = "`ensue apply SLS` for this machine, `ensue apply SLS --tgt TARGET` for others"
_UNREACHABLE: Final = "leave it out: a host that cannot be reached fails its own states, and the others go on"
_AGAIN: Final = "`ensue apply --tgt 'L@ID,ID'` applies to the hosts that have failed"
_SERIAL: Final = (
    "`ensue apply SLS --tgt TARGET --batch N --fail-limit 0`; with `--batch` alone, the next hosts begin "
    "although others have failed"
)
_REGISTERED: Final = "hosts are resources: in pillar below `resources`, or `ensue resources register`"

OPTIONS: Final = {
    **dict.fromkeys(
        ("--inventory", "--inventory-file", "-i"), f"{_REGISTERED}; `ensue resources list` shows them"
    ),
    **dict.fromkeys(("--module-name", "-m", "--args", "-a"), _MODULE),
    **dict.fromkeys(("--private-key", "--key-file"), f"{_HOST}: `priv` with the file of a key"),
    **dict.fromkeys(("--user", "-u", "--remote-user"), f"{_HOST}: `user: NAME`"),
    **dict.fromkeys(("--ask-pass", "-k", "--connection-password-file", "--conn-pass-file"), _PASSWORD),
    **dict.fromkeys(
        (
            "--become",
            "-b",
            "--ask-become-pass",
            "-K",
            "--become-method",
            "--become-password-file",
            "--become-pass-file",
            "--sudo",
            "-S",
        ),
        _BECOME,
    ),
    "--become-user": f"`runas: USER` of a state; {_HOST} for all its states: `sudo: USER`",
    **dict.fromkeys(("--connection", "-c"), _CONNECTION),
    "-T": f"{_HOST}: `connect_timeout_s`",
    **dict.fromkeys(("--ssh-common-args", "--ssh-extra-args", "--sftp-extra-args", "--scp-extra-args"), _SSH),
    **dict.fromkeys(
        (
            "--ask-vault-pass",
            "--ask-vault-password",
            "-J",
            "--vault-password-file",
            "--vault-pass-file",
            "--vault-id",
            "--encrypt-vault-id",
            "--new-vault-id",
            "--new-vault-password-file",
            "--stdin-name",
        ),
        _VAULT,
    ),
    **dict.fromkeys(("--tags", "-t"), "`--only tag:NAME`"),
    "--skip-tags": "`--exclude tag:NAME`",
    "--start-at-task": "`--start-at ID`",
    "--check-mode": "`ensue plan` shows what would change, with diffs",
    "--step": _STEP,
    "--serial": _SERIAL,
    "--forks": "`--concurrency N`",
    "-f": "`--concurrency N`",
    "--syntax-check": _VERIFIED,
    "--list-tasks": _STATES,
    "--list-tags": _STATES,
    "--list-hosts": "`ensue call TARGET test.ping` answers for each host that a target matches",
    "--max-fail-percentage": "`--batch N --fail-limit N%`, or a number of hosts",
    "--flush-cache": _GRAINS,
    "--ignore-unreachable": _UNREACHABLE,
    "--retry": _AGAIN,
    "--force-handlers": _ALWAYS,
    **dict.fromkeys(("--module-path", "-M", "--playbook-dir", "--roles-path"), _FOLDERS),
    **dict.fromkeys(("--background", "-B", "--poll", "-P", "--task-timeout"), _BACKGROUND),
    "--one-line": "`--out json`",
}

_OF_DOC: Final = {
    **dict.fromkeys(("-l", "--list", "-F", "--list_files"), _LISTED),
    **dict.fromkeys(("-s", "--snippet"), "`ensue doc MODULE.FUNCTION` has an example"),
    **dict.fromkeys(("-t", "--type", "-e", "--entry-point", "-r"), f"leave it out: {_LISTED}"),
    **dict.fromkeys(("-j", "--metadata-dump"), "`ensue doc MODULE --out json`"),
}
_OF_RESOURCES: Final = {
    **dict.fromkeys(("--list", "--graph", "--host", "--vars", "--export"), _HOSTS),
    **dict.fromkeys(
        ("--tgt", "--limit", "-l"),
        "leave it out, the list has all; `ensue call TARGET test.ping` answers for each host of a target",
    ),
    **dict.fromkeys(("-y", "--yaml", "--toml"), "`--out yaml`"),
}

_OF_CALL: Final = {
    **dict.fromkeys(
        ("--limit", "-l", "--tgt", "--target"), "the target is the first word: `ensue call TARGET FUNCTION`"
    ),
    **dict.fromkeys(("-t", "--tree"), "`--out json` prints the answers for a file"),
}

BY_COMMAND: Final = {
    "call": _OF_CALL,
    "doc": _OF_DOC,
    **dict.fromkeys(("resources", "resources list", "resources show"), _OF_RESOURCES),
}
"""The options of `ansible-doc` and `ansible-inventory`, by the command of ensue that they are given to."""

COMMANDS: Final = {
    "ansible": "`ensue call TARGET FUNCTION`",
    **dict.fromkeys(("ansible-playbook", "playbook"), _PLAYBOOK),
    "ansible-vault": _VAULT,
    "ansible-doc": _LISTED,
    "ansible-inventory": _HOSTS,
    "ansible-galaxy": "leave it out: an SLS of others is a folder in `file_roots`; `ensue init DIR` makes "
    "a project",
    "ansible-pull": "`ensue apply` in a clone of the project, on the machine itself",
    "ansible-console": "`ensue call TARGET FUNCTION`",
    "ansible-config": "ensue.yaml has the options of a project; `ensue explain CODE` explains an error",
    "galaxy": "leave it out: an SLS of others is a folder in `file_roots`; `ensue init DIR` makes a project",
    "pull": "`ensue apply` in a clone of the project, on the machine itself",
    "inventory": _HOSTS,
    "vault": _VAULT,
    **dict.fromkeys(("edit", "encrypt", "encrypt_string"), _VAULT),
    **dict.fromkeys(("decrypt", "view"), _VIEW),
    "rekey": _REKEY,
    "setup": "`ensue call TARGET grains.items`",
}
"""Commands of Ansible, by what is written in place of a command of ensue."""
