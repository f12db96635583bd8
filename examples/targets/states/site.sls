# For the machines themselves: `ensue apply --tgt 'T@ssh_host:jumphost-*' site`. It is rendered once for each machine, with the
# grains of that machine.
/etc/site:
  file.managed:
    - contents: {{ grains.id }} runs {{ grains.kernel }}

check:
  test.show_notification:
    - text: wrote ${file:/etc/site:path}
