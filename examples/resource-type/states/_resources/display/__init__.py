"""Information displays: each reads `settings.json` in a folder of its own on a share."""

import json
from pathlib import Path


def check(config):
    return [] if isinstance(config.get("folder"), str) else ["`folder` is missing"]


def discover(opts):
    share = Path(opts["pillar"].get("share", "/nonexistent"))
    return {file.parent.name: {"folder": str(file.parent)} for file in share.glob("*/settings.json")}


class Display:
    def __init__(self, folder):
        self.file = Path(folder, "settings.json")

    def settings(self):
        return json.loads(self.file.read_text())

    def change(self, **settings):
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.settings() | settings, indent=2) + "\n")
        new.replace(self.file)


def connect(context):
    return Display(context.config["folder"])


def ping(connection):
    return connection.file.is_file()


def grains(connection):
    return {"model": connection.settings().get("model", "unknown")}
