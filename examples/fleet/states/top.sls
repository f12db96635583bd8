base:
  '*':
    - cluster
