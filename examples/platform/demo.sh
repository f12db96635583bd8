#!/bin/sh
# The example from beginning to end. Run it in a copy of this folder, with `ensue` on the PATH.
set -eu

step() {
    printf '\n==> %s\n\n' "$*"
}

deploy() {
    printf '$ ensue deploy %s --app shop --env dev --env-type development\n\n' "$*"
    ensue deploy "$@" --app shop --env dev --env-type development
}

if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    echo "This example starts a PostgreSQL server of its own, and there is no initdb here: apt install postgresql" >&2
    exit 1
fi

step "Two Score files, and the graph that the platform's definitions make of them"
ensue graph scores/web.yaml scores/worker.yaml --app shop --env dev --env-type development

step "Deploy: a PostgreSQL server, databases, policies, roles, a DNS record, a machine, Kubernetes manifests"
deploy scores/web.yaml scores/worker.yaml --render kubernetes --to rendered

step "What came out: the worker's role has the policies of both databases; the password is in a Secret alone"
cat machine/srv/iam/role/shop-dev-worker.json machine/srv/dns/shop-dev.example.test.zone
ls -l rendered
cat rendered/web-deployment.yaml

step "A second deployment changes nothing"
second=$(deploy scores/web.yaml scores/worker.yaml --render kubernetes --to rendered)
printf '%s\n' "$second"
case $second in
    *"16 unchanged"*) ;;
    *) printf 'the second deployment changed something\n' >&2 && exit 1 ;;
esac

step "The platform team gives every database more connections: which resources does that concern?"
sed -i 's/connection_limit: 20/connection_limit: 50/' definitions/postgres.yaml
ensue show impact
deploy scores/web.yaml scores/worker.yaml --plan
deploy scores/web.yaml scores/worker.yaml

step "The worker goes: what only it needed is orphaned, and stays until it is pruned"
deploy scores/web.yaml
deploy scores/web.yaml --prune

step "One apply: the same deployment as a state, and the machine that is part of it, configured over SSH"
ensue apply site --state-output changes
ensue call 'T@ssh_host:edge-*' file.read /etc/proxy/routes/shop.conf

step "Everything goes, in reverse order"
ensue deploy --app shop --env dev --destroy
ensue resources list
