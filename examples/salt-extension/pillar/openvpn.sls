openvpn:
  address: vpn.example.org
  port: 1194
  protocol: udp
  network: 10.8.0.0
  netmask: 255.255.255.0
  routes:
    - 10.20.0.0 255.255.0.0
    - 10.30.0.0 255.255.0.0
  user: worker
  # In a project of your own this comes from somewhere safe.
  password: an-example-and-no-secret
