twice:
  test.nop: []
twice:
  test.nop: []
