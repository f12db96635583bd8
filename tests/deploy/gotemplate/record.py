"""Records what Go's own engine makes of the templates in `conformance.json`.

It takes Debian's packages `golang-go` and `golang-github-masterminds-sprig-dev`:
`python tests/deploy/gotemplate/record.py` writes the table anew. A case with `differs` keeps what ensue
gives.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE / "conformance.json"


def rendered_by_go(requests: list[dict[str, object]]) -> list[dict[str, str]]:
    """Return the output and the error of each template."""
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "TZ": "UTC"}
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder, "engine")
        subprocess.run(["go", "build", "-o", binary, HERE / "engine.go"], env=environment, check=True)
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        run = subprocess.run(
            [binary], input=lines, env=environment, capture_output=True, text=True, check=True
        )
    return [json.loads(line) for line in run.stdout.splitlines()]


def main() -> None:
    """Write the table anew."""
    cases = json.loads(TABLE.read_text())
    answers = rendered_by_go([{"Template": case_["template"], "Data": case_["data"]} for case_ in cases])
    for case, answer in zip(cases, answers, strict=True):
        if "differs" not in case:
            case["expected"] = None if answer["Error"] else answer["Output"]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    TABLE.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
