"""X.509 on a target: keys, signing requests, certificates, revocation lists and their file formats.

The target's `openssl` creates and uses private keys, so none leaves the target. Public data is parsed and
encoded here, with the library `cryptography`. The states of `x509` and the execution modules `x509` and `tls`
decide about files.
"""
