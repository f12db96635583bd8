"""Environments out of a pool of machines: `lab.json` lists them, and who has which."""

import json

from ensue.plugin import Environment, StateFailedError


async def observe(request):
    reserved = _machine(request, request.name)
    return Environment(status="succeeded" if reserved else "absent")


async def deploy(request):
    free = _machine(request, request.name) or _machine(request, None)
    if free is None:
        return Environment(status="failed", comment="all machines of the lab are taken")
    _reserve(request, free, request.name)
    return Environment(status="succeeded", details={"machine": free})


async def connection_info(request):
    machine = _machine(request, request.name)
    if machine is None:
        raise StateFailedError(f"{request.name} has no machine")
    return _pool(request)[machine]["connect"]


async def destroy(request):
    if machine := _machine(request, request.name):
        _reserve(request, machine, None)
    return Environment(status="absent")


def _pool(request):
    return json.loads((request.root / "lab.json").read_text())


def _machine(request, user):
    return next((name for name, one in _pool(request).items() if one["user"] == user), None)


def _reserve(request, machine, user):
    pool = _pool(request)
    pool[machine]["user"] = user
    (request.root / "lab.json").write_text(json.dumps(pool, indent=2))
