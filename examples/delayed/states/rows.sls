# Inserts accounts into a PostgreSQL database, which gives each of them a UUID. The block reads the rows and makes a folder
# for each one. `psql` connects to the database in PGHOST, PGUSER and PGDATABASE.
accounts:
  cmd.run:
    - name: |
        psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 <<'SQL'
        create table if not exists account (
            name text primary key,
            id uuid not null default gen_random_uuid()
        );
        insert into account (name) values ('ada'), ('grace'), ('edsger') on conflict do nothing;
        SQL
    - delayed_render:
      - block: folders

#!delayed_block folders
{% set query = "select name, id from account order by name" %}
{% for row in salt['cmd.run']('psql --no-psqlrc --csv --tuples-only --command "' ~ query ~ '"').splitlines() %}
{% set name, id = row.split(',') %}
folder of {{ name }}:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/accounts/{{ id }}/name
    - makedirs: true
    - contents: {{ name }}
{% endfor %}
#!end_delayed_block folders
