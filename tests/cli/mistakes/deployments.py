"""Score files, definitions and deployments, as written by people who know Humanitec or Score."""

from tests.cli.mistakes.mistake import SECRET, Mistake

CONTEXT = "--app shop --env dev --env-type development"
DEPLOY = f"deploy score.yaml {CONTEXT}"
SCORE = """\
apiVersion: score.dev/v1b1
metadata:
  name: web
containers:
  main:
    image: nginx
    variables:
      DB: ${resources.db.host}
resources:
  db:
    type: postgres
"""
DEFINITION = f"""\
kind: Definition
metadata: {{id: pg}}
entity:
  type: postgres
  driver_type: echo
  driver_inputs: {{values: {{host: a}}, secrets: {{password: {SECRET}}}}}
  criteria: [{{}}]
"""
DATABASE = "postgres.default#modules.web.externals.db"


def score(what: str, old: str, new: str, at: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    """Return a Score file with one text in place of another."""
    files = {"score.yaml": SCORE.replace(old, new), "definitions/pg.yaml": DEFINITION}
    where = f"score.yaml:{at}"
    return Mistake(what=what, words=DEPLOY, files=files, at=where, says=says, mends=mends, code=code)


def definition(what: str, old: str, new: str, at: str, *, says: str, mends: str) -> Mistake:
    """Return a definition with one text in place of another."""
    files = {"score.yaml": SCORE, "definitions/pg.yaml": DEFINITION.replace(old, new)}
    where = f"definitions/pg.yaml:{at}" if at else ""
    return Mistake(what=what, words=DEPLOY, files=files, at=where, says=says, mends=mends)


def deployed(words: str, *, says: str, mends: str, code: int = 1) -> Mistake:
    """Return a command line that follows a deployment."""
    files = {"score.yaml": SCORE, "definitions/pg.yaml": DEFINITION}
    what = f"`ensue {words}`"
    return Mistake(what=what, words=words, files=files, says=says, mends=mends, code=code, before=(DEPLOY,))


STATE = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: state
  driver_inputs:
    values:
      state: test.present
      arguments: {new_stat: {host: a}}
  criteria: [{}]
"""


ROWS = [
    score(
        "a variable of Terraform as an image",
        "image: nginx",
        "image: ${var.image}",
        "6",
        says="${var.image} is not a placeholder here and stays as it is",
        mends="${resources.env.image} of a resource `env` with type environment",
        code=0,
    ),
    Mistake(
        what="a misspelt argument of a state in a definition",
        words=DEPLOY,
        files={"score.yaml": SCORE, "definitions/pg.yaml": STATE},
        at="definitions/pg.yaml:8:7, definition pg",
        says="test.present takes no new_stat",
        mends="did you mean new_state?",
        code=2,
    ),
    Mistake(
        what="`template` for `templates` in a definition",
        words=DEPLOY,
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION.replace("echo", "template").replace("host: a", "template: {}"),
        },
        at="definitions/pg.yaml:6:19",
        says="there is no key 'template'",
        mends="did you mean templates?",
    ),
    deployed(
        "show active --app shop --env dve",
        says="the store has nothing of shop/dve",
        mends="did you mean shop/dev?",
    ),
    deployed(
        "show impact --app sohp",
        says="the store has nothing of sohp",
        mends="did you mean shop?",
    ),
    deployed(
        "show active --env dve --out json",
        says="the store has nothing of dve",
        mends="did you mean dev?",
    ),
    deployed(
        "show active db",
        says="no record of 'db'",
        mends="did you mean postgres.default#modules.web.externals.db?",
    ),
    score(
        "a misspelt key of a Score file",
        "containers",
        "container",
        "4:1",
        says="a Score file has no key 'container'",
        mends="did you mean containers?",
    ),
    score(
        "a definition in a Score file",
        "containers:",
        "entity: {type: postgres}\ncontainers:",
        "4:1",
        says="a Score file has no key 'entity'",
        mends="which is a file of its own below definitions/",
    ),
    Mistake(
        what="a definition that is deployed",
        words="deploy definitions/pg.yaml --app shop --env dev --env-type development",
        files={"definitions/pg.yaml": DEFINITION},
        at="definitions/pg.yaml:1",
        says="definitions/pg.yaml is neither a Score file nor a deployment set",
        mends="every deployment reads it there",
    ),
    score(
        "a misspelt key of a container",
        "variables",
        "variabels",
        "7:5",
        says="the container 'main' has no key 'variabels'",
        mends="did you mean variables?",
        code=0,
    ),
    score(
        "a misspelt type",
        "type: postgres",
        "type: postgress",
        "10:3",
        says="no definition is for the type 'postgress'",
        mends="did you mean postgres?",
    ),
    definition(
        "a definition in HCL",
        DEFINITION,
        'resource "pg" "db" {\n  size = 1\n}\n',
        "1:1",
        says="a definition is not HCL",
        mends="it is YAML, with `kind: Definition`; with `driver_type: terraform`",
    ),
    *(
        definition(
            f"{word} in a definition",
            "  driver_type:",
            f"  {word}: 1\n  driver_type:",
            "5:3",
            says=f"'entity' has no key '{word}'",
            mends=mends,
        )
        for word, mends in (
            ("count", "`for_each` of an entry of `provision`"),
            ("depends_on", "`${resources.TYPE.guresid}` if no output is needed"),
        )
    ),
    definition(
        "a definition without criteria",
        "  criteria: [{}]\n",
        "",
        "",
        says="pg: it has no criteria, so it is never chosen",
        mends="add `criteria: [{}]` below `entity`",
    ),
    Mistake(
        what="a project without definitions",
        words=DEPLOY,
        files={"score.yaml": SCORE},
        at="score.yaml:10",
        says="no definition is for the type 'postgres'",
        mends="write one into a file of definitions/, such as `{kind: Definition, metadata: {id: my-",
    ),
    score(
        "two letters of a resource in a placeholder in the wrong order",
        "resources.db",
        "resources.bd",
        "8:11",
        says="no resource 'bd' is declared",
        mends="did you mean db?",
    ),
    score(
        "a variable of Terraform in a Score file",
        "${resources.db.host}",
        "${var.host}",
        "8:11",
        says="${var.host} is not a placeholder here",
        mends="read ${resources.env.host} of a resource `env` with type environment",
        code=0,
    ),
    score(
        "a list as an image",
        "image: nginx",
        "image: [nginx]",
        "6:5",
        says="'image' of the container 'main' is a list, not a text",
        mends="not a text",
    ),
    Mistake(
        what="a value that nothing reads",
        words=f"{DEPLOY} --value LEVLE=2",
        files={
            "score.yaml": SCORE.replace("db.host", "env.LEVEL") + "  env:\n    type: environment\n",
            "definitions/pg.yaml": DEFINITION,
        },
        at="",
        says="the value 'LEVLE' is given, and no workload reads it",
        mends="did you mean LEVEL?",
    ),
    score(
        "a misspelt resource in a placeholder",
        "resources.db",
        "resources.dbs",
        "8:11",
        says="no resource 'dbs' is declared",
        mends="did you mean db?",
    ),
    score(
        "a placeholder of a Score file without `resources`",
        "resources.db",
        "db",
        "8:11",
        says="${db.host} is not a placeholder here",
        mends="did you mean ${resources.db.host}?",
        code=0,
    ),
    Mistake(
        what="a placeholder of a definition without `context`",
        words=DEPLOY,
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION.replace("host: a", "host: '${env.id}'"),
        },
        at="definitions/pg.yaml:6:35",
        says="${env.id} is not a placeholder here",
        mends="did you mean ${context.env.id}?",
        code=0,
    ),
    *(
        Mistake(
            what=f"a placeholder of Terraform or of params in a definition: {text}",
            words=DEPLOY,
            files={
                "score.yaml": SCORE,
                "definitions/pg.yaml": DEFINITION.replace("host: a", f"host: '{text}'"),
            },
            at="definitions/pg.yaml:6:35",
            says=f"{text} is not a placeholder here",
            mends=mends,
            code=0,
        )
        for text, mends in (
            ("${resource.size}", "the driver `state` ({param: NAME} as an argument), by `template`"),
            ("${params.size}", "params of the resource are read by"),
            ("${resource.params.size}", "params of the resource are read by"),
            ("${terraform.workspace}", "did you mean ${context.env.id}?"),
            ("${env}", "did you mean ${context.env.id}?"),
            ("${app.name}", "did you mean ${context.app.id}?"),
            (
                "${app.labels.name}",
                "placeholders begin with context, resources; where that is meant, write $\\{",
            ),
            ("${contxt.env.id}", "did you mean ${context.env.id}?"),
            ("${var.x}", "a definition has no variables: write the value"),
            ("${module.net.id}", "is ${resources['TYPE.CLASS#ID'].outputs.NAME}"),
            ("${aws_vpc.main.id}", "is ${resources['TYPE.CLASS#ID'].outputs.NAME}"),
            ("${each.key}", "are known in the params of an entry with `for_each`"),
            ("${a.b}", "placeholders begin with context, resources; where that is meant, write $\\{"),
        )
    ),
    definition(
        "a field of the context under another name",
        "host: a",
        "host: '${context.env.name}'",
        "6:35",
        says="the context has no 'env.name'",
        mends="it has env.id, env.type",
    ),
    score(
        "a misspelt first word of a placeholder",
        "${resources.db.host}",
        "${resource.db.host}",
        "8:11",
        says="${resource.db.host} is not a placeholder here",
        mends="did you mean ${resources.db.host}?",
        code=0,
    ),
    Mistake(
        what="a param that the resource does not have",
        words=DEPLOY,
        files={
            "score.yaml": SCORE.replace("type: postgres", "type: postgres\n    params: {sze: 5}"),
            "definitions/pg.yaml": STATE.replace("new_stat: {host: a}", "new_state: {param: size}"),
        },
        at="definitions/pg.yaml:9:19",
        says="the resource has no param 'size'",
        mends="(did you mean sze?): give it, or a `default` beside `param`",
        code=2,
    ),
    Mistake(
        what="a placeholder of a definition without `resources`",
        words=DEPLOY,
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION.replace("host: a", "host: '${vm.outputs.ip}'"),
        },
        at="definitions/pg.yaml:6:35",
        says="${vm.outputs.ip} is not a placeholder here",
        mends="did you mean ${resources.vm.outputs.ip}?",
        code=0,
    ),
    Mistake(
        what="an answer of a command with an unknown field",
        words=DEPLOY,
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION.replace("echo", "command").replace(
                "host: a", "command: [echo, '{\"outputs\": {}}']"
            ),
        },
        says="unknown field `outputs`",
        mends="(an answer may have values, secrets, cookie,",
        code=2,
    ),
    score(
        "a misspelt output in a placeholder",
        "db.host",
        "db.hots",
        "8:11",
        says=f"{DATABASE} has no output 'hots'",
        mends="did you mean host?",
    ),
    score(
        "a version of Score that there is not",
        "v1b1",
        "v1",
        "1:1",
        says="the apiVersion 'score.dev/v1' is unknown",
        mends="write `apiVersion: score.dev/v1b1`",
    ),
    definition(
        "a misspelt driver",
        "echo",
        "ecko",
        "5:3",
        says="the driver 'ecko' is not installed",
        mends="mean echo?",
    ),
    definition(
        "a misspelt key of a definition",
        "driver_inputs",
        "driver_input",
        "6:3",
        says="'entity' has no key 'driver_input'",
        mends="did you mean driver_inputs",
    ),
    definition(
        "a criterion under another name",
        "criteria: [{}]",
        "criteria: [{env: dev}]",
        "7:15",
        says="a criterion has no key 'env'",
        mends="did you mean env_id?",
    ),
    definition(
        "a placeholder under another name",
        "host: a",
        "host: '${context.environment.id}'",
        "6:35",
        says="the context has no 'environment.id'",
        mends="did you mean env.id?",
    ),
    Mistake(
        what="score.yml",
        words=DEPLOY.replace(".yaml", ".yml"),
        files={"score.yaml": SCORE, "definitions/pg.yaml": DEFINITION},
        at="score.yml",
        says="No such file or directory",
        mends="did you mean score.yaml?",
    ),
    Mistake(
        what="a compose file",
        words=DEPLOY.replace("score", "compose"),
        files={"compose.yaml": "services:\n  web: {image: nginx}\n"},
        at="compose.yaml:1",
        says="compose.yaml is neither a Score file nor a deployment set",
        mends="begin it with `apiVersion: score.dev/v1b1`",
    ),
    deployed(
        "deploy --app shop --env dve --destroy",
        says="the store has nothing of shop/dve",
        mends="did you mean shop/dev?",
    ),
    deployed(
        "deploy --app sohp --env dev --destroy",
        says="the store has nothing of sohp/dev",
        mends="did you mean shop/dev?",
    ),
    deployed(
        f"{DEPLOY} --only db",
        says="--only: the deployment has no resource 'db'",
        mends=f"did you mean {DATABASE}?",
    ),
    deployed(
        "deploy score.yaml --app shop --env deev --env-type development",
        says="new environment shop/deev: the application shop has dev",
        mends="write --env dev; --new-env makes shop/deev all the same",
    ),
    *(
        deployed(
            f"deploy score.yaml --app shop --env dev2 --env-type develpment {option}",
            says="the type 'develpment' of the new environment shop/dev2 is that of no definition and of no",
            mends="write --env-type development; --new-env makes shop/dev2 all the same",
        )
        for option in ("", "--plan")
    ),
    deployed(
        "deploy score.yaml --app shop --env deev --env-type development --plan",
        says="new environment shop/deev: the application shop has dev",
        mends="write --env dev",
    ),
    deployed(
        "deploy score.yaml --app shop --env deev --env-type development --plan --detailed-exitcode",
        says="new environment shop/deev: the application shop has dev",
        mends="ensue: the deployment would be refused: E0898 (see above)",
    ),
    deployed(
        "deploy score.yaml --app shop --env deev",
        says="the type of the environment shop/deev is not known",
        mends="did you mean shop/dev? If not, give it with --env-type",
    ),
    score(
        "a number of resources",
        "type: postgres",
        "type: postgres\n    count: 2",
        "12",
        says="the resource 'db' has no key 'count'",
        mends="declare each resource by its own name",
    ),
    score(
        "a dependency in words",
        "type: postgres",
        "type: postgres\n    depends_on: [x]",
        "12",
        says="the resource 'db' has no key 'depends_on'",
        mends="a placeholder makes the dependency: `${resources.NAME.OUTPUT}`",
    ),
    deployed(
        "deploy score.yaml --app sohp --env dev --env-type development",
        says="new application sohp: the store has shop",
        mends="write --app shop",
    ),
    deployed(
        "deploy score.yaml --app shop --env prod --env-type production",
        says="new environment shop/prod: the application shop has dev",
        mends="correct --env if one of these is meant",
        code=0,
    ),
    Mistake(
        what="a resource under another name",
        words="deploy new.yaml --app shop --env dev --plan",
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION,
            "new.yaml": SCORE.replace("db:", "database:").replace("resources.db", "resources.database"),
        },
        says=f"if {DATABASE} was renamed to {DATABASE[:-2]}database: under another name",
        mends="keep the name (`ensue doc deploying` has more under Renaming)",
        code=0,
        before=(DEPLOY,),
    ),
    Mistake(
        what="a resource under another name, with --prune",
        words="deploy new.yaml --app shop --env dev --prune --plan",
        files={
            "score.yaml": SCORE,
            "definitions/pg.yaml": DEFINITION,
            "new.yaml": SCORE.replace("db:", "database:").replace("resources.db", "resources.database"),
        },
        says=f"if {DATABASE} was renamed to {DATABASE[:-2]}database: under another name",
        mends="keep the name (`ensue doc deploying` has more under Renaming)",
        code=0,
        before=(DEPLOY,),
    ),
    *(
        deployed(
            f"deploy --app shop --env dev --forget {name}",
            says=f"this environment has no record of '{name}'",
            mends=f"did you mean {DATABASE}?",
        )
        for name in ("db", "postgres", "externals.db")
    ),
    *(
        deployed(
            f"deploy --app shop --env staging --env-type development --from {source}",
            says=f"'{source}' is neither the number of a deployment nor `last`",
            mends="with --to-env: --env ENV --from last --to-env ENV",
        )
        for source in ("dev", "shop/dev")
    ),
    deployed(f"deploy {CONTEXT} --from 9", says="shop/dev has no deployment 9", mends="the store has 1 to 1"),
    deployed(
        "deployments list --app sohp",
        says="the store has no deployment of sohp/*",
        mends="there are shop/dev",
        code=0,
    ),
    deployed(
        "deployments list --app shop --env dve",
        says="the store has no deployment of shop/dve",
        mends="did you mean shop/dev?",
        code=0,
    ),
    *(
        Mistake(
            what=f"`{words}` after a removal",
            words=words,
            files={"score.yaml": SCORE, "definitions/pg.yaml": DEFINITION},
            says="deployment 2 of shop/dev has no resources",
            mends="it removed the environment = help: give the number of an earlier one: --from 1",
            before=(DEPLOY, "deploy --app shop --env dev --destroy"),
        )
        for words in (
            "deploy --app shop --env dev --from last",
            "deploy --app shop --env dev --from 2 --plan",
            "deploy --app shop --env dev --from last --to-env prod --env-type production",
        )
    ),
]
