# Starts two machines. Each state below runs on both, although they did not exist when this apply began: ensue evaluates a
# target when its state is about to run. `gone` stops the machines.
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

# Rendered once for each machine, with the grains of that machine and the return of the state there as prev_ret.
#!delayed_block inventory delayed_repeat_limit=None
here:
  file.managed:
    - name: /etc/checked
    - contents: {{ (grains.id ~ ": " ~ prev_ret.new_state.stdout) | tojson }}
#!end_delayed_block

# A reference selects the result of one machine by its id.
{{ opts['root_dir'] }}/out/green.txt:
  file.managed:
    - contents: green counted ${cmd:check[jumphost-green]:stdout}
    - makedirs: true
    - tgt: {{ opts['id'] }}

# No resource matches, and with tgt_optional none has to.
printers:
  test.nop:
    - tgt: T@ssh_host:printer-*
    - tgt_optional: true
