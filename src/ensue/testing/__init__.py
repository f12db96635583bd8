"""Public fakes and contract suites for authors of plug-ins; nothing in production imports this package.

`connection_contract` is the suite that every Connection must pass, `connection` a fake one in memory,
`type_contract` the suite of a resource type, `driver_contract` that of a driver, `driver` makes requests to
one, `context` is the `ctx` of a state function, `registry` derived resources in a dict.
"""
