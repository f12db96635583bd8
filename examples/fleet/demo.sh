#!/bin/sh
# The example from beginning to end, with a master and three minions that run on this machine: `make demo-fleet`.
set -eu

step() {
    printf '\n==> %s\n' "$*"
}

run() {
    printf '\n$ %s\n' "$*"
    sh -c "$*"
}

step "A plan: which minion needs which value of which other one"
run "ensue plan --tgt '*'"

step "One apply: db-01 makes an id, web-01 and web-02 use it"
run "ensue apply --tgt '*'"
run "tail -n +1 minions/*/etc/id minions/*/etc/log"

step "A second apply changes nothing"
printf "\n$ ensue apply --tgt '*'\n"
second=$(ensue apply --tgt '*') || { printf '%s\n' "$second" && exit 1; }
printf '%s\n' "$second"
case $second in
    *" 0 changed"*) ;;
    *) printf 'the second apply changed something\n' >&2 && exit 1 ;;
esac

step "web-02 makes a machine, registers it and configures it, with the value of db-01; web-01 configures it, too"
run "ensue apply --tgt '*' machine"
run "find salt/web-02 -path '*vm-01*' -type f -exec head -v {} +"
run "ensue resources list"

step "Everything goes"
run "ensue apply --tgt '*' teardown"
run "ls -A minions/db-01 minions/web-01 minions/web-02"
