"""The resource types that ensue ships, one package each: how to reach a thing and what is known of it.

`minion` is the machine that ensue runs on, `ssh_host` anything with an SSH server. Beside them
stand the parts that types share: file operations through a shell (`posix_files`), grains through
a shell (`posix_grains`), faults and the checking of configurations. No type knows of states,
targeting or the registry.
"""
