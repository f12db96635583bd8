ensure_environment:
  starting_state.deployed:
    - name: env-01
    - register_resources: true

configure_jumphost_vpn:
  ssh_host.state_applied:
    - name: jumphost-env-01
    - mods: openvpn.init
    - require:
        - starting_state: ensure_environment

fetch_client_config:
  ssh_host.fetch_file:
    - name: jumphost-env-01
    - remote_path: /etc/openvpn/client.ovpn
    - local_path: /root/env-01-vpn.ovpn
    - require:
        - ssh_host: configure_jumphost_vpn
