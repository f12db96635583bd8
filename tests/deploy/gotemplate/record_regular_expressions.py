r"""Records what RE2 makes of random regular expressions in `regular_expressions.json`.

It takes the package `google-re2`, which nothing else needs:
`python -m tests.deploy.gotemplate.record_regular_expressions` writes the table anew.
RE2 has Go's syntax and preferences. It reads bytes, so `\B` in the middle of a character is left out.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("regular_expressions.json")
CASES = 1500
CHARS = "aAbBcékKsS\u017fßẞÉ1_ -.\n\tx,{}d"
PIECES = [
    *(
        "a",
        "b",
        "c",
        "A",
        "é",
        "É",
        "ß",
        "K",
        "k",
        "s",
        "\u017f",
        "1",
        "_",
        " ",
        "\n",
        "-",
        ".",
        "^",
        "$",
        "|",
    ),
    *("(", ")", "(?:", "(?i)", "(?i:", "(?m)", "(?s)", "(?U)", "(?-i)", "(?im-s:", "(?P<n>", "(?<x>"),
    *("*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{,2}", "{2,1}", "{0}", "{01}", "{1001}"),
    *("[", "]", "[^", "[a-c]", "[^a]", "[]a]", "[^]a]", "[a-]", "[-a]", "[[:alpha:]]", "[[:^alpha:]]"),
    *("[[:foo:]]", r"[\d_]", r"[^\w]", r"[a-\d]", r"[\pL]", r"[^\PL]", "[z-a]", r"[\x41-\x43]", r"[b\-c]"),
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B", r"\A", r"\z", r"\Z", r"\pL", r"\PL", r"\p{Lu}"),
    *(r"\p{^Lu}", r"\P{^Lu}", r"\p{Any}", r"\pN", r"\Qa.b\E", r"\Q", r"\E", r"\x41", r"\x{e9}"),
    *(r"\x{110000}", r"\x4", r"\101", r"\07", r"\0", r"\1", r"\8", r"\_", r"\-", r"\é", r"\n", r"\t", r"\a"),
    *(r"\v", "\\", r"\i", "(|a)", "(a|)", "(a*)*", "(a*)+", "(a?){2,3}", "(a|ab)(c|bcd)", "{", "}", ","),
    *("(?", "(?P<", "(?=", "(?P=n)", r"\u0041", "()", "(?:)", "x*", "#"),
]


def random_case(source: random.Random) -> tuple[str, str]:
    """Return an expression, which may be broken, and a text."""
    pattern = "".join(source.choice(PIECES) for _ in range(source.randint(1, 6)))
    text = "".join(source.choice(CHARS) for _ in range(source.randint(0, 8)))
    return pattern, text


def groups_in_re2(pattern: str, text: str) -> Any:
    """Return the begin and end of each group, null without a match, "refused" for a broken expression."""
    import re2  # type: ignore[import-not-found] # pyright: ignore[reportMissingImports]

    options: Any = re2.Options()
    options.log_errors = False
    try:
        match = re2.compile(pattern, options=options).search(text)
    except re2.error:
        return "refused"
    return [list(match.span(number)) for number in range(match.re.groups + 1)] if match else None


def main() -> None:
    """Write the table anew."""
    source = random.Random(1)  # noqa: S311 -- the same cases each time
    cases: list[list[Any]] = []
    refused = 0
    while len(cases) < CASES:
        pattern, text = random_case(source)
        if "\\B" in pattern and not text.isascii():
            continue
        answer = groups_in_re2(pattern, text)
        refused += answer == "refused"
        if answer != "refused" or refused < CASES / 5:
            cases.append([pattern, text, answer])
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    TABLE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
