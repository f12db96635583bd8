"""What the template drivers share: everything but the language that templates are written in.

`steps` provisions, `inputs` reads what a definition gives, `language` is the interface of a language, `jinja`
and `go` are the two languages, `rendered` reads as YAML what a template renders to.
"""
