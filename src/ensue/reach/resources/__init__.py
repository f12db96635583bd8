"""The resource types that come with ensue, one package each.

`minion` is the machine that ensue runs on, `ssh_host` any host with an SSH server, `container` and `k8s_pod`
what podman, docker and kubectl run commands in. The modules next to them are shared: commands through a
client program (`exec_connection`), file operations through a shell (`posix_files`), grains through a shell
(`posix_grains`), errors, and checks of configurations. No type imports states, targeting or the registry.
"""
