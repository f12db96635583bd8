"""Words of other tools' command lines, and what to write here: `terraform apply -target`, `ansible --limit`.

Source: the command lines of Terraform, OpenTofu, Pulumi, Ansible, Salt and Idem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.cli import ansible_options, deploy_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

_PLAN: Final = "`ensue plan` shows what would change, with diffs"
_VALUES: Final = "`--pillar KEY=VALUE` gives a value, `--pillar-file FILE` a file of them"
_AT_FILES: Final = f"{_VALUES} (without @)"
_TARGET: Final = "`--tgt TARGET` chooses the machines"
_SLS: Final = "name the SLS to run: `ensue apply web.nginx`"
_LOG: Final = "`--log-level debug` says more"
_NO_QUESTION: Final = "leave it out: an apply asks nothing"
_CHECK: Final = (
    "`ensue show low [SLS]` compiles and shows all errors; `ensue plan` looks at the machines, too"
)
_ALWAYS_LOOKS: Final = "leave it out: a plan and an apply always look at the machines"
_NO_SAVED_PLAN: Final = "leave it out: plans are not saved; `ensue apply` compares again, and asks nothing"
_RESULTS: Final = (
    "`ensue show enforced` has what states returned, `ensue show active --app APP --env ENV --out json` the "
    "outputs of resources"
)
_DESTROY: Final = "`ensue deploy --app APP --env ENV --destroy`; of states, an SLS with `absent` states"

_REPLACE: Final = "`ensue deploy --replace RESOURCE`; of states, change what is written"
_PART: Final = (
    f"`--only ID` runs a state and what it requires, `ensue deploy --only RESOURCE` a resource; {_TARGET}"
)
_ACCOUNT: Final = "credentials are pillar: `--pillar-file FILE`, or a pillar file that is encrypted"
_WORKSPACE: Final = (
    "`ensue deploy --env ENV`; of states, `--tgt` and pillar separate environments, as `--pillarenv ENV` "
    "does, or each has its own project (`--root DIR`)"
)
_BACKEND: Final = "`store_url` in ensue.yaml names the database that keeps resources and deployments"
_ROOTS: Final = "`file_roots` in ensue.yaml says where SLS are"

_OPTIONS: Final = {
    **ansible_options.OPTIONS,
    "--diff": _PLAN,
    "-D": _PLAN,
    "--check": _PLAN,
    "-C": _PLAN,
    "--dry-run": _PLAN,
    "--dry": _PLAN,
    "--preview": _PLAN,
    "--noop": _PLAN,
    "--limit": _TARGET,
    "--hosts": _TARGET,
    "--host": _TARGET,
    "-l": _TARGET,
    "-L": "`--tgt L@ID,ID` lists machines",
    "-G": "`--tgt G@GRAIN:VALUE` chooses machines by a grain",
    "-E": "`--tgt E@EXPRESSION` chooses machines by a regular expression",
    "-N": "`--tgt N@NODEGROUP` chooses a nodegroup",
    "-out": _NO_SAVED_PLAN,
    "-upgrade": "leave it out: ensue downloads no providers",
    "-lock": "leave it out: a run always takes the lock; `--wait` waits for another one",
    "-lock-timeout": "`--wait` waits for another run, `--wait=TIME` at most so long",
    "-input": _NO_QUESTION,
    "-refresh": _ALWAYS_LOOKS,
    "-state": _BACKEND,
    "-state-out": _BACKEND,
    "--refresh": f"{_ALWAYS_LOOKS}; `ensue resources refresh` reads grains again",
    "--batch-size": "`--batch N`",
    "-target": _PART,
    "--extra-vars": _AT_FILES,
    "-e": _AT_FILES,
    "-var": _VALUES,
    "-var-file": _VALUES,
    "--verbose": _LOG,
    "-v": _LOG,
    "-vv": _LOG,
    "-vvv": _LOG,
    "-parallelism": "`--concurrency N`",
    "-auto-approve": _NO_QUESTION,
    "--yes": _NO_QUESTION,
    "-y": _NO_QUESTION,
    "--local": "leave it out: ensue needs no master",
    "--grains": "`ensue call TARGET grains.items` shows them",
    "-json": "`--out json`",
    "--output": "`--out FORM`",
    "-o": "`--out FORM`",
    "-no-color": "`--no-color`",
    "-replace": _REPLACE,
    "-refresh-only": "`ensue plan` shows what differs; of deployments `ensue deploy --plan --refresh`",
    "-detailed-exitcode": "`ensue plan --detailed-exitcode`",
    "-destroy": _DESTROY,
    **dict.fromkeys(("-backend-config", "-backend", "-reconfigure", "-migrate-state"), _BACKEND),
    "-generate-config-out": "leave it out: states find what exists",
    **dict.fromkeys(("--env", "--environment", "-workspace"), _WORKSPACE),
    "-chdir": "`--root DIR`",
    "-version": "`ensue --version`",
    "-help": "`ensue --help`",
    "-compact-warnings": "`silence_warnings` in ensue.yaml leaves warnings out",
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

_OF_GRAPH: Final = {
    **dict.fromkeys(
        ("-type", "-plan", "-draw-cycles"), "leave it out: `ensue graph` draws what a run would do"
    ),
}
_DEPLOYS: Final = "`ensue deploy` takes it"
_OF_DEPLOY: Final = {
    **dict.fromkeys(("--unprotect", "--adopt", "--forget", "--rotate", "--app", "--env-type"), _DEPLOYS),
    "--allow-replace": f"{_DEPLOYS}, and the state `graph.deployed` takes `allow_replace: RESOURCE`",
    "--prune": f"{_DEPLOYS}, and the state `graph.deployed` takes `prune: true`",
    "--new-env": f"{_DEPLOYS}, and the state `graph.deployed` takes `new_env: true`",
    "--change-env-type": f"{_DEPLOYS}, and the state `graph.deployed` takes `change_env_type: true`",
}
"""Options of `ensue deploy`, some of which messages of its states advise."""

_BY_COMMAND: Final = {
    **ansible_options.BY_COMMAND,
    "deploy": deploy_words.OPTIONS,
    "graph": _OF_GRAPH,
    **dict.fromkeys(("apply", "plan"), _OF_DEPLOY),
}

_FILES: Final = (".sls", ".yml", ".yaml", ".tf", ".json")
_COMMANDS: Final = {
    **ansible_options.COMMANDS,
    "destroy": _DESTROY,
    "import": "leave it out: states find what exists; `ensue deploy` makes resources of its own",
    "salt": "`ensue call TARGET FUNCTION`, or `ensue apply --tgt TARGET [SLS]`",
    "salt-call": "`ensue call ID FUNCTION`, or `ensue apply [SLS]`",
    "salt-ssh": "`ensue call TARGET FUNCTION`, or `ensue apply --tgt TARGET [SLS]`",
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
    "preview": _PLAN,
    "diff": _PLAN,
    "check": _PLAN,
    "validate": _CHECK,
    "lint": _CHECK,
    "test": "`ensue plan`",
    "output": _RESULTS,
    "outputs": _RESULTS,
    "state": f"`ensue apply [SLS]` runs states; {_RESULTS}; `ensue enforced forget STATE`, "
    "`ensue resources forget RESOURCE` and `ensue deploy --forget RESOURCE` drop a record; "
    "a state is moved by no command: it keeps what it made if its `name` stays, its ID may change",
    "providers": "leave it out: ensue downloads no providers; `ensue doc` lists drivers and resource types",
    "workspace": _WORKSPACE,
    "rollback": "`ensue deploy --app APP --env ENV --from NUMBER`, as `ensue deployments list` numbers them; "
    "of states, apply the earlier files",
    "promote": "`ensue deploy --app APP --env ENV --from last --to-env ENV`",
    "refresh": "`ensue plan` looks at the machines; `ensue resources refresh` reads grains again, "
    "`ensue deploy --plan --refresh` looks at what drivers have made",
    "taint": "`ensue deploy --replace RESOURCE`",
    "untaint": "leave it out: `ensue deploy --replace RESOURCE` marks nothing for later deployments",
    "force-unlock": "a process that has ended holds no lock; `ensue apply --wait` waits for one that runs",
    "fmt": "no formatter is needed: SLS files are YAML",
    "console": "`ensue call TARGET FUNCTION`",
    "ping": "`ensue call '*' test.ping`",
    "ssh": "`ensue call TARGET cmd.run …`",
    "login": "leave it out: ensue needs no account",
    "version": "`ensue --version`",
    "help": "`ensue --help`",
    "drift": "`ensue plan` shows what has changed since the last apply; `ensue deploy --plan --refresh` for "
    "resources of deployments",
    "history": "`ensue runs list`; of deployments, `ensue deployments list`",
    "log": "`ensue runs list`, and `ensue runs show RUN`",
    "logs": "`ensue runs list`, and `ensue runs show RUN`",
    "status": "`ensue plan`, or `ensue runs list`; of deployments, `ensue show active --app APP`",
    "env": _WORKSPACE,
    "environment": _WORKSPACE,
}
_OF_DEPLOYMENTS: Final = {
    "compare": "`ensue deployments diff NUMBER [NUMBER]`, of one environment",
    "history": "`ensue deployments list`",
    "rollback": "`ensue deploy --app APP --env ENV --from NUMBER`",
}
"""Commands of other tools, and synonyms, below `ensue deployments`."""
RESULTS_SHOWN: Final = dict.fromkeys(("state", "states", "output", "outputs"), _RESULTS)
"""What `ensue show` is asked for by the words of other tools."""


def instead_of_option(word: str, command: str = "") -> str:
    """Return what to write instead of an option of another tool; empty if it is none.

    Args:
        word: the option, without a value.
        command: the command of ensue that it is given to.
    """
    options = {**_OPTIONS, **_BY_COMMAND.get(command, {})}
    # Terraform takes its options with one dash or two.
    advice = options.get(word, "") or (options.get(word[1:], "") if len(word) > len("--x") else "")
    # A plan needs no option that makes it one.
    return f"leave it out: {_PLAN}" if advice == _PLAN and command == "plan" else advice


def of_another_tool(error: click.NoSuchOption, words: Sequence[str]) -> click.UsageError:
    """Return the error of an option that does not exist; with what to write here if another tool has it.

    Args:
        error: click's error.
        words: the command line.
    """
    import click

    name, instead = other_option(error.option_name, words, _command_of(error.ctx))
    if instead:
        return click.UsageError(f"No such option '{name}'. Instead: {instead}.", error.ctx)
    if name == error.option_name:
        near = deploy_words.harmless(name, error.possibilities or ())
        return click.NoSuchOption(name, possibilities=near, ctx=error.ctx)
    known = {each for param in error.ctx.command.params for each in param.opts} if error.ctx else set[str]()
    message = f"did you mean -{name}?" if f"-{name}" in known else "long options begin with two dashes"
    return click.UsageError(f"No such option '{name}' ({message}).", error.ctx)


def _command_of(ctx: click.Context | None) -> str:
    """Return the words of a command of ensue, `resources list`."""
    names: list[str] = []
    while ctx is not None and ctx.parent is not None:
        names.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(names)


def other_option(word: str, words: Sequence[str], command: str = "") -> tuple[str, str]:
    """Return an option, and what to write instead of it; the latter is empty if no other tool has it.

    Args:
        word: the option that the parser refuses; of a long option with one dash, `-var`, a letter: `-v`.
        words: the command line.
        command: the command of ensue.
    """
    whole, _, value = next((each for each in words if _has_letter(each, word)), word).partition("=")
    if instead := instead_of_option(whole, command):
        return whole, instead.replace("TIME", value) if value else instead
    is_long_word = len(whole) > len(word) and whole[2:].replace("-", "").isalpha()
    return (whole, "") if is_long_word else (word, instead_of_option(word, command))


def _has_letter(each: str, word: str) -> bool:
    """Return whether the parser finds a refused option of one letter in a word of the command line."""
    if each.startswith("--") or len(word) != len("-x"):
        return each.partition("=")[0] == word
    return each.startswith("-") and word[1] in each.partition("=")[0]


def instead_of_command(word: str, group: str = "") -> str:
    """Return what to write instead of a command of another tool; empty if it is none.

    Args:
        word: the command.
        group: the command of ensue in place of whose subcommand it is written; empty at the top.
    """
    if group:
        tables = {"keys": ansible_options.COMMANDS, "deployments": _OF_DEPLOYMENTS}
        return tables.get(group, {}).get(word, "")
    if instead := _COMMANDS.get(word, ""):
        return instead
    if word.endswith(_FILES):
        return "`ensue apply [SLS]` runs states, `ensue deploy FILE` Score files"
    module, dot, function = word.partition(".")
    is_function = dot and module.isidentifier() and function.isidentifier()
    return f"`ensue call TARGET {word}` calls a function" if is_function else ""
