{% set folder = salt['config.get']('cluster_folder', '/etc/cluster') %}

{{ folder }}:
  file.directory

{% if grains['id'] == 'db-01' %}
# The id of the cluster is made once, on this minion.
make id:
  cmd.run:
    - name: head -c 8 /dev/urandom | od -An -tx1 | tr -dc 0-9a-f > {{ folder }}/made
    - creates: {{ folder }}/made
id:
  cmd.run:
    - name: cat {{ folder }}/made
{%- if salt['file.file_exists'](folder ~ '/made') %}
    - read_only: true # so that plans know the id, now that there is one
{%- endif %}
    - require:
      - make id
{% endif %}

# On all minions, db-01 included.
{{ folder }}/id:
  file.managed:
    - contents: cluster=${minion[db-01]:cmd:id:stdout}

joined:
  cmd.run:
    - name: echo joined $(cat {{ folder }}/id) >> {{ folder }}/log
    - onchanges:
      - {{ folder }}/id
