"""State functions that a tree brings along."""


def kept(name: str, value: int) -> dict[str, object]:
    """Find that all is well."""
    asked = __salt__["answers.everything"]()  # noqa: F821 (the loader sets it)
    return {"name": name, "result": True, "changes": {}, "comment": f"{value} of {asked}"}
