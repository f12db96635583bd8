"""Projects of the recorded corpora, with values of the run that are replaced by hostile ones.

A **unit** is one SLS or one of its delayed blocks. It is rendered with the real pillar and options of its
project, while every value of the run comes from a `Run`: grains, `prev_ret`, and what execution functions
return. Only functions that read and combine data are called, so no template changes this machine.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from tests.compat.trees import MINION_ID, OUT, all_trees
from tests.spec.cases import read_cases

from ensue.core.errors import EnsueError
from ensue.core.model.data import leaves, texts
from ensue.language.references.grammar import read_text
from ensue.language.targets.target_context import TargetContext, renderer_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from ensue.language.blocks import Block
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import SlsFile
    from ensue.language.targets.targets import Targets

ROOT = Path(__file__).resolve().parents[2]
READING = frozenset({"config", "defaults", "grains", "match", "pillar", "slsutil"})
WRITING = frozenset({"append", "delkey", "delval", "remove", "set", "setval"})

_FENCE = re.compile(r"^```(?:sls|yaml|jinja)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HARMLESS = ("wordone", "other2", "Q")
"""Harmless values of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """One project.

    Args:
        id: where it is from.
        files: path in the project to content.
        pillar: the pillar of the command line.
    """

    id: str
    files: Mapping[str, str]
    pillar: Mapping[str, Any] = field(default_factory=dict)

    def lay_out(self, root: Path) -> None:
        """Write the project below a folder."""
        for name, content in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(OUT, str(root / "out")).replace("$TMP", str(root)))


def all_corpora() -> list[Corpus]:
    """Return every project with a template: the compared trees, the specification, documents, examples."""
    corpora = [*_trees(), *_cases(), *_documents(), *_folders(), *_contexts()]
    return [corpus for corpus in corpora if any(map(_has_template, _sls(corpus.files)))]


def _trees() -> Iterator[Corpus]:
    for tree in all_trees():
        config = {"ensue.yaml": yaml.safe_dump(dict(tree.config))} if tree.config else {}
        yield Corpus(id=tree.id, files={**tree.files, **config}, pillar=tree.pillar)


def _cases() -> Iterator[Corpus]:
    for path in sorted((ROOT / "tests/spec").glob("*.md")):
        yield from (Corpus(id=case.id, files=case.files) for case in read_cases(path))


def _documents() -> Iterator[Corpus]:
    for path in sorted((ROOT / "docs").glob("*.md")):
        for number, text in enumerate(_FENCE.findall(path.read_text())):
            yield Corpus(id=f"{path.name} {number}", files={"states/t.sls": text})


def _folders() -> Iterator[Corpus]:
    for folder in [*(ROOT / "tests/salt/compare/trees").iterdir(), *(ROOT / "examples").iterdir()]:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        files = {str(path.relative_to(folder)): path.read_text(errors="replace") for path in paths}
        yield Corpus(id=f"{folder.parent.name}/{folder.name}", files=files)


def _contexts() -> Iterator[Corpus]:
    """Yield a project per place in an SLS, with an SLS per way to print a value there."""
    for number, context in enumerate(CONTEXTS):
        files = {
            f"states/t{place}.sls": context.replace("@@", expression).replace("@", f"{{{{ {expression} }}}}")
            for place, expression in enumerate(EXPRESSIONS)
        }
        yield Corpus(id=f"context {number}", files={**files, **SHARED})


def _sls(files: Mapping[str, str]) -> Iterator[str]:
    return (text for name, text in files.items() if name.startswith("states/") and name.endswith(".sls"))


def _has_template(text: str) -> bool:
    """Return whether an SLS prints a value that its author does not control."""
    if "| authored" in text:
        return False
    return "{{" in text or "{%" in text or text.startswith(("#!py", "#!mako"))


@dataclass(frozen=True, slots=True)
class Site:
    """Where a value of the run comes from: a grain, an execution function, or a key of `prev_ret`."""

    kind: str
    name: str


