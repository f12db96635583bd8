"""What people who know Terraform, Ansible or Salt write and type."""

from tests.cli.mistakes.mistake import argument, line, state

PLAYBOOK = "- hosts: all\n  become: yes\n  tasks:\n    - name: install\n      apt: name=nginx\n"

ROWS = [
    argument("when of Ansible", "when: x", says="no argument 'when'", mends="write `onlyif` or `unless`"),
    argument(
        "notify of Ansible",
        "notify: restart",
        says="no argument 'notify'",
        mends="write `watch_in` or `listen_in`",
    ),
    argument("become of Ansible", "become: true", says="no argument 'become'", mends="has `sudo: true`"),
    argument("loop of Ansible", "loop: [a]", says="no argument 'loop'", mends="write `names`, or {% for"),
    argument(
        "register of Ansible",
        "register: out",
        says="no argument 'register'",
        mends="write a reference to the state that has the result, such as ${cmd:ID:stdout}",
    ),
    argument("for_each of Terraform", "for_each: [a]", says="no argument 'for_each'", mends="write `names`"),
    argument("count of Terraform", "count: 2", says="no argument 'count'", mends="write `names`"),
    argument(
        "depends_on of Terraform", "depends_on: [a]", says="no argument 'depends_on'", mends="mean require?"
    ),
    argument("lifecycle of Terraform", "lifecycle: {}", says="no argument 'lifecycle'", mends="leave it out"),
    argument("provider of Terraform", "provider: aws", says="no argument 'provider'", mends="write `tgt`"),
    argument(
        "an argument that is far from all",
        "recurse: true",
        says="no argument 'recurse'",
        mends="`ensue doc file.managed` lists",
    ),
    state(
        "state of Ansible",
        "a:\n  test.nop:\n    - state: absent\n",
        "3:7",
        says="test.nop makes no use of 'state'",
        mends="the function says it: `file.absent`, `service.dead`",
        code=0,
    ),
    state(
        "a module of Ansible",
        "nginx:\n  apt:\n    - name: nginx\n",
        "2:3",
        says="'nginx' names no function of 'apt'",
        mends="write `pkg.installed`",
    ),
    state(
        "a module of Ansible with its collection",
        "x:\n  ansible.builtin.copy:\n    - src: a\n",
        "2:3",
        says="there is no state function ansible.builtin.copy",
        mends="instead of `copy`, write `file.managed`",
    ),
    state(
        "a playbook",
        PLAYBOOK,
        "1:1",
        says="it renders to a list",
        mends="this looks like a playbook of Ansible",
    ),
    state(
        "a filter of Ansible",
        "web:\n  test.nop:\n    - x: {{ 'a' | b64encode }}\n",
        "3:10",
        says="there is no filter 'b64encode'",
        mends="write base64_encode",
    ),
    state(
        "variables of Ansible",
        "vars:\n  port: 80\n",
        "2:3",
        says="the arguments of 'vars' are not a list",
        mends="write the values in pillar",
    ),
    state(
        "for_each below an ID",
        "web:\n  for_each: [a, b]\n  test.nop: []\n",
        "2:3",
        says="'web' names several functions of 'for_each'",
        mends="`for_each` is Terraform's: write `names`",
    ),
    state(
        "HCL",
        'resource "file" "a" {\n  path = "x"\n}\n',
        "1:1",
        says="it renders to a text",
        mends="looks like HCL",
    ),
    state(
        "orchestration of Salt",
        "a:\n  salt.state:\n    - tgt: web\n",
        "2:3",
        says="there is no state function salt.state",
        mends="write the states themselves with `tgt`",
    ),
    line("apply t --limit web", says="No such option '--limit'", mends="`--tgt TARGET` chooses the machines"),
    line("apply t -l web", says="No such option '-l'", mends="`--tgt TARGET` chooses the machines"),
    line("apply t --check", says="No such option '--check'", mends="`ensue plan` shows what would change"),
    line("apply t --dry-run", says="No such option '--dry-run'", mends="`ensue plan` shows"),
    line(
        "plan t --diff",
        says="No such option '--diff'",
        mends="`ensue plan` shows what would change, with diffs",
    ),
    line("apply t -e x=1", says="No such option '-e'", mends="`--pillar KEY=VALUE` gives a value"),
    line("apply t -v", says="No such option '-v'", mends="`--log-level debug` says more"),
    line("apply t -K", says="No such option '-K'", mends="`sudo: true`"),
    line("apply t --tags web", says="No such option '--tags'", mends="`--only tag:NAME`"),
    line("apply t -target=web", says="No such option '-target'", mends="`--only ID` runs a state"),
    line("apply t --auto-approve", says="No such option '--auto-approve'", mends="leave it out"),
    line("validate", says="There is no command 'validate'", mends="`ensue show low [SLS]` compiles"),
    line("lint", says="There is no command 'lint'", mends="`ensue show low [SLS]` compiles"),
    line("output", says="There is no command 'output'", mends="`ensue show enforced`"),
    line(
        "destroy", says="There is no command 'destroy'", mends="`ensue deploy --app APP --env ENV --destroy`"
    ),
    line("import a.b c", says="There is no command 'import'", mends="leave it out"),
    line("init --upgrade", says="No such option '--upgrade'", mends="leave it out"),
    line("playbook.yml", says="There is no command 'playbook.yml'", mends="`ensue apply [SLS]` runs states"),
    line("apply playbook.yml", says="there is no SLS 'playbook.yml'", mends="end in .sls, not in .yml"),
    line("apply main.tf", says="there is no SLS 'main.tf'", mends="end in .sls, not in .tf"),
    line("state.apply t", says="There is no command 'state.apply'", mends="`ensue apply [SLS]`"),
    line("salt * test.ping", says="There is no command 'salt'", mends="`ensue call TARGET FUNCTION`"),
    line("test.ping", says="There is no command 'test.ping'", mends="`ensue call TARGET test.ping`"),
    line("call test.ping", says="Missing argument 'FUN'", mends="`ensue call '*' test.ping`"),
    line(
        "call * test.pign", says="there is no execution function 'test.pign'", mends="did you mean test.ping"
    ),
    line("score-compose init", says="There is no command 'score-compose'", mends="--render compose"),
    line("aply t", says="There is no command 'aply'", mends="Did you mean apply"),
]
