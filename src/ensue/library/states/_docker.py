"""Shared by the `docker_…` state modules: the names of the options of containers and networks.

This module has no state functions. The execution module `docker` interprets the options.
"""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.data import is_mapping
from ensue.core.model.paths import traverse

OPTIONS: Final = (
    "auto_remove", "binds", "blkio_weight", "blkio_weight_device", "cap_add", "cap_drop",
    "cgroup_parent", "cgroupns", "cmd", "command", "cpu_count", "cpu_percent", "cpu_period",
    "cpu_quota", "cpu_rt_period", "cpu_rt_runtime", "cpu_shares", "cpuset", "cpuset_cpus",
    "cpuset_mems", "detach", "device_cgroup_rules", "device_read_bps", "device_read_iops",
    "device_write_bps", "device_write_iops", "devices", "dns", "dns_opt", "dns_option",
    "dns_search", "domainname", "entrypoint", "env", "environment", "expose", "extra_hosts",
    "group_add", "healthcheck", "hostname", "init", "interactive", "ipc", "ipc_mode", "isolation",
    "kernel_memory", "label", "labels", "links", "log_config", "log_driver", "log_opt",
    "mac_address", "mem_limit", "mem_reservation", "mem_swappiness", "memory", "memory_swap",
    "memswap_limit", "mounts", "nano_cpus", "network_disabled", "network_mode", "oom_kill_disable",
    "oom_score_adj", "pid_mode", "pids_limit", "platform", "port_bindings", "ports", "privileged",
    "publish", "publish_all", "publish_all_ports", "read_only", "restart", "restart_policy", "rm",
    "runtime", "security_opt", "security_opts", "shm_size", "stdin_open", "stop_signal",
    "stop_timeout", "storage_opt", "sysctl", "sysctls", "tmpfs", "tty", "ulimit", "ulimits", "user",
    "user_ns_mode", "userns_mode", "uts_mode", "volume", "volume_driver", "volumes", "volumes_from",
    "workdir", "working_dir",
)  # fmt: skip
"""Options of a container, including their aliases."""

SETTINGS: Final = (
    "attachable", "aux_address", "aux_addresses", "check_duplicate", "driver", "driver_opt",
    "driver_opts", "enable_ipv6", "gateway", "ingress", "internal", "ip_range", "ipam",
    "ipam_driver", "ipam_opts", "ipam_pools", "iprange", "ipv6", "labels", "options", "scope",
    "subnet",
)  # fmt: skip
"""Settings of a network, including their aliases."""


def part(about: Any, *keys: str) -> dict[str, Any]:
    """Return a mapping in docker's description of an object; empty if it is missing."""
    inner = traverse(about, keys)
    return inner if is_mapping(inner) else {}
