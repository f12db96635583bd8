"""What is measured: SLS trees that ensue and Salt, or ensue and Idem, read unchanged.

Each case is one SLS file below `states/`, the same for all of them. Nothing here measures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from delayed import blocks, repeated_block, two_applies
from graphs import NODES_PER_WORKLOAD, deployment_set, write_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

REAL: Final = "states that do something: files, templates, commands, packages"
NOTHING: Final = (
    "states that do nothing (test.nop, test.present): what the engine costs, not what a real tree takes"
)
WITHOUT_STATES: Final = "no states: start-up, calls, resource graphs, deployments"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to measure.

    Args:
        name: what it is called in the table; also the SLS name, with `-` as `_`.
        sls: the text of the SLS; empty for the start-up of `--help`, and for a resource graph.
        states: how many states succeed in it; the count is checked before anything is timed.
        wall_goal_s: the goal for ensue's wall time, in seconds; None when there is none.
        memory_goal_mib: the goal for its peak memory, in MiB; None when there is none.
        peers: who else reads the SLS.
        terraform: the same for Terraform, in its own language; empty where it has no part in the case.
        applies: the same for Salt in several applies; empty where it reads the SLS.
        call: a target and an execution function, in place of an SLS; `states` are then the answers `true`.
        project: the folder of the project below the root; empty: the root itself.
        workloads: how many workloads the deployment has whose resource graph is built; 0: an SLS is run.
        files: further files below `states/`, their texts by their paths.
        deploys: which provisioning of a deployment is measured: `first`, `again` or `destroy`; empty: none.
        nothing: whether its states do nothing (`test.nop`, `test.present`), so that it measures the engine.
    """

    name: str
    sls: str
    states: int
    wall_goal_s: float | None = None
    memory_goal_mib: float | None = None
    peers: tuple[str, ...] = ("salt",)
    terraform: str = ""
    applies: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    project: str = ""
    workloads: int = 0
    deploys: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    nothing: bool = False

    @property
    def group(self) -> str:
        """The heading of the table that shows it."""
        if self.nothing:
            return NOTHING
        return REAL if self.sls else WITHOUT_STATES

    @property
    def is_counted(self) -> bool:
        """Whether it says how many succeeded: all but `--help`."""
        return bool(self.sls or self.call or self.workloads or self.deploys)

    @property
    def expected(self) -> int:
        """How many states succeed, or how many resources the graph has; one is the environment's own."""
        return 1 + self.workloads * NODES_PER_WORKLOAD if self.workloads else self.states

    @property
    def sls_name(self) -> str:
        """The SLS name that `state.apply` and `ensue apply` are given."""
        return self.name.replace("-", "_")

    @property
    def applied_names(self) -> list[str]:
        """The SLS names that `state.apply` is given in place of that, one after the other."""
        return [f"{self.sls_name}_{number}" for number in range(1, len(self.applies) + 1)]


def nops(count: int) -> str:
    """Return an SLS of states that do nothing."""
    return "".join(f"nop-{number}:\n  test.nop: []\n" for number in range(count))


def require_chain(length: int) -> str:
    """Return an SLS in which each state requires the one before it."""
    lines = ["link-0:\n  test.nop: []\n"]
    lines += [
        f"link-{number}:\n  test.nop:\n    - require:\n      - test: link-{number - 1}\n"
        for number in range(1, length)
    ]
    return "".join(lines)


def watchers(count: int) -> str:
    """Return an SLS in which many states watch one that changes."""
    lines = ["watched:\n  test.succeed_with_changes: []\n"]
    lines += [
        f"watcher-{number}:\n  test.nop:\n    - watch:\n      - test: watched\n" for number in range(count)
    ]
    return "".join(lines)


def managed_files(count: int, folder: Path) -> str:
    """Return an SLS that manages files from one source."""
    return "".join(
        f"{folder}/file-{number}.conf:\n"
        "  file.managed:\n"
        "    - source: salt://files/service.conf\n"
        "    - mode: '0644'\n"
        "    - makedirs: true\n"
        for number in range(count)
    )


def commands(count: int) -> str:
    """Return an SLS that runs a command that does nothing."""
    return "".join(f"command-{number}:\n  cmd.run:\n    - name: 'true'\n" for number in range(count))


def template_loop(count: int) -> str:
    """Return an SLS whose template asks for pillar in a loop."""
    return (
        f"{{% for number in range({count}) %}}\n"
        "looped-{{ number }}:\n"
        "  test.nop:\n"
        "    - comment: {{ salt['pillar.get']('service:port') }}\n"
        "{% endfor %}\n"
    )


def binding_chain(length: int) -> str:
    """Return an SLS in which each state is bound to the one before it."""
    return _bound(range(length - 1))


def binding_fan(count: int) -> str:
    """Return an SLS in which many states are bound to the first one."""
    return _bound([0] * count)


def _bound(producers: Iterable[int]) -> str:
    lines = ["link-0:\n  test.present:\n    - new_state:\n        ID: first\n"]
    lines += [
        f"link-{number}:\n  test.present:\n    - new_state:\n        ID: ${{test:link-{producer}:ID}}\n"
        for number, producer in enumerate(producers, start=1)
    ]
    return "".join(lines)


