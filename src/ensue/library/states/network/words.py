"""The settings of each function of `network`, for both families of systems, because SLS trees serve both.

Source: Salt's execution modules `debian_ip` and `rh_ip`, 3008.
"""

from __future__ import annotations

from typing import Final

_ADDRESS: Final = (
    "addr", "address", "addresses", "addrs", "broadcast", "dns", "dns-nameservers", "dns-search", "gateway",
    "hwaddr", "hwaddress", "ipaddr", "ipaddrs", "metric", "mtu", "netmask", "network", "pointopoint", "proto",
    "scope", "search", "hostname", "leasehours", "leasetime", "vendor", "client", "bootfile", "server",
    "mode", "endpoint", "dstaddr", "local", "ttl", "slaves", "provider", "unit", "options", "vlan-raw-device",
    "privext", "dhcp", "media", "accept_ra", "autoconf", "preferred-lifetime", "dad-attempts", "dad-interval",
)  # fmt: skip
_WIRELESS: Final = (
    "wireless-essid", "wireless-mode", "wpa-ap-scan", "wpa-conf", "wpa-driver", "wpa-group", "wpa-key-mgmt",
    "wpa-pairwise", "wpa-psk", "wpa-proto", "wpa-roam", "wpa-ssid",
)  # fmt: skip
_BOND: Final = (
    "ad_select", "arp_interval", "arp_ip_target", "downdelay", "hashing-algorithm", "lacp_rate", "max_bonds",
    "miimon", "primary", "tx_queues", "updelay", "use_carrier", "xmit_hash_policy", "master",
)  # fmt: skip
_BRIDGE: Final = (
    "ageing", "bridge", "bridgeprio", "bypassfirewall", "delay", "fd", "gcint", "hello", "hw", "maxage",
    "maxwait", "pathcost", "portprio", "ports", "stp", "waitport",
)  # fmt: skip
_ETHTOOL: Final = (
    "advertise", "autoneg", "channels", "duplex", "gro", "gso", "lro", "rx", "sg", "speed", "tso", "tx",
    "ufo",
)  # fmt: skip
_PPPOE: Final = (
    "connect", "defaultroute", "hide-password", "holdoff", "lcp-echo-failure", "lcp-echo-interval",
    "linkname", "maxfail", "noaccomp", "noauth", "noipdefault", "password", "persist", "pppoe_iface",
    "usepeerdns", "user",
)  # fmt: skip
_IFCFG: Final = (
    "arpcheck", "clonenum_start", "defroute", "dhcpv6c", "domain", "ipaddr_end", "ipaddr_start",
    "ipv4_failure_fatal", "ipv6_autoconf", "ipv6_defroute", "ipv6_peerdns", "ipv6_peerroutes", "macaddr",
    "my_inner_ipaddr", "my_outer_ipaddr", "nickname", "nm_controlled", "onboot", "onparent", "peerdns",
    "peerroutes", "phys_dev", "prefix", "reorder_hdr", "slave", "srcaddr", "team_config", "team_master",
    "team_port_config", "userctl", "uuid", "vlan", "vlan_id", "zone",
)  # fmt: skip
_HOOKS: Final = ("up_cmds", "pre_up_cmds", "post_up_cmds", "down_cmds", "pre_down_cmds", "post_down_cmds")

OF_INTERFACE: Final = frozenset({
    *_ADDRESS, *(f"{family}{word}" for family in ("ipv4", "ipv6") for word in _ADDRESS), *_WIRELESS, *_BOND,
    *_BRIDGE, *_ETHTOOL, *_PPPOE, *_IFCFG, *_HOOKS, "enable_ipv4", "enable_ipv6", "filename", "hotplug",
    "ipaddresses", "noifupdown", "source",
})  # fmt: skip
OF_ROUTES: Final = frozenset({"routes", "require_reboot", "apply_hostname", "hostname"})
OF_SYSTEM: Final = frozenset({
    "enabled", "hostname", "search", "apply_hostname", "require_reboot", "retain_settings", "gateway",
    "gatewaydev", "nisdomain", "networkdelay", "devtimeout", "nozeroconf", "networking_ipv6", "enable_ipv6",
    "ipv6gateway",
})  # fmt: skip
