"""The topics of `ensue doc`: a short text for each page of the documentation, which an installed ensue lacks.

Topics have the names of their pages; `ALIASES` has the words by which people look for them.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class DocTopic(NamedTuple):
    """A topic.

    Args:
        title: what it is about.
        text: two or three sentences about it.
        page: its page of the documentation, without `.md`.
    """

    title: str
    text: str
    page: str


_TABLE: Final = """
installation: How ensue is installed
    It needs Linux and Python 3.11 or newer on the machine that you run it from, and only an SSH server on
    those that it manages.

first-project: A first project, step by step
    `ensue init` writes one into an empty folder; `ensue plan` shows what would change, `ensue apply`
    changes it.

sls-primer: SLS for people who know Terraform or Ansible
    A state is an ID, a function and its arguments. Its ID is what other states name in requisites and
    references. `ensue apply SLS` applies an SLS to this machine, `ensue apply SLS --tgt TARGET` to others.

tour: Every part of ensue once
    States, data, the top file, errors, and a machine that a run creates and configures.

cli: The command line
    `ensue COMMAND --help` lists the options of a command, with examples. Exit codes: 0 success, 1 an
    error in the input, 2 something failed.

editors: JSON Schemas for editors
    `ensue schema sls`, `ensue schema ensue.yaml` and `ensue schema definition` print them.

configuration: The options of ensue.yaml
    The file is in the folder of the project and may be left out, as may each of its options.

tearing-down: Removing what states have made
    A state that is deleted from an SLS leaves behind what it made. Declare it absent (`file.absent`,
    `starting_state.absent`), apply that, then delete the declaration. `ensue deploy --destroy` removes a
    deployment.

states: The state functions of ensue
    `ensue doc` lists their modules, `ensue doc file` the functions of one.

reference: The pages of modules and functions
    `ensue doc file.managed` shows the same as the page of a function.

new-state: What states return: `new_state`
    It describes the thing as it is now, and references read it. `ensue doc file.managed` lists the keys
    of a function.

binding: References: values of other states as arguments
    Write `${MODULE:ID:PROPERTY}`, such as `${cmd:version:stdout}` or `${file:conf:path}`. The value is
    filled in when the state runs, after the state that it names. `$${` is the text `${`.

delayed-rendering: Delayed blocks: templates that are rendered during a run
    A state with `delayed_render: [block: NAME]` renders the block between `#!delayed_block NAME` and
    `#!end_delayed_block` when it has succeeded. There, `prev_ret.new_state` is what it returned, so a
    template can loop over it.

choosing-a-part: Running only a part: --only, --exclude, --start-at
    The options take IDs, functions, SLS and tags; Terraform has `-target` for this.

roots-and-pillar: Where SLS and data come from
    Pillar is the data of a project, per target: files below `pillar/`, which `pillar/top.sls` assigns.
    Templates read it with `pillar['key']`; `--pillar key=value` and `--pillar-file` add to it.
    `include: [web.nginx]` at the top of an SLS adds the states of another one.

stateconf: SLS with parameters: the renderer `stateconf`
    IDs that begin with a dot are local to their SLS, and `stateconf.set` takes its parameters.

pyobjects: States in Python: the renderer `pyobjects`
    A file that begins with `#!pyobjects` is a Python program in which each call declares a state.

enforced-state: What is kept of each state after an apply
    `ensue show enforced` shows it. Later runs use it: states that are skipped keep their values, and a
    plan shows what has been changed by others.

secrets: Secrets: how they are written, kept and masked
    Values under keys such as `password`, `token` or `private_key` of pillar and ensue.yaml are replaced
    by `(sensitive)` wherever they occur. Definitions have `secrets` and `secret_refs`. `ensue keys
    encrypt` encrypts a value for pillar: docs/roots-and-pillar.md, Encrypted values.

resources: What states run against: resources and their types
    A resource is `TYPE:ID`, such as `ssh_host:web-01`. Pillar declares it below `resources`; a script
    that finds hosts out is a pillar file that begins with `#!py`. `ensue doc` lists the types.

applying-to-resources: Applying SLS to many resources: --tgt
    `ensue apply --tgt 'web-*'` renders and runs the SLS of each resource that the target matches.

targeting-states: One state on many resources: `tgt`
    The option `tgt` of a state names the resources that it runs on, all at the same time. `nodegroups:
    {web: 'web-*'}` in ensue.yaml gives a target a name, N@web.

values-of-other-hosts: A value from another host
    A state with `tgt` finds the value out, and a reference passes it to states elsewhere.

fleet: Many minions of a Salt master
    `ensue fleet sync` ships ensue to them, and `ensue apply --tgt TARGET` runs on them.

salt-extension: States, resource types and a runner for stock Salt
    `state.apply` of Salt creates machines, registers them and configures them, and the master calls
    functions on them.

events: What happens in a run, as lines of JSON
    `ensue apply --events FILE` writes each event as it happens; `ensue schema events` describes them.

registering: Registering resources during a run: `registers`
    A state that creates a machine adds it to the resources of the project; later states of the same run
    target it.

derived-store: The store of derived resources
    `ensue resources list` shows what runs have registered, `ensue resources forget` removes a
    registration, and nothing else.

environments: Machines that a run creates: `starting_state.deployed`
    An environment has a provider that creates it, and registers a jump host. `starting_state.absent`
    removes it.

