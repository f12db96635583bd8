base:
  '*':
    - openvpn
    - resources
