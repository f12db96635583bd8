# Runs on the edge machine, over SSH, with the paths and grains of that machine.
proxy_routes:
  file.directory:
    - name: /etc/proxy/routes
    - makedirs: true

proxy_settings:
  file.managed:
    - name: /etc/proxy/proxy.conf
    - contents: |
        # {{ grains['id'] }}, a {{ grains['kernel'] }} host. Written by ensue: changes here are overwritten.
        include routes/*.conf
    - require:
      - file: proxy_routes
