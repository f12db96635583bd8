"""Public fakes and contract suites for authors of plug-ins; nothing in production imports this package.

`connection_contract` is the suite that every Connection must pass, `connection` a fake one in memory,
`context` the `ctx` of a state function, `registry` derived resources in a dict.
"""
