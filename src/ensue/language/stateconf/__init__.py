"""The renderer `stateconf`: IDs that belong to their SLS, and values that one SLS sets for another.

`options` reads what stands behind its name, `names` makes whole names of those that begin with a dot,
`rewriting` does so in the data of an SLS and adds what its options ask for, `values` keeps what
`stateconf.set` has set. The stage that uses them is `renderers.stateconf_stage`.

Source: Salt's renderer `stateconf`, 3008.
"""
