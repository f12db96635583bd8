# Runs on the jump host, over SSH: paths are the jump host's, and so are the grains.
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

# Secret, and known to the jump host alone: made there, once. $ENSUE_ROOT is empty in a sandbox that has
# a root of its own.
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

# Rendered while the state runs, not before: only then is there a key to read.
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
