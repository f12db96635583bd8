# Removes everything that deployments of this environment have made, in reverse order.
shop:
  graph.destroyed:
    - app: shop
    - env: dev
