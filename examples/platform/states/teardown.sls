# Removes everything that deployments of this environment have provisioned, in reverse order.
shop:
  graph.destroyed:
    - app: shop
    - env: dev
