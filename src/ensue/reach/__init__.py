"""How this machine and others are reached: processes, connections, resource types, certificates.

Nothing here imports the language or a store.

Doors:
- `reach.processes`: commands of this machine, HTTP, threads.
- `reach.connections`: what all connections have in common.
- `reach.resources`: the resource types that ensue ships (`minion`, `ssh_host`, `container`, `k8s_pod`, …).
- `reach.certificates`: keys and certificates on a target.
- `reach.terraform`: the terraform binary and its state.
"""
