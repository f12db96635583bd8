"""Execution module `setting`, for displays."""


def get(ctx, key):
    return ctx.connection.settings().get(key)


def put(ctx, key, value):
    ctx.connection.change(**{key: value})
