"""Delayed rendering in whole runs: what is reported, what is counted, what is fresh, and where it ends."""

from __future__ import annotations

import logging
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.language.renderers.rendering import SlsRenderer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.returns import Return
    from ensue.language.renderers.stage import Stream

EXAMPLE = Path(__file__).parents[2] / "examples/delayed"
NESTED = """
a:
  test.nop:
    - delayed_render: [block: x, block: x]
b: test.nop
#!delayed_block x delayed_repeat_limit=2
n:
  test.nop:
    - delayed_render: [block: y]
#!delayed_block y delayed_repeat_limit=2
z: test.nop
#!end_delayed_block
#!end_delayed_block
"""


def all_returns(returns: Mapping[str, Return]) -> Iterator[Return]:
    for returned in returns.values():
        yield returned
        for entry in returned.delayed:
            yield from all_returns(entry.returns)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    """A tag and a line of renderers on the first line are found behind the mark that some editors write."""
    write(tmp_path, states__t="", states__late="")
    mark = b"\xef\xbb\xbf"
    (tmp_path / "states/t.sls").write_bytes(
        mark + b"#!delayed_block x\nn: test.nop\n#!end_delayed_block\n"
        b"a:\n  test.nop:\n    - delayed_render: [block: x, sls: late]\n"
    )
    (tmp_path / "states/late.sls").write_bytes(mark + b"#!py\ndef run():\n    return {'l': 'test.nop'}\n")
    assert [returned.id for returned in all_returns(apply(tmp_path, "t").returns)] == ["a", "n", "l"]


def test_the_shape_of_what_is_reported(tmp_path: Path) -> None:
    """Each entry has its keys, each return its scope; numbers go on through all scopes in order of start."""
    write(tmp_path, states__t=NESTED)
    returns = apply(tmp_path, "t").returns
    numbered = [(returned.run_num, returned.scope, returned.id) for returned in all_returns(returns)]
    assert numbered == [
        (0, "", "a"),
        (1, "a/x", "n"),
        (2, "a/x/n/y", "z"),
        (3, "a/x#2", "n"),
        (4, "a/x#2/n/y", "z"),
        (5, "", "b"),
    ]
    first, second = returns["test_|-a_|-a_|-nop"].as_data()["delayed"]
    assert second["scope"] == "a/x#2"
    tag = "test_|-n_|-n_|-nop"
    inner = first["returns"].pop(tag)
    assert first == {
        "kind": "block",
        "name": "x",
        "scope": "a/x",
        "status": "done",
        "comment": "",
        "returns": {},
    }
    assert (inner["__scope__"], inner["__run_num__"], inner["__sls__"]) == ("a/x", 1, "t")


def test_a_chain_of_sixty_nested_blocks(tmp_path: Path) -> None:
    """Sixty blocks that stand in each other are rendered one after the other."""
    deep = 60
    opening = "".join(
        f"#!delayed_block b{n}\ns{n}:\n  test.nop:\n    - delayed_render: [block: b{n + 1}]\n"
        for n in range(deep)
    )
    ends = "".join(f"#!end_delayed_block b{n}\n" for n in reversed(range(deep)))
    innermost = f"#!delayed_block b{deep}\nlast: test.nop\n#!end_delayed_block b{deep}\n"
    write(
        tmp_path, states__t=f"s:\n  test.nop:\n    - delayed_render: [block: b0]\n{opening}{innermost}{ends}"
    )
    report = apply(tmp_path, "t")
    ids = [returned.id for returned in all_returns(report.returns)]
    assert ids == ["s", *(f"s{n}" for n in range(deep)), "last"]
    assert report.exit_code == 0


def test_mutual_recursion_without_limits_ends(tmp_path: Path) -> None:
    """Two SLS that call each other without a limit end at the depth limit, with their names."""
    tag = "#!delayed_sls delayed_repeat_limit=None\n"
    state = "{0}:\n  test.nop:\n    - delayed_render: [sls: {1}]\n"
    write(
        tmp_path,
        states__t="a:\n  test.nop:\n    - delayed_render: [sls: one]\n",
        states__one=tag + state.format("x", "two") + state.format("y", "two"),
        states__two=tag + state.format("x", "one") + state.format("y", "one"),
    )
    report = apply(tmp_path, "t")
    failed = [
        entry.comment
        for returned in all_returns(report.returns)
        for entry in returned.delayed
        if entry.status == "failed"
    ]
    assert report.exit_code == 2
    assert "65 deep" in failed[0]
    assert "states/two.sls" in failed[0] or "states/one.sls" in failed[0]
    assert len(failed) == 65