providers: Environment providers
    They create machines for `starting_state.deployed`: `sandbox`, `command`, `terraform`, or one of your
    own. Terraform's providers are drivers, resource types and state functions here.

resource-graph: Deployments: Score files, definitions, and the graph of resources
    A developer names what a workload needs, a definition how it is provisioned. `ensue graph` draws the
    resources, `ensue show match` explains which definition is chosen.

lists-of-resources: A resource per item of a list: `for_each`
    An entry of `provision` in a definition has `for_each: ${…}`, and becomes a resource per item. In an
    SLS, a loop of Jinja or a delayed block makes a state per item.

params-schemas: Checking the params of Score files: `params_schema`
    A definition has a JSON Schema of the params that its resources accept, with defaults.

readiness: Waiting until a resource is ready: `ready`
    A definition says which port, URL or command must answer before dependent resources start.

score-files: Score files: workloads
    A file describes the containers, the ports and the needed resources of one workload.
    `${resources.db.host}` is an output of a resource, `${metadata.name}` a field of the file.

deploying: Provisioning the resources of a deployment: `ensue deploy`
    `--plan` shows what would change, `--replace` makes a resource anew, `--destroy` removes all.

deployments: The history of an environment
    `ensue deployments list`, `show` and `diff`; an earlier deployment can be deployed again.

platform-example: A platform and its workloads as a complete example
    Definitions, Score files, and the commands of a developer.

platform-week: A week with the example platform
    Changes, failures and repairs, with their commands.

workload-output: Workloads as manifests, compose files or data
    `ensue deploy --render` writes them.

driver-command: The driver `command`: a program of yours
    `ensue doc command` lists its inputs.

driver-postgres: The driver `postgres`: databases and roles
    `ensue doc postgres` lists its inputs.

driver-terraform: The driver `terraform`: a Terraform or OpenTofu configuration
    `ensue doc terraform` lists its inputs.

driver-kubernetes: The driver `kubernetes`: objects of a cluster
    `ensue doc kubernetes` lists its inputs.

drivers: What provisions the resources of a deployment
    A definition names its driver in `driver_type` and the inputs in `driver_inputs`. `ensue doc` lists
    the drivers, `ensue doc echo` shows one. A file in `_drivers` is one of your own.

go-templates: Templates of published definitions
    The driver `humanitec/template` renders Go's text/template with the functions of Sprig.

migrating-from-salt: What is different for people who know Salt
    `ensue compare` runs a tree with both.

migrating-from-idem: What is different for people who know Idem
    `arg_bind` and `${…}` are the same; the state functions of Idem's clouds are not part of ensue.

salt-bridge: Functions of an installed Salt
    A state or execution function that ensue lacks is called in Salt, if Salt is installed beside it.

semantics: The meaning of a run, rule by rule
    Requisites, options of states, results, retries, deadlines.

security: What ensue trusts, and what never
    Text that a host, a command or a store returns is data: it is never a template or a reference.

diagnostics: The codes of errors and warnings
    `ensue explain CODE` explains one.

glossary: The words of ensue
    One word for each thing, with its meaning.

why: Why ensue exists
    Most tools plan first and act afterwards; here the graph of a run grows while it runs.

plugins: State functions, execution functions, grains and renderers of your own
    Files below `_states`, `_modules`, `_grains` and others of a file root.

resource-types: Resource types of your own
    A Python package in `_resources` with `connect`, and functions that change what it connects to.

python-api: Running a project from Python
    `import ensue` has `Project`, `apply`, `plan` and `call`.

inside-the-rooms: The source of ensue
    What is where in it, and how a run flows through it.
"""


def _topics() -> dict[str, DocTopic]:
    """Return the topics of the table: a line with name and title, and below it the indented text."""
    topics: dict[str, DocTopic] = {}
    for block in _TABLE.strip().split("\n\n"):
        heading, _, text = block.partition("\n")
        page, _, title = heading.partition(": ")
        topics[page] = DocTopic(title, " ".join(text.split()), page)
    return topics


TOPICS: Final = _topics()
"""Topics by their names."""

ALIASES: Final = {
    "argument-binding": "binding",
    "absent": "tearing-down",
    "ansible": "sls-primer",
    "blocks": "delayed-rendering",
    "count": "lists-of-resources",
    "data": "roots-and-pillar",
    "definitions": "resource-graph",
    "delayed-block": "delayed-rendering",
    "delayed-render": "delayed-rendering",
    "deploy": "deploying",
    "destroy": "tearing-down",
    "discovery": "resources",
    "dynamic-inventory": "resources",
    "for-each": "lists-of-resources",
    "group-vars": "roots-and-pillar",
    "host-vars": "roots-and-pillar",
    "include": "roots-and-pillar",
    "inventory": "resources",
    "machines": "environments",
    "masking": "secrets",
    "nodegroup": "targeting-states",
    "nodegroups": "targeting-states",
    "outputs": "binding",
    "passwords": "secrets",
    "pillar": "roots-and-pillar",
    "playbook": "sls-primer",
    "playbooks": "sls-primer",
    "primer": "sls-primer",
    "rendering": "delayed-rendering",
    "references": "binding",
    "score": "score-files",
    "sls": "sls-primer",
    "targets": "targeting-states",
    "vault": "secrets",
    "targeting": "targeting-states",
    "variables": "roots-and-pillar",
    "workloads": "score-files",
}
"""Further names of topics."""
