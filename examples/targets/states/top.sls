base:
  '*':
    - fleet
