# Generates a random key. The configuration of the application needs its fingerprint and its hash.
{% set out = opts['root_dir'] ~ '/out' %}

{{ out }}:
  file.directory:
    - makedirs: true

key:
  cmd.run:
    - name: ssh-keygen -q -t ed25519 -N '' -C deploy -f '{{ out }}/deploy_key'
    - creates: {{ out }}/deploy_key
    - delayed_render:
      - block: trust

#!delayed_block trust scoped
{% set public = out ~ '/deploy_key.pub' %}
trust:
  file.managed:
    - name: {{ out }}/app.conf
    - contents:
      - trusted_key = {{ salt['cmd.run']('ssh-keygen -lf ' ~ public).split()[1] }}
      - key_sha256 = {{ salt['file.get_hash'](public, 'sha256') }}
#!end_delayed_block trust
