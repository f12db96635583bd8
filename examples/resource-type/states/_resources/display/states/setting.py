"""State module `setting`, for displays."""


async def present(ctx, name, value):
    old = await ctx.call("setting.get", name)
    changes = {} if old == value else {name: {"old": old, "new": value}}
    if changes and not ctx.test:
        await ctx.call("setting.put", name, value)
    result = None if changes and ctx.test else True
    return {"name": name, "result": result, "changes": changes, "comment": f"{name} is {value!r}"}
