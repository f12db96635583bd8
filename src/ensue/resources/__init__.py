"""The resource types that ensue ships, one package each: how to reach a thing and what is known of it.

`minion` is the machine that ensue runs on, `ssh_host` anything with an SSH server, `container` and
`k8s_pod` what podman, docker and kubectl run commands in. Beside them are the parts that types share:
commands through a client program (`exec_connection`), file operations through a shell (`posix_files`),
grains through a shell (`posix_grains`), faults and the checking of configurations. No type knows of
states, targeting or the registry.
"""
