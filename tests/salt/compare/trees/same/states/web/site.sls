site:
  test.succeed_with_changes:
    - names:
      - one
      - two:
        - order: 1
last:
  test.succeed_without_changes:
    - onchanges:
      - test: site

web-stop:
  test.nop:
    - prereq:
      - test: web-replace

web-replace:
  test.succeed_without_changes: []
