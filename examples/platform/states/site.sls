# One apply: the resources of the shop, and the machine that is one of them, configured over SSH.
shop:
  graph.deployed:
    - app: shop
    - env: dev
    - env_type: development
    - score:
      - scores/web.yaml
      - scores/worker.yaml
    - render: kubernetes
    - render_to: rendered

# The definition of the machine has registered it under this name.
edge_proxy:
  ssh_host.state_applied:
    - name: edge-shop-dev
    - mods: proxy
    - require:
      - graph: shop

# Outputs of resources in a file on that machine: ${graph:…} is filled in once the resources exist.
edge_route:
  file.managed:
    - tgt: T@ssh_host:edge-shop-dev
    - name: /etc/proxy/routes/shop.conf
    - contents: |
        name    ${graph:shop:shared:shop:host}
        orders  ${graph:shop:shared:orders:name}
        jobs    ${graph:shop:worker:resources:jobs:name}
        server  ${graph:shop:worker:resources:jobs:host}
    - require:
      - ssh_host: edge_proxy
