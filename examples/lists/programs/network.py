"""Makes a network in so many zones; which ones only this program knows."""

import json
import sys

request = json.load(sys.stdin)
zones = {f"zone-{letter}": {"cidr": f"10.0.{number}.0/24"} for number, letter in enumerate("abcdef")}
if request["operation"] in {"create", "update"}:
    chosen = list(zones)[: request["values"]["count"]]
    print(json.dumps({"values": {"zones": {name: zones[name] for name in chosen}}}))
else:
    print("{}")
