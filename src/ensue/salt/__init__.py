"""What knows Salt itself.

Doors:
- `salt.fleet`: runs on the minions of a master.
- `salt.compare`: what Salt and ensue make of the same tree.
- `salt.bridge`: Salt's own functions, for what ensue lacks.
"""
