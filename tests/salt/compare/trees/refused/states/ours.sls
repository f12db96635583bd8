ordered:
  test.nop:
    - order: [1]
