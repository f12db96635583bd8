# Removes what the other files make, on each minion.
{{ salt['config.get']('cluster_folder', '/etc/cluster') }}:
  file.absent
