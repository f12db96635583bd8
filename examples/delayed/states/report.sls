#!delayed_sls

report:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/report.txt
    - contents:
{%- for volume, uuid in prev_ret.new_state.stdout_json | dictsort %}
      - {{ volume }} has the UUID {{ uuid }}
{%- endfor %}
