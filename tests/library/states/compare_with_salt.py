"""Run the cases through real Salt and print where it returns something else than the case says.

    python -m tests.library.states.compare_with_salt /path/to/salt-call

It is no test: Salt is not installed where the tests run. Cases whose `salt` is not `same` are shown too,
so that what they say of Salt can be read beside what it does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from tests.library.states.case_files import Case, all_cases, content_of, lay_out


def placed(data: Any, case: Case, root: Path) -> Any:
    """Return data with the paths of a case moved below a folder."""
    text = json.dumps(data).replace("/srv", f"{root}/srv")
    if case.function == "file.managed":
        text = text.replace("/etc/", f"{root}/etc/")
    return json.loads(text)


def prepare(cases: list[Case], folder: Path) -> Path:
    tree = folder / "tree"
    tree.mkdir()
    declarations: dict[str, Any] = {}
    for number, case in enumerate(cases):
        root = folder / f"r{number}"
        (root / "etc").mkdir(parents=True)
        lay_out(root, placed(case.data.get("given", {}), case, Path()))
        for source, text in case.data.get("sources", {}).items():
            if source.startswith("salt://"):
                place = tree / f"r{number}" / source.removeprefix("salt://")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content_of(text))
        state = placed(case.data["state"], case, root)
        state = json.loads(json.dumps(state).replace("salt://", f"salt://r{number}/"))
        declarations[f"c{number:04}"] = {case.function: [{key: value} for key, value in state.items()]}
    dumped = yaml.safe_dump(declarations, sort_keys=False, default_flow_style=False)
    (tree / "cases.sls").write_text("#!yaml\n" + dumped)
    return tree


def salt_returns(program: str, cases: list[Case], *, test: bool) -> dict[int, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = prepare(cases, folder)
        pillar = {key: value for case in cases for key, value in case.data.get("pillar", {}).items()}
        done = subprocess.run(
            [program, "--local", "-c", str(folder), f"--file-root={tree}", "--out=json", "-l", "quiet",
             "--id", "target", "state.apply", "cases", f"test={test}", f"pillar={json.dumps(pillar)}"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        returns = json.loads(done.stdout[done.stdout.index('{\n    "local"') :])["local"]
        by_number = {int(tag.split("_|-")[1][1:]): value for tag, value in returns.items()}
        for number, value in by_number.items():
            text = (
                json.dumps(value).replace(f"{folder}/r{number}", "").replace(f"salt://r{number}/", "salt://")
            )
            by_number[number] = json.loads(text)
        return by_number


def differences(expected: dict[str, Any], got: dict[str, Any]) -> list[str]:
    changes = got["changes"]
    if isinstance(changes, dict) and "pid" in changes:
        changes["pid"] = 0
    lines = []
    if got["result"] != expected.get("result", True):
        lines.append(
            f"    result {got['result']} instead of {expected.get('result', True)}: {got['comment'][:300]}"
        )
    if "changes" in expected and changes != expected["changes"]:
        lines.append(f"    changes {changes}\n    instead {expected['changes']}")
    return lines


def main(program: str) -> int:
    cases = [case for case in all_cases() if not case.function.endswith("present")]
    cases = [case for case in cases if "not comparable" not in str(case.data.get("salt", ""))]
    unexpected = 0
    for test, what in ((True, "plan"), (False, "returns")):
        for number, got in sorted(salt_returns(program, cases, test=test).items()):
            case = cases[number]
            if what not in case.data:
                continue
            lines = differences(case.data[what], got)
            if not lines:
                continue
            same = case.data.get("salt") == "same"
            unexpected += same
            sys.stdout.write("\n".join([f"{'!!' if same else '  '} {case.title} [{what}]", *lines]) + "\n")
            if not same:
                sys.stdout.write(f"    said: {case.data.get('salt')}\n")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
