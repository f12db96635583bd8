first:
  test.nop: []
second:
  test.nop:
    - require_in:
      - id: first
