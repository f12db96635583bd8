"""What knows Salt itself: runs on the minions of a master, and the comparison of a tree with Salt.

- `salt.fleet`: jobs on the bus of a Salt master.
- `salt.compare`: what Salt and ensue make of the same tree.

The bridge to Salt's functions is in `salt.bridge.salt_bridge`, since it wires them into a project.
"""
