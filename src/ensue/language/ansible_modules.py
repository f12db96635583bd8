"""Modules of Ansible, and the state functions that do their work here.

Source: the collections `ansible.builtin`, `ansible.posix`, `community.general`, `community.docker`,
`community.crypto`, `community.postgresql`, `community.mysql` and `community.rabbitmq`.
"""

from __future__ import annotations

from typing import Final

from ensue.language.result_words import BLOCK

_PACKAGES: Final = "`pkg.installed` (`pkgrepo.managed` for a repository)"
_REPOSITORY: Final = "`pkgrepo.managed`"
_COMMAND: Final = "`cmd.run`"
_SERVICE: Final = "`service.running` or `service.dead`"
_INCLUDE: Final = (
    "`include: [SLS]` at the top of the file; an SLS takes no values: give them in pillar, or import a "
    "macro that takes them"
)
_FACTS: Final = "nothing: grains are gathered when they are needed, and {{ grains.os_family }} reads one"
_VALUES: Final = "{% set name = … %}, or pillar; what a state finds out is read with ${module:ID:property}"
_HOSTS: Final = "`registers` in the state that creates the host; a group is a nodegroup of ensue.yaml"
_READS: Final = (
    "`cmd.run` with `read_only: true`, whose output ${cmd:ID:stdout} reads; `onlyif` and `unless` take a "
    "command, too"
)
_WAIT: Final = (
    "`retry` in the state that needs it, or a `cmd.run` with `retry: {until: true, attempts: 30, "
    "interval: 2}`"
)
_REACHED: Final = "nothing: a state with `tgt` waits until its host answers"
_LVM: Final = "`lvm.lv_present`, `lvm.vg_present` or `lvm.pv_present`"
_KEYS: Final = "`x509.private_key_managed`, `x509.csr_managed` or `x509.certificate_managed`"
_CLOUD: Final = "`terraform.applied`, or a definition of a deployment (`ensue deploy`)"
_MOUNT: Final = "`mount.mounted`, `mount.unmounted` or `mount.swap`"

