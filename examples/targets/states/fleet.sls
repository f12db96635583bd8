# Two machines are started. Each state below runs on both, though nobody knew of them when this apply began: a target is
# looked for when its state's turn has come. `gone` stops the machines.
machines:
  starting_state.deployed:
    - names: [blue, green]
    - register_resources: true

/etc/motd:
  file.managed:
    - source: salt://motd
    - template: jinja
    - tgt: 'T@ssh_host:jumphost-*'

check:
  cmd.run:
    - name: grep -c welcome "$ENSUE_ROOT/etc/motd"
    - tgt: 'T@ssh_host:jumphost-*'
    - require:
      - file: /etc/motd
    - delayed_render:
      - block: inventory

# Rendered once for each machine, on that machine: grains are its own, prev_ret is what it said.
#!delayed_block inventory delayed_repeat_limit=None
here:
  file.managed:
    - name: /etc/checked
    - contents: {{ (grains.id ~ ": " ~ prev_ret.new_state.stdout) | tojson }}
#!end_delayed_block

# One of several is bound by naming it.
{{ opts['root_dir'] }}/out/green.txt:
  file.managed:
    - contents: green counted ${cmd:check[jumphost-green]:stdout}
    - makedirs: true
    - tgt: {{ opts['id'] }}

# Nothing of this type is there, and need not be.
printers:
  test.nop:
    - tgt: T@ssh_host:printer-*
    - tgt_optional: true