def test_blocks_that_nobody_calls_are_listed_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At debug level the log names what no state called for; what one that failed called for was called."""
    unused = "#!delayed_block unused\nx: test.nop\n#!end_delayed_block\n"
    failed = "f:\n  test.fail_without_changes:\n    - delayed_render: [block: g]\n"
    failed += "#!delayed_block g\n#!end_delayed_block\n"
    write(tmp_path, states__t=f"{NESTED}{unused}{failed}")
    with caplog.at_level(logging.DEBUG):
        apply(tmp_path, "t")
    dropped = [record.getMessage() for record in caplog.records if "dropped" in record.getMessage()]
    assert dropped == ["the delayed block unused (states/t.sls:14:1) was called by no state and is dropped"]


def test_what_a_template_does_to_prev_ret_stays_there(tmp_path: Path) -> None:
    """A block that changes `prev_ret` in place changes nothing in the results."""
    sls = (
        "a:\n  test.present:\n    - new_state: {deep: [1]}\n    - delayed_render: [block: x]\n"
        "#!delayed_block x\n{% do prev_ret.new_state.deep.append(2) %}\n"
        "{% do prev_ret.update(result=False) %}\nb: test.nop\n#!end_delayed_block\n"
    )
    write(tmp_path, states__t=sls)
    (a,) = apply(tmp_path, "t").returns.values()
    assert (a.result, a.new_state) == (True, {"deep": [1]})


def test_concurrent_mode_renders_beside_what_does_not_wait(tmp_path: Path) -> None:
    """Without order, states that do not require the caller run while its blocks do."""
    sls = """
a:
  test.nop:
    - delayed_render: [block: one, block: two]
b:
  test.nop:
    - require: [test: a]
#!delayed_block one
x:
  cmd.run:
    - name: for i in 1 2 3 4 5 6 7 8 9 10; do test -e {0}/c && exit 0; sleep 0.2; done; exit 1
#!end_delayed_block
#!delayed_block two
y: test.nop
#!end_delayed_block
c:
  cmd.run:
    - name: touch {0}/c
"""
    write(tmp_path, states__t=sls.replace("{0}", str(tmp_path)))
    (tmp_path / "ensue.yaml").write_text("state_auto_order: false\n")
    report = apply(tmp_path, "t")
    assert report.exit_code == 0
    number = {returned.id: returned.run_num for returned in all_returns(report.returns)}
    assert number["a"] < number["x"] < number["y"] < number["b"]
    assert number["c"] < number["y"]


def test_the_example(tmp_path: Path) -> None:
    """The example brings everything about in one apply; a second one changes no file."""
    shutil.copytree(EXAMPLE, tmp_path / "project")
    first, second = apply(tmp_path / "project"), apply(tmp_path / "project")
    assert (first.exit_code, second.exit_code) == (0, 0)
    made = [
        returned.name
        for returned in all_returns(first.returns)
        if returned.changes and returned.module == "file"
    ]
    assert [name.rpartition("/")[2] for name in made] == ["data.mount", "logs.mount", "report.txt"]
    assert [returned.id for returned in all_returns(second.returns) if returned.changes] == ["volumes"]


def test_lines_that_end_as_on_windows(tmp_path: Path) -> None:
    """Tags are found where lines end in CR LF, names have no CR, and faults have the line of the file."""
    write(tmp_path, states__t="", states__part="")
    lines = [
        '{% include "part.sls" %}',
        "a:",
        "  test.nop:",
        "    - delayed_render: [block: x, block: of_part, block: broken]",
        "#!delayed_block x",
        "n: test.nop",
        "#!end_delayed_block x",
        "#!delayed_block broken",
        "n:",
        "  test.nopp: []",
        "#!end_delayed_block",
    ]
    (tmp_path / "states/t.sls").write_bytes("\r\n".join(lines).encode())
    (tmp_path / "states/part.sls").write_bytes(
        b"#!delayed_block of_part\r\np: test.nop\r\n#!end_delayed_block of_part\r\n"
    )
    report = apply(tmp_path, "t")
    assert [returned.id for returned in all_returns(report.returns)] == ["a", "n", "p"]
    assert next(iter(report.returns.values())).delayed[2].comment.startswith("states/t.sls:10:3: ")


def test_every_scope_has_a_path_of_its_own(tmp_path: Path) -> None:
    """Names with a slash, or with a number behind them, make no two paths the same."""
    blocks = "".join(
        f"#!delayed_block {name} delayed_repeat_limit=None\nx: test.nop\n#!end_delayed_block\n"
        for name in ("c", "b/c", "b", "b#2")
    )
    write(
        tmp_path,
        states__t="a/b:\n  test.nop:\n    - delayed_render: [block: c]\n"
        "a:\n  test.nop:\n    - delayed_render: [block: b/c, block: b#2, block: b, block: b, block: b#2]\n"
        f"{blocks}",
    )
    scopes = [returned.scope for returned in all_returns(apply(tmp_path, "t").returns) if returned.scope]
    assert scopes == ["a/b/c", "a/b/c#2", "a/b#2", "a/b", "a/b#3", "a/b#2#2"]


def _threads_of_blocks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note of each rendering of a block whether it is on the thread of the event loop."""
    on_loop: list[bool] = []
    render_block = SlsRenderer.render_block

    def noted(self: SlsRenderer, *args: Any) -> Stream:
        on_loop.append(threading.current_thread() is threading.main_thread())
        return render_block(self, *args)

    monkeypatch.setattr(SlsRenderer, "render_block", noted)
    return on_loop


