# Salt looks for resources of the types that are named here. Their ids come from ensue.
resources:
  ssh_host: {}
