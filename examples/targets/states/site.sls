# For the machines themselves: `ensue apply --tgt 'T@ssh_host:jumphost-*' site`. It is rendered once for each of them, and so
# grains are its own.
/etc/site:
  file.managed:
    - contents: {{ grains.id }} runs {{ grains.kernel }}

check:
  test.show_notification:
    - text: wrote ${file:/etc/site:path}
