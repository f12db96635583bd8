base:
  '*':
    - env
