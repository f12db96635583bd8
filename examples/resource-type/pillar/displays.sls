share: {{ opts['root_dir'] }}/share