class Run:
    """The values of one run: harmless words, except one that is given.

    Args:
        services: the project.
        site: the value that is given; None: all are words.
        value: the given value.
    """

    def __init__(self, services: Targets, site: Site | None = None, value: str = "") -> None:
        self._real = TargetContext(services, services.minion, test=True).template_variables()
        self._site = site
        self._value = value
        self.seen: dict[Site, None] = {}

    def value(self, kind: str, name: str, word: Any = HARMLESS[0]) -> Any:
        """Return a value of the run."""
        site = Site(kind, name)
        if isinstance(word, str):
            self.seen[site] = None
        if site == self._site:
            return self._value
        return word

    def given(self, kind: str) -> dict[str, Any]:
        """Return the given value, if it is of a kind, by its name."""
        is_word = self._site is not None and self._site.kind == kind and not self._site.name.endswith("_json")
        return {self._site.name: self._value} if self._site is not None and is_word else {}

    def variables(self) -> dict[str, Any]:
        """Return what a template sees."""
        return {"grains": _Grains(self, self._real["grains"]), "salt": _Salt(self, self._real["salt"])}

    def prev_ret(self) -> dict[str, Any]:
        """Return the return of the state that calls a block."""
        return _PrevRet(self)


class _Grains(dict[str, Any]):
    def __init__(self, run: Run, real: Mapping[str, Any]) -> None:
        super().__init__({**real, **run.given("grain")})
        self._run = run

    def __getitem__(self, name: str) -> Any:
        return self._run.value("grain", name, super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401 (it would call itself)


class _PrevRet(dict[str, Any]):
    def __init__(self, run: Run) -> None:
        given = run.given("prev_ret")
        super().__init__({"result": True, "changes": {}, "new_state": _NewState(run), **given})
        self._run = run

    def __missing__(self, name: str) -> Any:
        return self._run.value("prev_ret", name)


class _NewState(dict[str, Any]):
    def __init__(self, run: Run) -> None:
        super().__init__(run.given("new_state"))
        self._run = run

    def __missing__(self, name: str) -> Any:
        value = self._run.value("new_state", name)
        return {"a": value, "list": [value, value]} if name.endswith("_json") else value

    def get(self, name: str, default: Any = None) -> Any:
        del default
        return self[name]


class _Salt(Mapping[str, Any]):
    def __init__(self, run: Run, real: Any) -> None:
        self._run = run
        self._real = real

    def __getitem__(self, name: str) -> Any:
        module, _, function = name.rpartition(".")
        if not module:
            return _Module(self, name)
        if module in READING and function not in WRITING and name not in ("grains.get", "grains.fetch"):
            return self._real[name]
        return lambda *_args, **_options: self._run.value("salt", name)

    def __getattr__(self, module: str) -> Any:
        if module.startswith("_"):
            raise AttributeError(module)
        return _Module(self, module)

    def __contains__(self, name: object) -> bool:
        return name in self._real

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class _Module:
    def __init__(self, salt: _Salt, module: str) -> None:
        self._salt = salt
        self._module = module

    def __getattr__(self, function: str) -> Any:
        if function.startswith("_"):
            raise AttributeError(function)
        return self._salt[f"{self._module}.{function}"]

    __getitem__ = __getattr__


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """An SLS, or one delayed block in it.

    Args:
        services: its project.
        file: the SLS.
        block: the block, with the rendering of the SLS.
        source: its text.
    """

    services: Targets
    file: SlsFile
    source: str
    block: tuple[Block, Stream] | None = None

    def rendered(self, run: Run) -> Stream:
        """Render it with the values of a run.

        Raises:
            EnsueError: it is refused.
        """
        own: SlsRenderer = renderer_of(self.services, self.services.minion, test=True)
        renderer = own.of_one_loading().seeing({**run.variables(), "prev_ret": run.prev_ret()})
        if self.block is None:
            return renderer.render_file(self.file)
        block, outer = self.block
        return renderer.render_block(block, self.file, outer.space, outer.exported if block.scoped else {})

    def sites(self) -> list[Site]:
        """Return the values of the run that its data depends on."""
        run = Run(self.services)
        data = self.rendered(run).data
        return [site for site in run.seen if any(self._differs(site, word, data) for word in HARMLESS)]

    def _differs(self, site: Site, word: str, data: Any) -> bool:
        try:
            return bool(self.rendered(Run(self.services, site, word)).data != data)
        except EnsueError:
            return False


def units(services: Targets, files: Mapping[str, str]) -> Iterator[Unit]:
    """Yield the SLS of a project that can be rendered, and their blocks."""
    for name in files:
        is_sls = name.startswith("states/") and name.endswith(".sls") and not name.endswith("top.sls")
        if not is_sls or not _has_template(files[name]):
            continue
        sls = name.removeprefix("states/").removesuffix(".sls").removesuffix("/init").replace("/", ".")
        file = services.stores.roots.find(sls, "base")
        if file is None:
            continue
        unit = Unit(services=services, file=file, source=files[name])
        stream = _tried(lambda unit=unit: unit.rendered(Run(services)))
        if stream is None:
            continue
        yield unit
        for block in stream.space.own.values():
            inner = Unit(services=services, file=file, source=block.inner.text, block=(block, stream))
            if _tried(lambda unit=inner: unit.rendered(Run(services))) is not None:
                yield inner


def _tried(render: Callable[[], Stream]) -> Stream | None:
    try:
        return render()
    except EnsueError:
        return None


# fmt: off
CONTEXTS = (
    "# A comment.\na:\n  test.nop:\n    - name: /d/@/c\n    - text: x\n",
    "# A comment.\na:\n  test.nop:\n    - name: @\n    - text: x\n",
    "a:\n  test.nop:\n    - name: 'x @ y'\n    - text: x\n",
    'a:\n  test.nop:\n    - name: "x @ y"\n    - text: x\n',
    "a:\n  test.nop:\n    - name: |\n        @\n        z\n    - text: x\n",
    "a:\n  test.nop:\n    - name: >-\n        q @ z\n    - text: x\n",
    "a:\n  test.nop:\n    - text: [x, @, y]\n    - other: {a: @, b: c}\n",
    "a:\n  test.nop:\n    - text: x  # @\n    - onlyif: 'true'\n",
    "a:\n  test.nop:\n    - text: b\n    - @: x\n",
    "@:\n  test.nop:\n    - onlyif: 'true'\n",
    "a:\n  test.nop:\n    - require: [{test: @}]\n    - text: x\n",
    "a:\n  test.nop:\n    - text: x\n    @\n",
    "a:\n  test.nop:\n    - text: x @\n        more\n",
    "a:\n  test.nop:\n    - text: ${test:@:x}\n    - two: __slot__:salt:test.echo(@)\n",
    '#!jinja|json\n{"a": {"test.nop": [{"text": "x @ y"}, {"onlyif": "true"}]}}\n',
    '#!jinja|json\n{"a": {"test.nop": [{"text": @}, {"onlyif": "true"}]}}\n',
    "#!jinja|yamlex\na:\n  test.nop:\n    - text: x @ y\n    - onlyif: 'true'\n",
    ("{% load_yaml as d %}\nx: 'a @ b'\ny: z\n{% endload %}\n"
     "a:\n  test.nop:\n    - text: {{ d.x }}\n    - two: {{ d }}\n"),
    ("{% macro m(v) %}- text: p {{ v }} q{% endmacro %}\n"
     "a:\n  test.nop:\n    {{ m(@@) | indent(4) }}\n    - two: x\n"),
    "{% set v %}p @ q{% endset %}\na:\n  test.nop:\n    - text: {{ v }}\n    - two: '{{ v }}'\n",
    ("{% import 'lib.jinja' as lib with context %}\n"
     "a:\n  test.nop:\n    - text: {{ lib.shown(@@) }}\n    - two: {{ lib.own }}\n"),
    "{% filter indent(8) %}a:\n  test.nop:\n    - text: x @ y\n{% endfilter %}\n",
    ("{% set l = [] %}{% do l.append(@@) %}"
     "a:\n  test.nop:\n    - text: {{ l }}\n    - two: {{ l | join(', ') }}\n"),
)
# fmt: on
"""Places in an SLS: `@` is a printed expression, `@@` the expression itself."""

EXPRESSIONS = (
    *("grains.id", "grains['id']", "salt['cmd.run']('x')", "prev_ret.new_state.v"),
    *("prev_ret.new_state.v_json", "grains.id | yaml_squote", "grains.id | yaml_dquote"),
    *("grains.id | yaml_encode", "grains.id | tojson", "grains.id | json", "grains.id | yaml"),
    *("[grains.id] | yaml(False)", "{'k': grains.id} | tojson", "{'k': grains.id} | yaml(False) | indent(4)"),
    *("{grains.id: 'v'} | json", "[grains.id]", "{'k': grains.id}", "grains.id | indent(8)"),
    *("{'k': grains.id} | dict_to_sls_yaml_params | indent(4)", "grains.id | python", "'x: ' ~ grains.id"),
    *("grains.id ~ ''", "'%s' % grains.id", "'{}'.format(grains.id)", "grains.id | upper"),
    *("grains.id | replace('a', 'b')", "'a' | replace('a', grains.id)", "[grains.id, 'x: y'] | join(' ')"),
    *("grains.id | string", "(grains.id, 'x')", "grains.id | quote", "pillar.none | default(grains.id)"),
    *("grains.id | regex_replace('a', 'b')", "grains.id | trim", "grains.id | e", "grains.id | first"),
)

SHARED = {
    "states/lib.jinja": "{% macro shown(v) %}'{{ v }} - x'{% endmacro %}{% set own = 'o ' ~ grains.id %}",
    "pillar/top.sls": "base: {'*': [p]}\n",
    "pillar/p.sls": "# A comment.\nnone: null\nquoted: \"'a: b'\"\n",
}

FIXED = (
    *(" #", "#", " # x", "x #y", "'", '"', "''", '"\'"', "\\", '\\"', "\n", "\n\n", " ", "\t", "\r\n- a: b"),
    *("- key: v", "\n- key: v", "\n    - onlyif: 'true'\n", "\n  test.nop: []", "\nevil:\n  test.nop: []\n"),
    *("x: y", ": ", ":", "x:", "? x", "&a b", "*a", "!!str x", "!x y", "---", "\n---\n", "...", "\n...\n"),
    *("%YAML 1.2", "{{ 1 }}", "{% raw %}", "{# x #}", "${test:a:b}", "$\\{test:a:b}", "$${x:y:z}"),
    *("__slot__:salt:test.echo(x)", "<<", "<<: *a", "|", ">", "|\n x", "> x", "[a", "a]", "]", "}", "{a: b"),
    *(
        ", b: c",
        ",",
        "[a, b]",
        "{a: b}",
        "`x`",
        "@x",
        "%x",
        "\x85x",
        "\u2028x",
        "#!py",
        "~",
        "null",
        "=",
        "-",
    ),
    *(
        "- ",
        "-\n",
        "', evil: 'b",
        '", evil: "b',
        "' #",
        '" #',
        "'\n- a: 'b",
        "\\n- a: b",
        "\\x0a- a: b",
        "'''",
    ),
)
"""Texts that mean something in YAML, Jinja or an SLS."""


def hostile(chance: random.Random, source: str) -> str:
    """Return a hostile text: a fixed one, a piece of the template, or a mixture."""
    match chance.randrange(6):
        case 0:
            return chance.choice(FIXED)
        case 1:
            return _piece(chance, source)
        case 2:
            return " ".join(_piece(chance, source).split())
        case 3:
            return f"w{chance.choice(FIXED)}" if chance.random() < 0.5 else f"{chance.choice(FIXED)}w"
        case 4:
            quote = chance.choice(("'", '"', ""))
            return f"{quote}{chance.choice(FIXED)}{_piece(chance, source)}{quote}"
        case _:
            return "".join(chance.choice(FIXED) for _ in range(chance.randint(2, 4)))


def _piece(chance: random.Random, source: str) -> str:
    if chance.random() < 0.5:
        lines = source.split("\n")
        first = chance.randrange(len(lines))
        text = "\n".join(lines[first : first + chance.randint(1, 4)])
        return text if chance.random() < 0.5 else text.strip()
    start = chance.randrange(max(len(source), 1))
    return source[start : start + chance.randint(1, 60)]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of data: IDs, functions and names of arguments as one text per place, and the other values.

    Args:
        skeleton: how many names there are, per level.
        names: the names, in order.
        values: the texts of arguments, by place.
        signs: the number of references and slots.
    """

    skeleton: Any
    names: tuple[str, ...]
    values: tuple[Any, ...]
    signs: int


def shape_of(data: Any) -> Shape:
    """Return the shape of an SLS's data."""
    names: list[str] = []
    values: list[Any] = []
    skeleton = _skeleton(data, 0, names, values)
    return Shape(skeleton, tuple(names), tuple(values), sum(map(_signs, texts(data, with_keys=True))))


def _skeleton(data: Any, level: int, names: list[str], values: list[Any]) -> Any:
    if isinstance(data, dict):
        if level == 3:  # The value of an argument.
            values.append(None)
            return "value"
        inner = []
        for key, value in data.items():
            names.append(str(key))
            inner.append(_skeleton(value, level + 1, names, values))
        return tuple(inner)
    if isinstance(data, list):
        if level == 3:
            values.append(None)
            return "value"
        return [_skeleton(item, level, names, values) for item in data]
    if level < 3:  # Also where YAML reads the whole word as null or a number.
        names.append(str(data))
        return "word"
    values.append(data)
    return "value"


def _signs(text: str) -> int:
    return sum(not isinstance(piece, str) for piece in read_text(text)) + text.startswith("__slot__:")


def difference(shape: Shape, harmless: list[Shape]) -> str:
    """Return how data differs from the data of harmless values; empty if it does not.

    A name may differ where harmless values have different names, too. A value has the author's text
    before and after the printed value.
    """
    same = [other for other in harmless if other.skeleton == shape.skeleton]
    if not same:
        return f"the structure {shape.skeleton} is none of {[other.skeleton for other in harmless]}"
    if shape.signs not in {other.signs for other in same}:
        return "there are other references or slots"
    for place, name in enumerate(shape.names):
        names = {other.names[place] for other in same}
        if len(names) == 1 and name not in names:
            return f"{name!r} is not {names}"
    for place, value in enumerate(shape.values):
        if reason := _cut(value, [other.values[place] for other in same]):
            return reason
    return ""


def _cut(value: Any, harmless: list[Any]) -> str:
    """Return what is missing of the author's text around a value."""
    if not all(isinstance(other, str) for other in harmless) or len(set(harmless)) == 1:
        return ""
    start, end = map(_bare, (_common(harmless), _common([other[::-1] for other in harmless])[::-1]))
    if not start and not end:
        return ""
    text = _bare(str(value))
    if text.startswith(start) and text.endswith(end):
        return ""
    return f"{value!r} does not have {start!r} before and {end!r} after the printed value"


def _bare(text: str) -> str:
    """Return a text without blanks, and without quotes: a serializer chooses them by what is in them."""
    return re.sub(r"[\s'\"]", "", text)


def _common(words: list[str]) -> str:
    shortest = min(words, key=len)
    for length in range(len(shortest), 0, -1):
        if len({word[:length] for word in words}) == 1:
            return shortest[:length]
    return ""


def harmless_of(value: str) -> list[str]:
    """Return what is left of a value without its signs, on several lines and on one.

    In some forms each sign is another letter, none of which values have: lines that become IDs differ then.
    """
    return [
        form
        for letters in ("x", "y", _NEVER_WRITTEN, _NEVER_WRITTEN[::-1])
        for form in (_lettered(r"[^\w\s]", letters, value), _lettered(r"\W", letters, value) or letters[0])
    ]


_NEVER_WRITTEN = "éñþðøæåëîõüčďěğķ"


def _lettered(signs: str, letters: str, value: str) -> str:
    turn = itertools.cycle(letters)
    return re.sub(signs, lambda _: next(turn), value)


__all__ = ["HARMLESS", "MINION_ID", "Corpus", "Run", "Shape", "Site", "Unit", "all_corpora", "leaves"]
