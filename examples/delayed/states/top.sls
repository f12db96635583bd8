base:
  '*':
    - volumes
