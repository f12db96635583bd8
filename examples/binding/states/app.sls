# `settings` stands first and runs second: it is bound to what `database` returns.
settings:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/app.conf
    - makedirs: true
    - contents: |
        primary = ${cmd:database:stdout_json:nodes[0]:host}:${cmd:database:stdout_json:port}
        replicas = ${cmd:database:stdout_json:nodes[*]:host}

# Stands for whatever creates something and says what came of it.
database:
  cmd.run:
    - name: >-
        echo '{"port": 5432, "nodes": [{"host": "db-1"}, {"host": "db-2"}]}'

receipt:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/app.conf.sha256
    - contents: ${file:settings:sha256} of ${file:settings:size} bytes