BLOCK = """
a:
  test.nop:
    - delayed_render: [block: x]
#!delayed_block {tag}
n-{printed}: {function}
#!end_delayed_block
"""


@pytest.mark.parametrize(
    ("tag", "printed", "on_loop"),
    [
        ("x", "{{ prev_ret.name }}", True),
        ("x", "{{ grains.kernel }}", False),
        ("x", "{{ salt['test.echo']('said') }}", False),
        ("x scoped", "{{ other.kernel }}", False),
    ],
)
def test_a_block_that_may_wait_is_rendered_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tag: str, printed: str, *, on_loop: bool
) -> None:
    """Its text decides, before its only rendering: grains are not gathered yet, and may have another name."""
    threads = _threads_of_blocks(monkeypatch)
    write(
        tmp_path,
        states__t="{% set other = grains %}\n" + BLOCK.format(tag=tag, printed=printed, function="test.nop"),
    )
    report = apply(tmp_path, "t")
    assert report.exit_code == 0
    assert threads == [on_loop]


def test_a_block_that_prints_gathered_grains_needs_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SLS has waited for the grains already."""
    threads = _threads_of_blocks(monkeypatch)
    write(
        tmp_path,
        states__t="# {{ grains.kernel }}\n"
        + BLOCK.format(tag="x", printed="{{ grains.kernel }}", function="test.nop"),
    )
    assert apply(tmp_path, "t").exit_code == 0
    assert threads == [True]


def test_a_project_with_states_of_its_own_renders_blocks_in_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its files may call functions when they are loaded, which may be when a block is compiled."""
    threads = _threads_of_blocks(monkeypatch)
    write(tmp_path, states__t=BLOCK.format(tag="x", printed="{{ prev_ret.name }}", function="mine.done"))
    (tmp_path / "states/_states").mkdir()
    (tmp_path / "states/_states/mine.py").write_text(
        "KERNEL = __salt__['cmd.run']('echo kernel')\n\n\n"
        "def done(name):\n    return {'name': name, 'result': True, 'changes': {}, 'comment': KERNEL}\n"
    )
    report = apply(tmp_path, "t")
    assert report.exit_code == 0
    assert threads == [False]


def test_a_plan_says_of_a_block_which_set_of_targets_may_still_grow(tmp_path: Path) -> None:
    """Nothing of it is rendered, as what the run registers before it may be in that set."""
    text = """
make: {test.nop: [registers: [{'dummy:d': {}}]]}
read: {test.nop: [delayed_render: [block: list]]}
#!delayed_block list
hosts:
  test.show_notification:
    - text: {{ salt['publish.publish']('d*', 'test.ping', [], 'compound') | join(' ') }}
#!end_delayed_block
"""
    write(tmp_path, states__t=text)
    _, read = apply(tmp_path, "t", test=True).returns.values()
    coming = "publish.publish('d*') may also match dummy:d, which this run registers (known after apply)"
    (entry,) = read.delayed
    assert (entry.status, entry.comment) == ("deferred", f"deferred: block list, {coming}")
