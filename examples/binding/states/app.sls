# `settings` comes first in the file and runs second, because it is bound to the result of `database`.
settings:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/app.conf
    - makedirs: true
    - contents: |
        primary = ${cmd:database:stdout_json:nodes[0]:host}:${cmd:database:stdout_json:port}
        replicas = ${cmd:database:stdout_json:nodes[*]:host}

# Stands in for anything that creates something and reports on it.
database:
  cmd.run:
    - name: >-
        echo '{"port": 5432, "nodes": [{"host": "db-1"}, {"host": "db-2"}]}'

receipt:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/app.conf.sha256
    - contents: ${file:settings:sha256} of ${file:settings:size} bytes
