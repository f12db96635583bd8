"""YAML, states, requisites and templates, as written by people who know Salt or YAML a little."""

from tests.cli.mistakes.mistake import SECRET, Mistake, argument, state, with_files

STATE = "a: test.nop\n"
TWO = "nginx:\n  test.nop: []\nweb:\n  test.nop:\n    - require:\n      - "
TOKEN = "tok:\n  cmd.run:\n    - name: echo x\nb:\n  test.nop:\n    - text: "
PILLAR = {
    "pillar/top.sls": "base:\n  '*':\n    - data\n",
    "pillar/data.sls": f"port: 80\ndb: {{host: a, password: {SECRET}}}\n",
}
PORT = "web:\n  test.nop:\n    - x: {{ pillar.prot }}\n"
CALLER = "a:\n  test.nop:\n    - delayed_render: [block: latee]\n"
LATE = "#!delayed_block late\nb: test.nop\n#!end_delayed_block\n"

ROWS = [
    *(
        state(
            f"content that YAML reads by its type: {text}",
            f"/never/a:\n  file.managed:\n    - contents: {text}\n",
            "3",
            says=f"`contents` of '/never/a' is {text}, which writes {written}",
            mends=f"put it in quotes to write it as it is: `- contents: '{text}'`",
            code=2,
        )
        for text, written in (("yes", "True"), ("off", "False"), ("1.10", "1.1"), ("null", "nothing"))
    ),
    state(
        "a reference to a state of a delayed block",
        "a:\n  test.nop:\n    - x: ${test:inner:y}\n    - delayed_render: [block: late]\n"
        "#!delayed_block late\ninner: test.nop\n#!end_delayed_block\n",
        "3",
        says="${test:inner:y} names no state",
        mends="the delayed block 'late' declares it",
    ),
    state(
        "JSON between quotes",
        "{% set x = {'a': 1} %}\na:\n  test.nop:\n    - t: \"{{ x | tojson }}\"\n",
        "4",
        says="this is not YAML",
        mends="leave out the quotes around what a template prints as JSON",
    ),
    with_files(
        state(
            "an SLS with its ending in include",
            "include: [m8.sls]\n",
            "1",
            says="there is no SLS 'm8.sls'",
            mends="write `m8`: an SLS is named without its ending",
        ),
        {"states/m8.sls": "a: test.nop\n"},
    ),
    state(
        "an ID that YAML reads as true",
        "first: test.nop\non:\n  test.nop: []\n",
        "2:1",
        says="the ID on is not text",
        mends="put it in quotes: 'on'",
    ),
    state(
        "wrong indentation",
        "web:\n  file.managed:\n    - name: /a\n   - contents: x\n",
        "4:4",
        says="this is not YAML",
        mends="check the indentation of this line",
    ),
    state("a tab", "web:\n\ttest.nop: []\n", "2:1", says="found a tab", mends="indent with spaces"),
    state(
        "a key twice",
        "web: test.nop\nweb: test.nop\n",
        "2:1",
        says="the key 'web' appears twice",
        mends="give one of them another name",
    ),
    state(
        "no blank after a colon",
        "web:\n  file.managed:\n    - name:/a\n",
        "3:7",
        says="`name:/a` of 'web' is a text",
        mends="write `- name: /a`",
    ),
    state(
        "no blank after a dash",
        "web:\n  file.managed:\n    -name: /a\n",
        "2:3",
        says="the arguments of 'web' are a mapping",
        mends="put a blank after the dash: `- name: value`",
    ),
    state(
        "arguments without dashes",
        "web:\n  file.managed:\n    name: /a\n",
        "2:3",
        says="the arguments of 'web' are a mapping",
        mends="put a dash before each argument",
    ),
    state(
        "a misspelt module",
        "web:\n  fil.managed: []\n",
        "2:3",
        says="there is no state function fil.managed",
        mends="did you mean file.managed",
    ),
    state(
        "a misspelt function",
        "web:\n  pkg.install: []\n",
        "2:3",
        says="there is no state function pkg.install",
        mends="did you mean pkg.installed",
    ),
    state(
        "a function of another tool",
        "web:\n  service.started: []\n",
        "2:3",
        says="there is no state function service.started",
        mends="did you mean service.running?",
    ),
    argument(
        "an argument that there is not",
        "content: hello",
        says="file.managed takes no argument 'content'",
        mends="did you mean contents?",
    ),
    argument(
        "an argument of the wrong type",
        "makedirs: ture",
        says="`makedirs` of '/etc/motd' is 'ture'",
        mends="did you mean true?",
    ),
    argument(
        "a condition that is a boolean",
        "unless: true",
        says="`unless` of '/etc/motd' is true",
        mends="did you mean the command 'true'? Put it in quotes",
    ),
    argument(
        "a condition without a function",
        "onlyif: {func: test.true}",
        says="`onlyif` of '/etc/motd' is {'func': 'test.true'}",
        mends="did you mean fun instead of func?",
    ),
    state(
        "a misspelt requisite",
        f"{TWO}test: ngnix\n",
        "6:9",
        says="`require` of 'web' names test: ngnix, which is not in this run",
        mends="did you mean nginx?",
    ),
    state(
        "a requisite on another module",
        f"{TWO}service: nginx\n",
        "6:9",
        says="names service: nginx",
        mends="'nginx' is declared with test: did you mean `test: nginx`?",
    ),
    *(
        state(
            f"a misspelt ID in {word}",
            f"nginx:\n  test.nop: []\nweb:\n  test.nop:\n    - {word}:\n      - test: ngnix\n",
            "6:9",
            says=f"`{word}` of 'web' names test: ngnix, which is not in this run",
            mends="did you mean nginx?",
        )
        for word in (
            "require",
            "watch",
            "onchanges",
            "onfail",
            "prereq",
            "listen",
            "listen_in",
            "require_in",
            "watch_in",
            "onchanges_in",
            "onfail_in",
            "prereq_in",
            "require_any",
            "watch_any",
            "onfail_all",
        )
    ),
    state(
        "requires instead of require",
        "web:\n  test.nop:\n    - requires: [test: a]\n",
        "3:7",
        says="'requires' of 'web' looks like a misspelt 'require'",
        mends="did you mean require?",
    ),
    state(
        "a cycle",
        "a:\n  test.nop:\n    - require: [test: b]\nb:\n  test.nop:\n    - require: [test: a]\n",
        "6:7",
        says="b (states/t.sls:6:7) has `require` on a; a (states/t.sls:3:7) has `require` on b",
        mends="remove one of them",
    ),
    state(
        "a state as a variable of a template",
        f"{TOKEN}'{{{{ tok.stdout }}}}'\n",
        "6:17",
        says="'tok' is undefined",
        mends="tok is a state; write ${cmd:tok:stdout}: its value is known when it has run",
    ),
    state(
        "a misspelt ID in a reference",
        f"{TOKEN}${{cmd:tik:stdout}}\n",
        "6:13",
        says="${cmd:tik:stdout} names no state",
        mends="did you mean tok?",
    ),
    state(
        "a misspelt output in a reference",
        f"{TOKEN}${{cmd:tok:stdot}}\n",
        "6:13",
        says="${cmd:tok:stdot} reads what 'tok' never returns",
        mends="did you mean stdout or stdout_json?",
    ),
    state(
        "a misspelt variable",
        "{% set port = 80 %}\nweb:\n  test.nop:\n    - x: {{ prot }}\n",
        "4:13",
        says="'prot' is undefined",
        mends="did you mean port",
    ),
    state(
        "a misspelt filter",
        "web:\n  test.nop:\n    - x: {{ 'a' | uper }}\n",
        "3:10",
        says="there is no filter 'uper'",
        mends="did you mean upper?",
    ),
    state(
        "a misspelt function in a template",
        "web:\n  test.nop:\n    - x: {{ salt['grain.get']('os') }}\n",
        "3:10",
        says="there is no execution function 'grain.get'",
        mends="did you mean grains.get",
    ),
    with_files(
        state(
            "a misspelt pillar key",
            PORT,
            "3:10",
            says="a mapping has no key 'prot'",
            mends="did you mean port?",
        ),
        PILLAR,
    ),
    with_files(
        state(
            "a misspelt key below another",
            PORT.replace("pillar.prot", "pillar['db']['hots']"),
            "3:10",
            says="a mapping has no key 'hots'",
            mends="did you mean host?",
        ),
        PILLAR,
    ),
    with_files(
        state(
            "a misspelt include",
            "include:\n  - comon\n",
            "2:5",
            says="there is no SLS 'comon'",
            mends="did you mean common?",
        ),
        {"states/common.sls": STATE},
    ),
    with_files(
        state(
            "a misspelt template",
            "{% from 'maps.jinja' import x %}\n",
            "1:1",
            says="template 'maps.jinja' was not found (searched: states)",
            mends="did you mean map.jinja?",
        ),
        {"states/map.jinja": "{% set x = 1 %}\n"},
    ),
    with_files(
        state(
            "a misspelt file",
            "/etc/motd:\n  file.managed:\n    - source: salt://files/motd.txtt\n",
            "2:3",
            says="the source salt://files/motd.txtt was not found (searched below states",
            mends="did you mean salt://files/motd.txt?",
            code=2,
        ),
        {"states/files/motd.txt": "hello\n"},
    ),
    Mistake(
        what="a misspelt SLS in the top file of pillar",
        files={
            "states/t.sls": STATE,
            "pillar/top.sls": "base:\n  '*':\n    - dta\n",
            "pillar/data.sls": "x: 1\n",
        },
        at="pillar/top.sls:3:5",
        says="there is no pillar SLS 'dta'",
        mends="did you mean data?",
    ),
    Mistake(
        what="a misspelt environment in the top file of pillar",
        files={
            "states/t.sls": STATE,
            "pillar/top.sls": "bsae:\n  '*':\n    - data\n",
            "pillar/data.sls": "x: 1\n",
        },
        at="pillar/top.sls:2:3",
        says="pillar_roots has no environment 'bsae'",
        mends="did you mean base?",
    ),
    Mistake(
        what="a misspelt SLS in the top file",
        words="apply",
        files={"states/web.sls": STATE, "states/top.sls": "base:\n  '*':\n    - wbe\n"},
        at="states/top.sls:3:5",
        says="there is no SLS 'wbe'",
        mends="did you mean web?",
    ),
    *(
        Mistake(
            what=f"the folder {word} in place of an SLS",
            words=f"plan {word}",
            files={"states/web.sls": STATE},
            says=f"there is no SLS '{word}'",
            mends="leave it out for what top.sls assigns, or name an SLS, such as `web`",
        )
        for word in ("./states", "states/", ".")
    ),
    *(
        Mistake(
            what=f"{word}, with the values of Terraform's variables",
            words=f"doc {word}",
            files={"states/web.sls": STATE},
            says=f"`{word}` is Terraform's",
            mends="write the values into a file that pillar/top.sls assigns",
        )
        for word in ("TF_VAR_region", "prod.auto.tfvars", "terraform.tfvars.json")
    ),
    state(
        "a misspelt block",
        f"{CALLER}{LATE}",
        "3:24",
        says="there is no delayed block 'latee' here",
        mends="did you mean late?",
    ),
    state(
        "a misspelt type to register",
        "vm:\n  test.present:\n    - registers:\n      - ssh_hots:web: {host: a}\n",
        "4:9",
        says="there is no resource type 'ssh_hots'",
        mends="did you mean ssh_host?",
    ),
]
