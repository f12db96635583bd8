"""Options that `ensue deploy` does not have, and what to write instead: those of Terraform, Score and others.

An option that destroys something or lifts a protection is suggested only for a slip of the fingers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLAN: Final = "`--plan`"
_REPLACE: Final = "`--replace RESOURCE`, which destroys it and makes it anew"
_DESTROY: Final = (
    "`--destroy` removes the whole environment, `--drop-workload NAME` with `--prune` one workload and what "
    "only it needs"
)
_EARLIER: Final = "`--from NUMBER`, as `ensue deployments list` numbers the deployments"
_NO_LOCK: Final = "leave it out: a process that has ended holds no lock; `--wait` waits for one that runs"
_RECORD: Final = (
    "`ensue show active` lists the records of resources, `--forget RESOURCE` drops one, and leaves the thing"
)
_FOUND: Final = (
    "leave it out: an existing thing is found by its name; `--adopt` takes over what another store has "
    "deployed"
)
_EXPLICIT: Final = (
    "leave it out: the message of a refused deployment names the option that allows it, such as "
    "`--allow-replace` or `--unprotect`"
)
_PART: Final = "`--only RESOURCE` provisions a part; nothing leaves a part out"
_FILES: Final = "leave it out: Score files are arguments, `ensue deploy score.yaml`"

OPTIONS: Final = {
    **dict.fromkeys(("--pillar", "--var", "-var", "-e", "--extra-vars"), "`--value NAME=VALUE`"),
    **dict.fromkeys(("--target", "-target"), "`--only RESOURCE`"),
    **dict.fromkeys(("--dry-run", "--test", "--check", "--diff", "--preview", "-C"), _PLAN),
    **dict.fromkeys(("-replace", "--taint", "-taint", "--recreate"), _REPLACE),
    **dict.fromkeys(
        ("--untaint", "-untaint"), "leave it out: `--replace` marks nothing for later deployments"
    ),
    "-refresh": "leave it out: without `--refresh`, a deployment compares inputs only",
    **dict.fromkeys(("-refresh-only", "--refresh-only"), "`--plan --refresh`"),
    **dict.fromkeys(("-destroy", "--delete", "--remove", "--down"), _DESTROY),
    "-detailed-exitcode": "`--plan --detailed-exitcode`",
    "-out": "leave it out: plans are not saved; `ensue deploy` compares again",
    **dict.fromkeys(
        ("-auto-approve", "--auto-approve", "-y", "-input"),
        "leave it out: a deployment asks nothing, except on a terminal before it replaces something "
        "(`--allow-replace`) or removes the environment (`--destroy --yes`)",
    ),
    **dict.fromkeys(("--rollback", "--previous", "--revert", "--undo"), _EARLIER),
    "--promote": "`--from last --to-env ENV`, with `--env` for the environment that has it",
    **dict.fromkeys(("--unlock", "--force-unlock", "-lock", "--lock"), _NO_LOCK),
    **dict.fromkeys(("--state-rm", "--state", "-state"), _RECORD),
    **dict.fromkeys(("--import", "-import"), _FOUND),
    **dict.fromkeys(("--force", "-force"), _EXPLICIT),
    **dict.fromkeys(("--exclude", "-exclude"), _PART),
    "--application": "`--app APP`",
    "--protect": "`protect: true` in the definition",
    **dict.fromkeys(("--environment", "--workspace", "-workspace"), "`--env ENV`"),
    **dict.fromkeys(("--file", "-f"), _FILES),
    "--moved": "leave it out: a resource is kept under the same name, or the same `id` in the Score file",
}
"""The options of which `deploy` has others than `apply` and `plan`, by what is written."""

_DESTRUCTIVE: Final = frozenset(
    {"--allow-replace", "--destroy", "--forget", "--prune", "--replace", "--rotate", "--unprotect", "--yes"}
)


def harmless(word: str, suggestions: Sequence[str]) -> list[str]:
    """Return the options to suggest for a word: one that destroys something only for a misspelling of it.

    Args:
        word: the option as written.
        suggestions: options with a similar name.
    """
    from ensue.core.model.near_names import is_one_slip

    return [each for each in suggestions if each not in _DESTRUCTIVE or is_one_slip(word, each)]
