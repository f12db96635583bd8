# Formatting gives every volume a UUID that nobody can know before. The command stands in for that: it generates its
# answer once, and repeats it from then on.
volumes:
  cmd.run:
    - name: |
        mkdir -p {{ opts['root_dir'] }}/out
        cd {{ opts['root_dir'] }}/out
        test -e volumes.json || printf '{"data": "%s", "logs": "%s"}' $$-1 $$-2 > volumes.json
        cat volumes.json
    - delayed_render:
      - block: mounts
      - sls: report

{% set options = "noatime" %}

#!delayed_block mounts scoped
{% for volume, uuid in prev_ret.new_state.stdout_json.items() %}
mount unit of {{ volume }}:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/{{ volume }}.mount
    - contents: |
        [Mount]
        What=/dev/disk/by-uuid/{{ uuid }}
        Options={{ options }}
    - delayed_render:
      - block: checked

  #!delayed_block checked delayed_repeat_limit=None
  {{ prev_ret.name }} is there:
    file.exists:
      - name: {{ prev_ret.name }}
  #!end_delayed_block checked
{% endfor %}
#!end_delayed_block mounts
