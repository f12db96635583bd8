"""State functions of a tree."""


def kept(name: str, value: int) -> dict[str, object]:
    """Succeed without changes."""
    asked = __salt__["answers.everything"]()  # noqa: F821 (the loader sets it)
    return {"name": name, "result": True, "changes": {}, "comment": f"{value} of {asked}"}
