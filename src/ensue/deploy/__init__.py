"""The resource graph: from Score files and definitions to resources that drivers provision.

The engine runs what is provisioned here: a resource is a state (`provisioning.lowering`). What is kept of
deployments is in `store`. Within this room are also `deploy.drivers`, the drivers that ensue ships, and
`deploy.kubernetes`, access to a cluster.

Doors:
- `deploy.provisioning`: deployment sets, definitions, the graph, and one resource's way to its driver.
- `deploy.drivers.loading`: drivers by name, with their documentation.
- `deploy.environments`: the run of a deployment, from its files to its report.
- `deploy.gotemplate`: Go templates, with Sprig.
"""
