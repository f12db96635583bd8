include:
  - web.site

web:
  test.configurable_test_state:
    - changes: true
    - result: {{ salt['pillar.get']('web:result', True) }}
    - comment: {{ salt.grains.get('role') }}
    - require:
      - test: last
