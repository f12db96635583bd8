# Runs on the jump host, over SSH, with the paths and grains of the jump host.
{% set vpn = pillar['openvpn'] %}

vpn_folder:
  file.directory:
    - name: /etc/openvpn
    - mode: '0755'

vpn_server_config:
  file.managed:
    - name: /etc/openvpn/server.conf
    - source: salt://openvpn/server.conf.j2
    - template: jinja
    - mode: '0644'
    - context:
        vpn: {{ vpn | tojson }}
    - require:
      - file: vpn_folder

# A secret that only the jump host knows: it is generated there, once. $ENSUE_ROOT is empty in a sandbox
# with a root of its own.
vpn_static_key:
  cmd.run:
    - name: umask 077 && head -c 32 /dev/urandom | base64 > "$ENSUE_ROOT/etc/openvpn/static.key"
    - creates: /etc/openvpn/static.key
    - require:
      - file: vpn_folder

# Secret, from pillar.
vpn_credentials:
  file.managed:
    - name: /etc/openvpn/credentials
    - contents: |
        {{ vpn['user'] }}
        {{ vpn['password'] }}
    - mode: '0600'
    - show_changes: false
    - require:
      - file: vpn_folder

# This template is rendered while the state runs, when the key exists.
vpn_client_config:
  file.managed:
    - name: /etc/openvpn/client.ovpn
    - source: salt://openvpn/client.ovpn.j2
    - template: jinja
    - mode: '0600'
    - show_changes: false
    - context:
        vpn: {{ vpn | tojson }}
    - require:
      - cmd: vpn_static_key
