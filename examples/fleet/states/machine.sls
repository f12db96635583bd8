include:
  - cluster

{% if grains['id'] == 'web-02' %}
# What makes a machine registers it, and the next state configures it in the same run. The type `dummy` is a folder
# of this minion; a real machine would be an `ssh_host`.
make machine:
  test.succeed_without_changes:
    - registers:
        - dummy:vm-01: {}

/etc/cluster-id:
  file.managed:
    - contents: cluster=${minion[db-01]:cmd:id:stdout}
    - makedirs: true
    - tgt: vm-01

{% elif grains['id'] == 'web-01' %}
# web-02 manages the machine, and calls this state on it for web-01.
/etc/user:
  file.managed:
    - contents: web-01
    - makedirs: true
    - tgt: vm-01
    - require:
      - 'minion[web-02]': {test: make machine}
{% endif %}
