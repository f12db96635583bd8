"""Keeps IAM policies and roles as JSON files, in place of a cloud: a program of the driver `command`."""

import json
import sys
from pathlib import Path

FOLDER = Path("machine/srv/iam")
ACCOUNT = "000000000000"


def provision(request):
    path, document = wanted(request)
    # Keep the cookie before anything is made, so that the next call finds what a killed create has made.
    print(json.dumps({"keep": {"path": str(path)}}), flush=True)
    if not sys.stdin.readline():
        sys.exit("the path was not stored, so nothing was written")
    old = (request["cookie"] or {}).get("path")
    if old and old != str(path):
        Path(old).unlink(missing_ok=True)
    changed = content(path) != document
    if changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document)
    kind = path.parent.name
    return {
        "values": {"name": path.stem, "arn": f"arn:aws:iam::{ACCOUNT}:{kind}/{path.stem}"},
        "changed": changed,
        "comment": f"the {kind} {path.stem} {'was written' if changed else 'is as it should be'}",
    }


def plan(request):
    path, document = wanted(request)
    would_change = content(path) != document
    verb = "write" if would_change else "keep"
    return {"comment": f"would {verb} the {path.parent.name} {path.stem}", "would_change": would_change}


def delete(request):
    if request["cookie"]:
        Path(request["cookie"]["path"]).unlink(missing_ok=True)
    return {}


def wanted(request):
    """Return the path of a policy or role, and what is to be in the file."""
    values, context = request["values"], request["context"]
    if request["resource"]["type"] == "aws-policy":
        path = FOLDER / "policy" / f"{values['db_name']}.json"
        resource = f"arn:aws:rds-db:::dbuser:*/{values['db_name']}"
        document = {"Effect": "Allow", "Action": "rds-db:connect", "Resource": resource}
    else:
        workload = values["workload"].removeprefix("modules.")
        path = FOLDER / "role" / f"{context['app.id']}-{context['env.id']}-{workload}.json"
        document = {"AttachedPolicies": values["policies"]}
    return path, json.dumps(document, indent=2) + "\n"


def content(path):
    return path.read_text() if path.exists() else None


operations = {"create": provision, "update": provision, "delete": delete, "plan": plan}
request = json.loads(sys.stdin.readline())
print(json.dumps(operations[request["operation"]](request)))
