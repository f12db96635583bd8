base:
  '*':
    - displays
