# Writes a file and then asks the file system where on the disk it is: the physical blocks of every extent. On a file
# system without this information, such as tmpfs, it uses the inode.
{% set out = opts['root_dir'] ~ '/out' %}

record:
  file.managed:
    - name: {{ out }}/record.txt
    - makedirs: true
    - contents:
{%- for number in range(2000) %}
      - record {{ number }}
{%- endfor %}
    - delayed_render:
      - block: location

#!delayed_block location scoped
{% set file = prev_ret.name | quote %}
{% set extents = "PATH=$PATH:/usr/sbin:/sbin; filefrag -sv " ~ file ~ " 2>/dev/null | awk -F '[.: ]+' '$2 ~ /^[0-9]+$/ {print $5, $6}'" %}
location:
  file.managed:
    - name: {{ out }}/location.txt
    - contents:
      - device {{ salt['cmd.run']('stat --format %d ' ~ file) }}
      - inode {{ salt['cmd.run']('stat --format %i ' ~ file) }}
{%- for extent in salt['cmd.run'](extents, python_shell=true).splitlines() %}
      - blocks {{ extent.replace(' ', ' to ') }}
{%- endfor %}
#!end_delayed_block location
