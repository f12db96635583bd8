"""What people who know Terraform write and type."""

from tests.cli.mistakes.mistake import Mistake, line, state, with_files

ROWS = [
    *(
        state(
            f"{text} in a template",
            f"a:\n  test.nop:\n    - x: '{text}'\n",
            "3",
            says=says,
            mends=mends,
        )
        for text, says, mends in (
            ("{{ var.region }}", "'var' is undefined", "write {{ pillar.region }} with `region` in pillar"),
            ('{{ var.region | default("x") }}', "'var' is undefined", "write {{ pillar.region }} with"),
            ("{% if var.x is defined %}a{% endif %}", "'var' is undefined", "write {{ pillar.x }} with"),
            ("{{ local.name }}", "'local' is undefined", "write {{ name }} after {% set name = … %}"),
            ("{{ jsonencode(1) }}", "'jsonencode' is undefined", "write {{ … | tojson }}"),
            ("{{ length([1]) }}", "'length' is undefined", "write {{ … | length }}"),
            ("{{ each.key }}", "'each' is undefined", "{% for key, value in ….items() %}"),
            ("{{ terraform.workspace }}", "'terraform' is undefined", "write {{ pillar.workspace }}"),
            ("{{ file(1) }}", "'file' is undefined", "salt['cp.get_file_str']"),
            ("{{ path.module }}", "'path' is undefined", "{{ opts['root_dir'] }}"),
            ("{{ self.id }}", "`self` has no block 'id'", "`self.id` is Terraform's"),
            ("{{ aws_instance.web.id }}", "'aws_instance' is undefined", "is a resource of Terraform"),
            ("{{ pillar ? 1 : 2 }}", "broken Jinja", "{{ x if condition else y }}"),
            ("{{ pillar ?? 3 }}", "broken Jinja", "{{ x | default(3) }}"),
            ("{{ pillar && 1 }}", "broken Jinja", "`and`, `or` and `not`"),
            ('{{ lookup({}, "k", 1) }}', "'lookup' is undefined", "write {{ mapping.get('key', 'x') }}"),
            ("{{ distinct([1]) }}", "'distinct' is undefined", "write {{ list | unique }}"),
            ("{{ sha256(1) }}", "'sha256' is undefined", "write {{ text | sha256 }}"),
            ("{{ sensitive(1) }}", "'sensitive' is undefined", "`sensitive: true` of the state"),
            ("{{ locals.x }}", "'locals' is undefined", "write {{ x }} after {% set x = … %}"),
            ("{{ null }}", "'null' is undefined", "write none"),
            ("{{ names[*] }}", "broken Jinja", "write {{ list | map(attribute='id') | list }}"),
            ("{{ names.* }}", "broken Jinja", "a splat is Terraform's"),
            ("{{ [for n in x : y] }}", "broken Jinja", "write a loop, {% for item in list %}"),
            ("{{ {x=1} }}", "broken Jinja", "a mapping has colons, and its keys quotes: {'key': value}"),
            ("{% locals %}", "broken Jinja", "write {% set name = value %}"),
        )
    ),
    *(
        state(
            f"a block of Terraform: {text}",
            f"{text}\n",
            "1",
            says=says,
            mends=mends,
        )
        for text, says, mends in (
            ("moved: {from: a, to: b}", "", "`moved` is Terraform's: leave it out"),
            ("removed: {from: a}", "", "`removed` is Terraform's: leave the state out"),
            ("import: {to: a, id: b}", "", "`import` is Terraform's: leave it out"),
            ("outputs: {ip: x}", "", "`outputs` is Terraform's: write ${module:ID:property}"),
            ("data: {http: {url: x}}", "", "`data` is Terraform's: write a `cmd.run` with `read_only: true`"),
            ("terraform: {backend: s3}", "", "`terraform` is Terraform's: leave it out: `store_url`"),
        )
    ),
    *(
        state(
            f"{text} without quotes",
            f"a:\n  test.nop: []\nb:\n{text}\n",
            at,
            says="this is not YAML",
            mends="put the text with ${…} in quotes: YAML reads {, } and : in it",
        )
        for text, at in (
            ("  test.nop: {name: x, value: v ${test:a:name}}", "4"),
            ("  test.nop: [name: ${test:a:name}]", "4"),
            ("  test.nop:\n    - x: ${y ? 1 : 2}", "5"),
        )
    ),
    state(
        "the module of a state before its ID",
        "a:\n  cmd.run:\n    - name: echo x\nb:\n  test.nop:\n    - x: {{ cmd.a.stdout }}\n",
        "6",
        says="'cmd' is undefined",
        mends="a is a state; write ${cmd:a:stdout}: its value is known when it has run",
    ),
    state(
        "an ID that is a block of Terraform as well",
        "data:\n  file.directory: {name: /never}\n",
        "2",
        says="the arguments of 'data' are a mapping",
        mends="help: put a dash before each argument",
    ),
    state(
        "a block of Terraform with its label",
        "module site:\n  source: ./site\n",
        "2",
        says="there is no state function source../site",
        mends="`module` is Terraform's: write `include`",
    ),
    state(
        "a data source",
        "x:\n  data.external:\n    - program: [a]\n",
        "2",
        says="there is no state function data.external",
        mends="`data` is Terraform's: write a `cmd.run` with `read_only: true`",
    ),
    state(
        "an attribute of HCL",
        'a:\n  file.managed:\n    - name = "/tmp/never/x"\n',
        "2",
        says="there is no state function file.managed.name",
        mends='`=` is HCL: write `- name: "/tmp/never/x"`',
    ),
    *(
        state(
            f"a value of the run in a variable: {tag}, {key}",
            "c: {cmd.run: [name: 'true']}\n{% set s = \"${cmd:c:stdout}\" %}\n"
            f"{tag}\nb-{{{{ {key} }}}}: test.nop\n{end}\n",
            "3",
            says="a template reads the value of ${cmd:c:stdout}",
            mends="use the value in a delayed block",
        )
        for tag, key, end in (
            ("{% if s == 'prod' %}", "1", "{% endif %}"),
            ("{% if 'prod' != s %}", "1", "{% endif %}"),
            ("{% for k in s %}", "loop.index", "{% endfor %}"),
            ("{% for k in s %}", "k", "{% endfor %}"),
            ("{{ s | length }}: test.nop", "1", ""),
        )
    ),
    state(
        "a filter that changes a value of the run",
        "c: {cmd.run: [name: 'true']}\n{% set s = '${cmd:c:stdout}' %}\n"
        "b: {test.nop: [x: {{ s | upper }}]}\n",
        "3",
        says="a template changes the text of ${cmd:c:stdout}",
        mends="use the value in a delayed block",
    ),
    *(
        state(
            f"a loop over a mapping: {loop}",
            f"{{% set ports = {{'web': 80}} %}}\n{loop}\na-{{{{ {read} }}}}: test.nop\n{{% endfor %}}\n",
            at,
            says=says,
            mends="a mapping yields its keys: write {% for key, value in ports.items() %}",
        )
        for loop, read, at, says in (
            ("{% for k, v in ports %}", "k", "2:1", "too many values to unpack"),
            ("{% for p in ports %}", "p.key", "3:3", "a text has no key 'key'"),
        )
    ),
    state(
        "a misspelt key in a variable that is used later",
        "{% set name = opts.root_dri %}\na:\n  test.nop:\n    - x: {{ name }}\n",
        "1:1",
        says="a mapping has no key 'root_dri'",
        mends="did you mean root_dir?",
    ),
    *(
        state(
            f"a mistake in a delayed block, before it is rendered: {wrong}",
            "ids:\n  cmd.run:\n    - name: echo [1]\n    - delayed_render: [block: b]\n"
            f"#!delayed_block b\n{wrong}\n#!end_delayed_block\n",
            at,
            says=says,
            mends=mends,
            code=2,
        )
        for wrong, at, says, mends in (
            (
                "a{{ 1 }}:\n  file.manged: []",
                "7",
                "there is no state function file.manged",
                "mean file.managed",
            ),
            ("a: tst.nop", "6", "there is no state function tst.nop", "did you mean test.nop"),
            (
                "{% for k in (1, 2) %}\n'a {{ k }}': {test.nopp: [name: 'x: y.z']}\n{% endfor %}",
                "7",
                "there is no state function test.nopp",
                "did you mean test.nop",
            ),
            (
                "{% for k in ids.stdout_json %}{% endfor %}",
                "6",
                "'ids' is a state, not a",
                "prev_ret.new_state.",
            ),
            (
                "{% if prev_ret.stdout %}{% endif %}",
                "6",
                "`prev_ret` has no key 'stdout'",
                "prev_ret.new_state.",
            ),
        )
    ),
    *(
        with_files(
            state(
                f"a right delayed block: {right[:20]}",
                "ids:\n  cmd.run:\n    - name: echo '[1]'\n    - delayed_render: [block: b]\n"
                f"#!delayed_block b\n{right}\n#!end_delayed_block\n",
                "",
                says="0 unchanged",
                mends="1 to change",
                code=0,
            ),
            {},
            words="plan t",
        )
        for right in (
            "{% set ids = prev_ret.new_state %}\nb: {test.nop: [x: '{{ ids.stdout_json }}']}",
            "a.conf:\n  file.managed:\n    - name: /never\n    - contents: |\n        file.manged: x",
            "extend:\n  a.b:\n    file.managed: []",
        )
    ),
    *(
        state(
            f"a comment of HCL: {comment}",
            f"{comment}\na:\n  test.nop: []\n",
            at,
            says=says,
            mends="a comment begins with `#`",
        )
        for comment, at, says in (
            ("// words", "2", "this is not YAML"),
            ("// one: two", "1", "names no state function"),
            ("/* words */", "2", "this is not YAML"),
        )
    ),
    state(
        "a heredoc",
        "a:\n  file.managed:\n    - contents: <<EOF\nhello: b\nEOF\n",
        "",
        says="this is not YAML",
        mends="a text of several lines begins with `|` in place of <<EOF",
    ),
    state(
        "a data source as a state",
        "data.http: {x: {url: a}}\n",
        "1",
        says="the arguments of 'data.http' are a mapping",
        mends="`data.http` is Terraform's: write a `cmd.run` with `read_only: true`",
    ),
    state(
        "a reference to all instances of a state",
        'x:\n  test.nop: [names: [a, b]]\ny: {test.nop: [w: "${test:x[*]:x}"]}\n',
        "3:20",
        says="'x' has no instance '*'",
        mends="all instances at once cannot be read: write a list with a reference to each of 'a', 'b'",
    ),
    state(
        "a reference into a delayed block whose IDs have an expression",
        "ids:\n  cmd.run: [name: 'true', delayed_render: [block: b]]\ny: {test.nop: [w: '${test:w-1:x}']}\n"
        "#!delayed_block b\nw-{{ 1 }}: test.nop\n#!end_delayed_block\n",
        "3:20",
        says="${test:w-1:x} names no state",
        mends="put the state with the reference there, too",
    ),
    state(
        "coalesce",
        "a:\n  test.nop:\n    - x: {{ coalesce(pillar.x, 'b') }}\n",
        "3",
        says="'coalesce' is undefined",
        mends="{{ pillar.get('x') or 'default' }}",
    ),
    line("plan --env dev", says="No such option '--env'", mends="`ensue deploy --env ENV`; of states"),
    *(
        Mistake(
            what=f"an environment that does not exist beside {known}: {words}",
            words=words,
            files={"states/top.sls": "base: {'*': [t]}\n", "states/t.sls": "a: test.nop\n", **more},
            says="there is no environment 'deev'",
            mends=f"file_roots names {known} = help: check --saltenv",
        )
        for more, known in (
            ({}, "base"),
            ({"ensue.yaml": "file_roots: {base: [states], dev: [envs/dev]}\n"}, "base, dev"),
        )
        for words in ("plan --saltenv deev", "show top --saltenv deev")
    ),
    Mistake(
        what="an environment of pillar as one of states",
        words="show low t --saltenv prod",
        files={"states/t.sls": "a: test.nop\n", "ensue.yaml": "pillar_roots: {base: [p], prod: [p]}\n"},
        says="there is no environment 'prod'",
        mends="it is one of pillar_roots: `--pillarenv prod`",
    ),
    line("show state", says="'state' is not one of", mends="`ensue show enforced` has what states returned"),
    line("show pillar --env prod", says="`show pillar` takes no --env", mends="as `--pillarenv ENV` does"),
    line("apply t --unprotect=x", says="No such option '--unprotect'", mends="`ensue deploy` takes it"),
    line("show t", says="'t' is not one of", mends="for an SLS, `ensue show low t`"),
    line("drift", says="There is no command 'drift'", mends="`ensue plan` shows what has changed since"),
    line("history", says="There is no command 'history'", mends="`ensue runs list`"),
    line("env", says="There is no command 'env'", mends="`ensue deploy --env ENV`"),
    line("deployments compare", says="There is no command 'compare'", mends="`ensue deployments diff NUMBER"),
    *(
        line(f"doc {word}", says=f"or topic '{word}'", mends=f"{mends}")
        for word, mends in (
            ("workspace", "`ensue deploy --env ENV`"),
            ("import", "`import` is Terraform's: leave it out: a state finds what exists"),
            ("taint", "`ensue deploy --replace RESOURCE` makes a resource anew"),
            ("lifecycle", "`ensue doc sls-primer` has the words of Terraform and Ansible"),
            ("random_password", "a `cmd.run` with `creates` makes a value once"),
        )
    ),
    line(
        "plan t.sls",
        says="there is no file t.sls",
        mends="write `t`, the name of the SLS; a path is relative",
    ),
    Mistake(
        what="an include like a module of Terraform",
        words="plan t",
        files={"states/t.sls": "include:\n  - source: ./u\n", "states/u.sls": "a: test.nop\n"},
        at="states/t.sls:2:5",
        says="there is no environment 'source'",
        mends="write `- u`: a key is an environment of file_roots",
    ),
    *(
        state(
            f"an argument of Terraform's local-exec: {argument}",
            f"a:\n  cmd.run:\n    - name: 'true'\n    - {argument}: x\n",
            "4",
            says=f"cmd.run takes no argument '{argument}'",
            mends=mends,
        )
        for argument, mends in (
            ("interpreter", "write `shell: /bin/bash`"),
            ("on_failure", "leave it out: states after a failed one run unless they `require` it"),
        )
    ),
    line("apply --workspace x", says="No such option '--workspace'", mends="`ensue deploy --env ENV`"),
    line("apply tfplan", says="there is no SLS 'tfplan'", mends="plans are not saved"),
    line("apply plan.out", says="there is no SLS 'plan.out'", mends="plans are not saved"),
    line(
        "init -backend-config=x", says="No such option '-backend-config'", mends="`store_url` in ensue.yaml"
    ),
    line("plan --generate-config-out=x", says="No such option", mends="states find what exists"),
    Mistake(
        what="a file of variables of Terraform",
        words="plan t --pillar-file prod.tfvars",
        files={"states/t.sls": "a: test.nop\n", "prod.tfvars": 'region = "us"\ncount = 2\n'},
        says="'prod.tfvars' is HCL, not YAML or JSON",
        mends="write `key: value` on each line",
    ),
    state(
        "a reference to pillar",
        "a:\n  test.nop:\n    - x: ${pillar:db:host}\n",
        "3",
        says="${pillar:db:host} names no state",
        mends="pillar is read in a template: write {{ pillar.db.host }}",
    ),
    state(
        "a requisite in one word",
        "a: test.nop\nb:\n  test.nop:\n    - require: [test.a]\n",
        "4",
        says="names id: test.a, which is not in this run",
        mends="write the module and the ID of the state apart: `- test: a`",
    ),
    state(
        "a module of Terraform",
        "module:\n  web: {source: ./web}\n",
        "2",
        says="the arguments of 'module' are a mapping",
        mends="`module` is Terraform's: write `include`, or a macro",
    ),
    line("untaint", says="There is no command 'untaint'", mends="marks nothing for later deployments"),
    line("taint", says="There is no command 'taint'", mends="`ensue deploy --replace RESOURCE`"),
    line("providers", says="There is no command 'providers'", mends="ensue downloads no providers"),
    line("state rm x", says="There is no command 'state'", mends="`ensue deploy --forget RESOURCE`"),
    Mistake(
        what="a misspelt pillar key",
        words="plan t --pillar regoin=us",
        files={"states/t.sls": "a:\n  test.nop:\n    - name: {{ pillar.get('region') }}\n"},
        says="gives the pillar key 'regoin', which no file of the project mentions",
        mends="did you mean region?",
        code=0,
    ),
    line("apply states/t", says="there is no SLS 'states/t'", mends="write `t`: the name of an SLS begins"),
    state(
        "a state of a plug-in of Idem",
        "a:\n  aws.ec2.instance.present:\n    - name: a\n",
        "2",
        says="there is no state function aws.ec2.instance.present",
        mends="ensue has no states of clouds: `terraform.applied`",
    ),
    state(
        "`if` as an argument",
        'a:\n  cmd.run:\n    - name: "true"\n    - if: x\n',
        "4",
        says="cmd.run takes no argument 'if'",
        mends="{% if … %} around the state decides by pillar and grains, `onlyif`",
    ),
    *(
        line(f"deploy {given}", says=f"No such option '{given.split()[0]}'", mends=f"Instead: {mends}")
        for given, mends in (
            ("--rollback", "`--from NUMBER`, as `ensue deployments list`"),
            ("--previous", "`--from NUMBER`, as `ensue deployments list`"),
            ("--unlock", "leave it out: a process that has ended holds no lock"),
            ("--state-rm x", "`ensue show active` lists the records"),
            ("--force", "leave it out: the message of a refused deployment names the option"),
            ("--import db=x", "leave it out: an existing thing is found by its name"),
            ("--taint db", "`--replace RESOURCE`, which destroys it"),
            ("--untaint db", "leave it out: `--replace` marks nothing"),
            ("--exclude db", "`--only RESOURCE` provisions a part"),
            ("--application shop", "`--app APP`"),
            ("--environment dev", "`--env ENV`"),
            ("--promote", "`--from last --to-env ENV`"),
            ("--delete", "`--destroy` removes the whole environment"),
            ("--remove", "`--destroy` removes the whole environment"),
            ("--moved", "leave it out: a resource is kept under the same name"),
            ("--protect", "`protect: true` in the definition"),
            ("-f score.yaml", "leave it out: Score files are arguments"),
        )
    ),
]
