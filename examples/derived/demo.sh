#!/bin/sh
# The example from beginning to end. Run it in a copy of this folder, with `ensue` on the PATH.
set -eu

step() {
    printf '\n==> %s\n\n' "$*"
}

step "One apply: start an environment, register what it is, configure it over SSH, fetch what came of it"
ensue apply

step "The file that came back"
ls -l machine/root/env-01-vpn.ovpn

step "What was derived, and from what"
ensue resources list
ensue resources show ssh_host:jumphost-env-01

step "A second apply changes nothing"
second=$(ensue apply --state-output terse)
printf '%s\n' "$second"
case $second in
    *changed=*) printf 'the second apply changed something\n' >&2 && exit 1 ;;
    *) printf '\n0 changed\n' ;;
esac

step "Later, from the registry alone"
# Where the kernel permits no namespaces, commands see this machine's files; $ENSUE_ROOT is the root of the sandbox.
# shellcheck disable=SC2016 # the shell of the jump host reads it
ensue call 'T@ssh_host:jumphost-*' cmd.run 'head -n 5 "$ENSUE_ROOT/etc/openvpn/client.ovpn"'

step "The environment goes, and what was derived from it can no longer be targeted"
ensue apply teardown
ensue resources list
