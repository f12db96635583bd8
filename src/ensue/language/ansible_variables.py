"""Variables that Ansible defines in every template, and what to write here.

Source: Ansible's special variables and facts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOSTS: Final = (
    "with `mine_functions: [grains.items]` in ensue.yaml, "
    "{% for id, facts in salt['mine.get']('N@web', 'grains.items', 'compound') | dictsort %} goes through "
    "the hosts of the nodegroup `web`"
)
_HOST_VARIABLE: Final = (
    "a variable of the other host is a value of its pillar: with "
    "`mine_functions: {listen_port: [{mine_function: pillar.get}, port]}` in ensue.yaml, "
    "{{ salt['mine.get']('web-01', 'listen_port')['web-01'] }}"
)
_MEMBER: Final = "{% if salt['match.compound']('N@web') %} asks whether this host is in the nodegroup `web`"
_CONNECTION: Final = (
    "the registration of a host, in pillar below `resources`, says it: `host`, `port`, `user`, `sudo`"
)
_FOLDER: Final = (
    "{{ opts['root_dir'] }} is the folder of the project; a file of the file roots is salt://PATH"
)
_SLS: Final = (
    "{{ slspath }} is the folder of the SLS below the file roots, salt://{{ slspath }}/FILE a file beside it"
)
_ON_HOST: Final = " on this machine, {{ salt['cmd.run']('echo $HOME') }} on another host"
_LOOKUP: Final = (
    "write {{ salt['module.function'](…) }}, such as salt['pillar.get']; for a variable of the environment, "
    f"{{{{ salt['environ.get']('HOME') }}}}{_ON_HOST}"
)
_TIME: Final = "{{ None | strftime('%Y-%m-%d') }} is the time at which the SLS is rendered"
_LOOP: Final = (
    "write {% for item in … %} around the state; with `names`, each item is the name of a state, and no "
    "variable has it"
)
_FAILED: Final = (
    "a state that failed has no value; have the command write what is to be read into a file, or let it "
    "succeed with `success_retcodes` and read `prev_ret.new_state.stderr` in a delayed block"
)
_VARIABLES: Final = {
    "inventory_hostname": "write {{ grains.id }}, the id of the host",
    "inventory_hostname_short": "write {{ grains.id.split('.')[0] }}",
    "ansible_failed_result": _FAILED,
    "ansible_failed_task": _FAILED,
    "ansible_facts": "facts are grains: {{ grains.os_family }}; `ensue call ID grains.items` lists them",
    "hostvars": f"a value of another host is a reference to the state that has it; {_HOST_VARIABLE}; for "
    f"facts, {_HOSTS}",
    "groups": f"groups are nodegroups of ensue.yaml; {_HOSTS}",
    "group_names": f"groups are nodegroups of ensue.yaml; {_MEMBER}",
    "play_hosts": _HOSTS,
    "ansible_play_hosts": _HOSTS,
    "ansible_play_hosts_all": _HOSTS,
    "ansible_play_batch": _HOSTS,
    "item": _LOOP,
    "ansible_loop": f"{_LOOP}; in it, {{{{ loop.index0 }}}} is the number of the round",
    "ansible_loop_var": _LOOP,
    "ansible_index_var": "write {{ loop.index0 }} in {% for … %}",
    "ansible_check_mode": "write {{ opts['test'] }}, which is true in a plan",
    "ansible_diff_mode": "leave it out: a plan always shows differences",
    "ansible_verbosity": "leave it out: `--log-level debug` says more",
    "ansible_version": "leave it out: an SLS needs no version of ensue",
    "ansible_limit": "leave it out: `--tgt` chooses the machines of a run",
    "ansible_managed": "write the text itself",
    "ansible_local": "own facts are grains: `grains.present`, or a file in `_grains`",
    "ansible_date_time": _TIME,
    "now": _TIME,
    "ansible_env": f"write {{{{ salt['environ.get']('HOME') }}}}{_ON_HOST}",
    "ansible_default_ipv4": "write {{ salt['network.ip_addrs']()[0] }}; grains.ipv4 has all addresses",
    "ansible_all_ipv4_addresses": "write {{ grains.ipv4 }}",
    "ansible_all_ipv6_addresses": "write {{ grains.ipv6 }}",
    "ansible_pkg_mgr": "leave it out: `pkg.installed` uses the package manager of the host",
    "inventory_dir": _FOLDER,
    "inventory_file": _FOLDER,
    "playbook_dir": _FOLDER,
    "role_path": _SLS,
    "role_name": "write {{ sls }}, the name of the SLS",
    "ansible_role_name": "write {{ sls }}, the name of the SLS",
    "role_names": "write `include` with the SLS",
    "ansible_play_name": "write {{ sls }}, the name of the SLS",
    "ansible_host": _CONNECTION,
    "ansible_port": _CONNECTION,
    "ansible_user": _CONNECTION,
    "ansible_connection": _CONNECTION,
    "ansible_become": _CONNECTION,
    "ansible_become_user": _CONNECTION,
    "ansible_python_interpreter": "leave it out: ensue runs no Python on the host",
    "omit": "write {% if … %} around the argument",
    "lookup": _LOOKUP,
    "query": _LOOKUP,
    "q": _LOOKUP,
    "vars": "write {{ pillar['name'] }}, or {{ salt['pillar.get']('a:b') }}",
    "environment": f"write {{{{ salt['environ.get']('NAME') }}}}{_ON_HOST}",
}
_FACTS: Final = {
    "os_family": "os_family",
    "distribution": "os",
    "distribution_release": "oscodename",
    "distribution_version": "osrelease",
    "distribution_major_version": "osmajorrelease",
    "system": "kernel",
    "kernel": "kernelrelease",
    "hostname": "host",
    "fqdn": "fqdn",
    "domain": "domain",
    "architecture": "cpuarch",
    "machine": "cpuarch",
    "machine_id": "machine_id",
    "memtotal_mb": "mem_total",
    "swaptotal_mb": "swap_total",
    "processor": "cpu_model",
    "processor_count": "num_cpus",
    "processor_cores": "num_cpus",
    "processor_vcpus": "num_cpus",
    "interfaces": "ip_interfaces",
    "dns": "dns",
    "service_mgr": "init",
    "user_id": "username",
    "user_uid": "uid",
    "user_gid": "gid",
    "python_version": "pythonversion",
    "virtualization_type": "virtual",
    "all_ipv4_addresses": "ipv4",
    "all_ipv6_addresses": "ipv6",
}
"""Facts of Ansible without `ansible_`, and the grains that have them."""

_PREFIX: Final = "ansible_"
_OTHER_FACT: Final = (
    "facts are grains: `ensue call ID grains.items` lists them, and {{ grains.KEY }} reads one"
)


def instead_of_variable(name: str, keys: Sequence[str] = ()) -> str:
    """Return what to write instead of a variable of Ansible; empty if it is none.

    Args:
        name: the variable.
        keys: what is read of it, `("os_family",)` in `{{ ansible_facts.os_family }}`.
    """
    if name == "ansible_facts" and keys and (grain := _FACTS.get(keys[0].removeprefix(_PREFIX))):
        return _answer(f"{name}.{keys[0]}", f"write {{{{ grains.{grain} }}}}")
    if advice := _VARIABLES.get(name, ""):
        return _answer(name, advice)
    if not name.startswith(_PREFIX):
        return ""
    grain = _FACTS.get(name.removeprefix(_PREFIX))
    return _answer(name, f"write {{{{ grains.{grain} }}}}" if grain else _OTHER_FACT)


def _answer(name: str, advice: str) -> str:
    return f"{name} is Ansible's: {advice}"