def terraform_chain(length: int) -> str:
    """Return a configuration in which each resource refers to the one before it."""
    first = 'resource "terraform_data" "link-0" {\n  input = "first"\n}\n'
    return first + "".join(
        f'resource "terraform_data" "link-{number}" {{\n'
        f"  input = terraform_data.link-{number - 1}.output\n}}\n"
        for number in range(1, length)
    )


def terraform_blocks(count: int) -> str:
    """Return a configuration of resources that stand alone."""
    return "".join(
        f'resource "terraform_data" "nop-{number}" {{\n  input = "x"\n}}\n' for number in range(count)
    )


def all_cases(managed: Path) -> list[Case]:
    """Return the cases, cheapest first.

    Args:
        managed: a folder for the files that `file.managed` keeps.
    """
    return [
        Case(name="help", sls="", states=0, wall_goal_s=0.15),
        Case(name="nop-1", sls=nops(1), states=1, wall_goal_s=0.2, nothing=True),
        Case(name="nop-1000", sls=nops(1000), states=1000, terraform=terraform_blocks(1000), nothing=True),
        Case(name="pillar-loop-1000", sls=template_loop(1000), states=1000, nothing=True),
        Case(name="watch-1000", sls=watchers(1000), states=1001, nothing=True),
        Case(name="cmd-200", sls=commands(200), states=200),
        Case(name="file-managed-1000", sls=managed_files(1000, managed), states=1000),
        Case(name="require-chain-5000", sls=require_chain(5000), states=5000, nothing=True),
        *_bindings(),
        *_delayed(),
        Case(name="graph-5000", sls="", states=0, workloads=834, peers=()),
        Case(
            name="graph-60000",
            sls="",
            states=0,
            workloads=10_000,
            wall_goal_s=10.0,
            memory_goal_mib=1024.0,
            peers=(),
        ),
        Case(
            name="nop-20000",
            sls=nops(20000),
            states=20000,
            wall_goal_s=2.0,
            memory_goal_mib=200.0,
            nothing=True,
        ),
    ]


def _bindings() -> list[Case]:
    """Return the cases of argument binding; the largest ones are for ensue alone."""
    chain = binding_chain
    return [
        Case(name="bind-chain-200", sls=chain(200), states=200, peers=("idem",), nothing=True),
        Case(
            name="bind-chain-400",
            nothing=True,
            sls=chain(400),
            states=400,
            peers=("idem",),
            terraform=terraform_chain(400),  # it takes minutes for 1,000
        ),
        Case(name="bind-fan-999", sls=binding_fan(999), states=1000, peers=("idem",), nothing=True),
        Case(
            name="bind-chain-10000", sls=chain(10000), states=10000, wall_goal_s=1.0, peers=(), nothing=True
        ),
        Case(
            name="bind-fan-100000",
            sls=binding_fan(99999),
            states=100000,
            wall_goal_s=5.0,
            peers=(),
            nothing=True,
        ),
    ]


def _delayed() -> list[Case]:
    """Return the cases of delayed rendering; the largest one is for ensue alone."""
    return [
        Case(
            name="delayed-1000",
            nothing=True,
            sls=repeated_block(1000),
            states=2000,
            wall_goal_s=1.0,
            applies=two_applies(1000, 1),
        ),
        Case(
            name="delayed-blocks-1000",
            nothing=True,
            sls=blocks(1000, 10),
            states=11000,
            wall_goal_s=2.0,
            applies=two_applies(1000, 10),
        ),
        Case(
            name="delayed-10000",
            sls=repeated_block(10000),
            states=20000,
            wall_goal_s=5.0,
            peers=(),
            nothing=True,
        ),
    ]


def write_tree(root: Path, cases: list[Case]) -> None:
    """Write the project that both programs read.

    Args:
        root: an empty folder; gets `states/`, `pillar/`, `definitions/` and a short `ensue.yaml`.
        cases: what goes into `states/`.
    """
    states, pillar = root / "states", root / "pillar"
    (states / "files").mkdir(parents=True)
    pillar.mkdir()
    (root / "ensue.yaml").write_text("id: bench\n")
    (states / "files" / "service.conf").write_text("".join(f"option-{n} = {n}\n" for n in range(50)))
    (pillar / "top.sls").write_text("base:\n  '*':\n    - service\n")
    (pillar / "service.sls").write_text("service:\n  port: 8080\n  name: bench\n")
    write_definitions(root / "definitions")
    for case in cases:
        if case.workloads:
            (root / f"{case.name}.json").write_text(deployment_set(case.workloads))
        if case.sls:
            (states / f"{case.sls_name}.sls").write_text(case.sls)
        for name, text in case.files.items():
            (states / name).parent.mkdir(parents=True, exist_ok=True)
            (states / name).write_text(text)
        for name, sls in zip(case.applied_names, case.applies, strict=True):
            (states / f"{name}.sls").write_text(sls)
