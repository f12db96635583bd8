# Starts a machine. The provider returns its identity (the fingerprint of its host key) and its address. The block writes both
# to an inventory here and, over SSH, to a file on the machine. `instance_gone` stops it.
instance:
  starting_state.deployed:
    - name: delayed-01
    - register_resources: true
    - delayed_render:
      - block: known

#!delayed_block known
{% set instance = prev_ret.new_state %}
inventory:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/{{ instance.name }}.json
    - makedirs: true
    # The first filter writes the file's JSON, the second one puts that text into the YAML.
    - contents: {{ {"id": instance.fingerprint, "address": instance.host ~ ":" ~ instance.port} | json | tojson }}

/etc/instance.json:
  ssh_host.send_file:
    - name: {{ instance.resource }}
    - local_path: {{ opts['root_dir'] }}/out/{{ instance.name }}.json
    - remote_path: /etc/instance.json
    - mode: '0644'
    - require:
      - file: inventory
#!end_delayed_block known
