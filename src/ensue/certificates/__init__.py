"""X.509 on a target: keys, requests, certificates, revocation lists and the forms in which files hold them.

Keys are made and used by the target's own `openssl`, so that none leaves the target; what is public is read
and encoded here, by the library `cryptography`. Which file has what is a matter of the states of `x509` and
of the execution modules `x509` and `tls`.
"""