MODULES: Final = {
    **dict.fromkeys(
        (
            "apt",
            "yum",
            "dnf",
            "dnf5",
            "package",
            "homebrew",
            "pacman",
            "zypper",
            "apk",
            "portage",
            "snap",
            "flatpak",
        ),
        _PACKAGES,
    ),
    **dict.fromkeys(
        ("apt_repository", "yum_repository", "deb822_repository", "zypper_repository"), _REPOSITORY
    ),
    **dict.fromkeys(("apt_key", "rpm_key"), "`pkgrepo.managed` with `key_url`"),
    **dict.fromkeys(("command", "shell", "raw", "execute", "exec", "expect", "win_command"), _COMMAND),
    **dict.fromkeys(("service", "systemd", "systemd_service", "sysvinit"), _SERVICE),
    **dict.fromkeys(("setup", "gather_facts", "service_facts", "package_facts", "mount_facts"), _FACTS),
    **dict.fromkeys(("stat", "find", "slurp", "getent"), _READS),
    **dict.fromkeys(("set_fact", "set_stats", "include_vars"), _VALUES),
    **dict.fromkeys(("add_host", "group_by"), _HOSTS),
    **dict.fromkeys(
        (
            "include",
            "include_tasks",
            "import_tasks",
            "include_role",
            "import_role",
            "import_playbook",
            "role",
        ),
        _INCLUDE,
    ),
    **dict.fromkeys(("wait_for", "pause", "async_status"), _WAIT),
    **dict.fromkeys(("wait_for_connection", "ping"), _REACHED),
    **dict.fromkeys(("lvol", "lvg"), _LVM),
    **dict.fromkeys(
        ("openssl_privatekey", "openssl_csr", "x509_certificate", "openssl_certificate", "openssl_publickey"),
        _KEYS,
    ),
    **dict.fromkeys(
        (
            "ec2",
            "ec2_instance",
            "azure_rm_virtualmachine",
            "gcp_compute_instance",
            "os_server",
            "helm",
            "k8s",
            "route53",
        ),
        _CLOUD,
    ),
    "fetch": "`ssh_host.fetch_file`, which copies a file of a host to this machine (`ssh_host.send_file` "
    "copies one to it); to read one, `cmd.run` with `read_only: true`, whose output ${cmd:ID:stdout} reads",
    "terraform": "`terraform.applied`",
    "pip": "`pip.installed`",
    "npm": "`npm.installed`",
    "gem": "`gem.installed`",
    "copy": "`file.managed` with `source` or `contents`",
    "template": "`file.managed` with `source` and `template: jinja`",
    "assemble": "`file.managed` with `contents`, or `file.accumulated`",
    "synchronize": "`file.recurse`",
    "get_url": "`file.managed` with `source` and `source_hash`",
    "lineinfile": "`file.line` or `file.replace`",
    "blockinfile": "`file.blockreplace`",
    "replace": "`file.replace`",
    "ini_file": "`ini.options_present`",
    "patch": "`file.patch`",
    "tempfile": "`cmd.run` with `mktemp`",
    "file": "`file.managed`, `file.directory`, `file.symlink` or `file.absent`",
    "acl": "`acl.present`",
    "script": "`cmd.script`",
    "unarchive": "`archive.extracted`",
    "archive": "`cmd.run` with `creates` (`archive.extracted` unpacks one)",
    "authorized_key": "`ssh_auth.present`",
    "known_hosts": "`ssh_known_hosts.present`",
    "hostname": "`network.system`",
    "user": "`user.present` or `user.absent`",
    "group": "`group.present` or `group.absent`",
    "cron": "`cron.present` or `cron.absent`",
    "at": "`cron.present`",
    "git": "`git.latest`",
    "subversion": "`cmd.run` with `creates`",
    "debconf": "`debconf.set`",
    "dpkg_selections": "`pkg.held` or `pkg.unheld`",
    "iptables": "`iptables.append` or `iptables.insert`",
    "firewalld": "`firewalld.present`",
    "ufw": "`iptables.append`, or `cmd.run` with `unless`",
    "mount": _MOUNT,
    "sysctl": "`sysctl.present`",
    "modprobe": "`kmod.present`",
    "timezone": "`timezone.system`",
    "locale_gen": "`locale.present`",
    "alternatives": "`alternatives.set`",
    "selinux": "`selinux.mode`",
    "seboolean": "`selinux.boolean`",
    "sefcontext": "`selinux.fcontext_policy_present`",
    "seport": "`selinux.port_policy_present`",
    "filesystem": "`blockdev.formatted`",
    "parted": "`cmd.run` with `unless`",
    "supervisorctl": "`supervisord.running` or `supervisord.dead`",
    "apache2_module": "`apache_module.enabled`",
    "docker_container": "`docker_container.running`",
    "docker_image": "`docker_image.present`",
    "docker_network": "`docker_network.present`",
    "docker_volume": "`docker_volume.present`",
    "postgresql_db": "`postgres_database.present`",
    "postgresql_user": "`postgres_user.present`",
    "postgresql_privs": "`postgres_privileges.present`",
    "postgresql_ext": "`postgres_extension.present`",
    "postgresql_schema": "`postgres_schema.present`",
    "mysql_db": "`mysql_database.present`",
    "mysql_user": "`mysql_user.present`",
    "rabbitmq_user": "`rabbitmq_user.present`",
    "rabbitmq_vhost": "`rabbitmq_vhost.present`",
    "rabbitmq_policy": "`rabbitmq_policy.present`",
    "rabbitmq_plugin": "`rabbitmq_plugin.enabled`",
    "uri": "`http.query`, or `http.wait_for_successful_query` until it answers",
    "debug": "`test.show_notification`",
    "assert": "`test.check_pillar` for the types of values of pillar; for other conditions on pillar and "
    "grains {% if pillar.port < 1024 %}{{ raise('too low a port') }}{% endif %}, which refuses the SLS "
    "before anything runs; for what a command finds out `cmd.run` with `read_only: true`, which fails the "
    f"states that require it; for a result `test.fail_without_changes` with `comment` in {BLOCK}",
    "fail": "`test.fail_without_changes` with `comment`",
    "reboot": "`cmd.run` with the command, and `retry` in the state that comes after it",
    "meta": "`listen` for handlers that wait, `watch` or `onchanges` for those that react at their place, as "
    "after `flush_handlers`, and `failhard: true` to end a run",
    "validate_argument_spec": "nothing: arguments are checked before anything runs",
}
"""What to write instead of each, by its name without the collection."""

NAMESPACES: Final = frozenset({
    "amazon", "ansible", "azure", "cisco", "community", "containers", "google", "kubernetes", "microsoft",
    "openstack", "vmware",
})  # fmt: skip
"""The first words of the collections' names."""

UNKNOWN: Final = (
    "ensue has no counterpart of this module: write `cmd.run` with `unless`, `onlyif` or `creates`, or a "
    "state function of "
    "the project in `_states`; `ensue doc` lists all modules"
)
