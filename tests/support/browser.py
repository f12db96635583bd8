"""A real browser without a window: Chromium, which loads a page and tells what became of it."""

from __future__ import annotations

import functools
import html
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "chromium-headless-shell"
"""Debian's package, the smallest one with a browser in it."""

_PROGRAMS = (PACKAGE, "chromium", "chromium-browser", "google-chrome")
_LONGEST_S = 300
_ANSWER = re.compile(r'<pre id="answer">(.*?)</pre>', re.DOTALL)


@functools.cache
def program() -> str | None:
    """Return the browser's program; None where there is none."""
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), None)


def answer_of(script: str, data: Any, folder: Path) -> Any:
    """Return what a script gives in a page.

    Args:
        script: the body of a JavaScript function that takes `data`; what it returns has to fit into JSON.
        data: what it is given.
        folder: where the page and the browser's profile may lie.
    """
    # A text in a script must not look like the script's end.
    given = json.dumps(data).replace("<", "\\u003c")
    page = folder / "page.html"
    page.write_text(f"""<!DOCTYPE html><meta charset="utf-8"><body><pre id="answer"></pre><script>
let answer
try {{ answer = ((data) => {{ {script} }})({given}) }} catch (error) {{ answer = {{error: String(error)}} }}
document.getElementById("answer").textContent = JSON.stringify(answer)
</script>""")
    # Chromium's own sandbox refuses root, and a container may have little shared memory.
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]
    command = [str(program()), *options, f"--user-data-dir={folder / 'profile'}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LONGEST_S)
    match = _ANSWER.search(done.stdout)
    assert match, f"the browser showed no answer: {done.stdout[-500:]} {done.stderr[-500:]}"
    return json.loads(html.unescape(match[1]))
