# Removes everything that deployments of these environments have provisioned, in reverse order.
{% for env in ["dev", "staging"] %}
shop-{{ env }}:
  graph.destroyed:
    - app: shop
    - env: {{ env }}
{% endfor %}
