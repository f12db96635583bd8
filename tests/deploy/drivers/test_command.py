"""Driver `command` with real programs: those of its documentation, and short ones of a shell or Python."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shlex
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.test_docs import ROOT, blocks

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DestructionRefusedError, DriverError, StoreError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import command
from ensue.testing.driver import FakeDriverServices, driver_request
from ensue.testing.driver_contract import DriverContract, DriverSubject

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.data import DataMap

SECRET = "a-secret-of-the-definition"
LONGEST_END_S = 300


def request(
    folder: Path, words: Any, services: FakeDriverServices | None = None, **fields: Any
) -> DriverRequest:
    values = {"command": words, **fields.pop("values", {})}
    return driver_request(folder, services, values=values, **fields)


def shell(line: str) -> list[str]:
    return ["/bin/sh", "-c", line]


def python(source: str) -> list[str]:
    return [sys.executable, "-c", f"import json, os, sys\nrequest = json.load(sys.stdin)\n{source}"]


def printing(data: Any) -> list[str]:
    return shell(f"printf %s {shlex.quote(json.dumps(data))}")


def create(asked: DriverRequest) -> Provisioned:
    return asyncio.run(command.create(asked))


def plan(asked: DriverRequest) -> Planned:
    return asyncio.run(command.plan(asked))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the files of the documentation's page."""
    for block in blocks((ROOT / "docs" / "driver-command.md").read_text(encoding="utf-8")):
        if block.verb == "file":
            path = tmp_path / block.rest
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
    return tmp_path


def life(project: Path, words: list[str], **values: Any) -> str:
    """Create, update and delete a bucket, each with what the one before it kept; return its name."""
    given: dict[str, Any] = {
        "values": {"command": words, "storage": "storage", "size_gb": 5, **values},
        "secrets": {"access_key": SECRET},
    }
    services = FakeDriverServices()
    asked = driver_request(project, services, **given)
    assert command.check(asked) == []
    made = create(asked)
    name = made.values["bucket"]
    bucket = project / "storage" / name
    assert bucket.is_dir()

    # Killed before its end, it has only what it kept.
    for cookie in (made.cookie, services.kept[-1]):
        again = driver_request(project, services, cookie=cookie, was_interrupted=True, **given)
        assert asyncio.run(command.update(again)).values == made.values
    assert [path.name for path in (project / "storage").iterdir()] == [name]

    for _ in range(2):
        asyncio.run(command.delete(driver_request(project, services, cookie=made.cookie)))
        assert not bucket.exists()
    return str(name)


needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq: apt-get install jq")
PYTHON = [sys.executable, "programs/bucket.py", "storage"]
SHELL = ["sh", "programs/bucket.sh", "storage"]


class TestDocumentedProgram(DriverContract):
    """The program of the page that derives names keeps the contract, marks included."""

    @pytest.fixture
    def subject(self, project: Path) -> DriverSubject:
        values = {"command": PYTHON, "plan": True, "size_gb": 5}
        storage = project / "storage"
        return DriverSubject(
            driver=command,
            directory=project,
            inputs={"values": values, "secrets": {"access_key": SECRET}},
            other_inputs={"values": {**values, "size_gb": 6}},
            wrong_inputs=[{"values": {}}],
            marks_owner=True,
            count_made=lambda: len(list(storage.iterdir())) if storage.is_dir() else 0,
        )


@pytest.mark.parametrize("words", [PYTHON, pytest.param(SHELL, marks=needs_jq)])
def test_the_documented_program_that_derives_names(project: Path, words: list[str]) -> None:
    """It plans, makes, finds again, leaves alone and removes a bucket, and keeps nothing for that."""
    asked = driver_request(project, values={"command": words, "plan": True})
    assert "would create the bucket bucket-0123456789ab" in plan(asked).comment
    assert not (project / "storage").exists()
    assert life(project, words) == "bucket-0123456789ab"


@pytest.mark.parametrize(
    "words",
    [
        [sys.executable, "programs/random_bucket.py"],
        pytest.param(["sh", "programs/random_bucket.sh"], marks=needs_jq),
    ],
)
def test_the_documented_program_that_waits(project: Path, words: list[str]) -> None:
    """It makes a bucket of a name that nobody can derive once that is kept, and finds it again."""
    assert life(project, words, acknowledge=True) != life(project, words, acknowledge=True)
    with pytest.raises(DriverError, match="the cookie was not stored, so no bucket was created"):
        life(project, words)  # Its input ends: nobody answers.
    assert not list((project / "storage").iterdir())


def test_what_the_documented_program_says(project: Path) -> None:
    """Secrets are in the secrets; the second time nothing has changed."""
    given: dict[str, Any] = {
        "values": {"command": f"{sys.executable} programs/bucket.py storage", "size_gb": 5},
        "secrets": {"access_key": SECRET},
    }
    first = create(driver_request(project, **given))
    assert first.secrets == {"access_key": SECRET}
    assert (first.changed, first.comment) == (True, "the bucket bucket-0123456789ab has 5 GB")
    assert asyncio.run(command.update(driver_request(project, cookie=first.cookie, **given))).changed is False


def test_the_document_that_a_program_reads(tmp_path: Path) -> None:
    """It has everything of the request but what only the driver uses."""
    source = "json.dump({'values': {'read': request}}, sys.stdout)"
    read = create(
        request(
            tmp_path,
            python(source),
            values={"size": 5, "environment": {"A": "b"}, "timeout_s": 20, "cwd": "."},
            secrets={"key": SECRET, "environment": {"B": "c"}},
            params={"large": True},
            account="cloud/main",
            was_interrupted=True,
            owner="0ddba11ba5eba115",
            may_adopt=True,
            may_replace=True,
        )
    ).values["read"]
    assert read == {
        "operation": "create",
        "resource": {
            "type": "thing",
            "class": "default",
            "id": "modules.web.externals.it",
            "guresid": "0123456789abcdef0123456789abcdef",
        },
        "context": {"org.id": "", "app.id": "shop", "env.id": "dev", "env.type": "development"},
        "params": {"large": True},
        "values": {"size": 5},
        "secrets": {"key": SECRET},
        "account": "cloud/main",
        "cookie": None,
        "was_interrupted": True,
        "owner": "0ddba11ba5eba115",
        "may_adopt": True,
        "may_replace": True,
    }


def test_all_that_an_answer_may_have(tmp_path: Path) -> None:
    """Each key arrives where it belongs, and a document of many lines is one too."""
    answer: DataMap = {
        "values": {"url": "https://ö"},
        "secrets": {"token": SECRET},
        "cookie": {"number": 7},
        "manifests": {"a.yaml": {"location": "namespace", "data": {"kind": "Secret"}}},
        "registers": {"ssh_host:new": {"host": "10.0.0.1"}},
        "changed": False,
        "comment": "as it was",
    }
    asked = request(tmp_path, shell(f"printf %s {shlex.quote(json.dumps(answer, indent=2))}"))
    made = create(asked)
    assert isinstance(made.cookie, dict)
    assert made.cookie["own"] == {"number": 7}
    for name in answer.keys() - {"cookie"}:
        assert getattr(made, name) == answer[name]
    assert asked.services.masker.text(SECRET) == "(sensitive)"


def test_environment_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of the inputs come on top of ours, of which the key is left out."""
    monkeypatch.setenv("ENSUE_KEY", "never-to-be-seen")
    monkeypatch.setenv("OURS", "1")
    (tmp_path / "below").mkdir()
    source = (
        "names = ['ENSUE_KEY', 'OURS', 'A', 'B']\n"
        "print(json.dumps({'values': {'cwd': os.getcwd(), 'seen': [os.environ.get(n) for n in names]}}))"
    )
    made = create(
        request(
            tmp_path,
            python(source),
            values={"environment": {"A": 5}, "cwd": "below"},
            secrets={"environment": {"B": SECRET}},
        )
    )
    assert made.values == {"cwd": str(tmp_path / "below"), "seen": [None, "1", "5", SECRET]}


def test_a_text_is_split_and_no_shell_reads_it(tmp_path: Path) -> None:
    """Quotes hold words together; `$`, `;` and `*` are what they are."""
    source = 'import json, sys; print(json.dumps({"values": {"read": sys.argv[1:]}}))'
    line = f"""{sys.executable} -c '{source}' 'a b' $HOME ; * "c d\""""
    made = create(request(tmp_path, line))
    assert made.values == {"read": ["a b", "$HOME", ";", "*", "c d"]}


def test_what_is_kept_early_outlives_a_kill(tmp_path: Path) -> None:
    """A program that is killed after its line has its cookie kept, and gets it the next time."""
    services = FakeDriverServices()
    line = """echo '{"keep": {"id": "vm-7"}}'; kill -9 $$"""
    with pytest.raises(DriverError, match="was ended by signal 9"):
        create(request(tmp_path, shell(line), services))
    kept = services.kept[-1]
    assert kept["own"] == {"id": "vm-7"}

    source = "print(json.dumps({'values': {'cookie': request['cookie']}}))"
    again = create(request(tmp_path, python(source), cookie=kept, was_interrupted=True))
    assert again.values == {"cookie": {"id": "vm-7"}}
    assert isinstance(again.cookie, dict)
    assert again.cookie["own"] == {"id": "vm-7"}


def test_the_newest_of_several_lines_is_kept(tmp_path: Path) -> None:
    """Lines may come in pieces, and blank ones between them; the answer's cookie counts in the end."""
    services = FakeDriverServices()
    line = (
        r"""printf '{"keep": {"a"'; printf ': 1}}\n\n{"keep": {"a": 2}}\n'; printf '{"values": {"b": 3}}'"""
    )
    made = create(request(tmp_path, shell(line), services))
    assert made.values == {"b": 3}
    assert isinstance(made.cookie, dict)
    assert made.cookie["own"] == services.kept[-1]["own"] == {"a": 2}


def test_a_killed_ensue_knows_what_to_call(tmp_path: Path) -> None:
    """Before the program is started, its command is in the cookie."""
    services = FakeDriverServices()
    marker = tmp_path / "deleted"
    words = shell(f'[ -e started ] && : > {marker}; : > started; echo "{{}}"')
    create(request(tmp_path, words, services))
    asyncio.run(command.delete(driver_request(tmp_path, cookie=services.kept[0])))
    assert marker.exists()


def test_deletion_uses_what_the_last_call_had(tmp_path: Path) -> None:
    """Environment, secrets among it, and folder are those of the last create; there are no inputs."""
    (tmp_path / "below").mkdir()
    source = (
        "if request['operation'] == 'delete':\n"
        "    seen = [os.environ['A'], os.environ['B'], request['values'], request['cookie']]\n"
        "    open('seen.json', 'w').write(json.dumps(seen))\n"
        "print(json.dumps({'cookie': {'id': 1}}))"
    )
    made = create(
        request(
            tmp_path,
            python(source),
            values={"environment": {"A": "a"}, "cwd": "below"},
            secrets={"environment": {"B": SECRET}},
        )
    )
    services = FakeDriverServices()
    asyncio.run(command.delete(driver_request(tmp_path, services, cookie=made.cookie)))
    seen = json.loads((tmp_path / "below" / "seen.json").read_text())
    assert seen == ["a", SECRET, {}, {"id": 1}]
    assert services.masker.text(SECRET) == "(sensitive)"


def test_nothing_is_deleted_that_was_never_begun(tmp_path: Path) -> None:
    """Without a cookie no program was ever started."""
    asyncio.run(command.delete(driver_request(tmp_path, cookie=None, was_interrupted=True)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (shell("echo why >&2; exit 3"), "/bin/sh exited with code 3\nstderr: why"),
        (shell("exit 0"), "its command wrote nothing"),
        (shell("echo hello"), "what its command wrote is not one JSON document: Expecting value"),
        (shell("echo '{}'; echo '{}'"), "not one JSON document: Extra data"),
        (shell("""echo '{}'; echo '{"keep": {}}'"""), "not one JSON document: Extra data"),
        (shell("echo '[1]'"), "is not an answer: Expected `object`, got `array`"),
        (printing({"values": 5}), "is not an answer: Expected `object`, got `int` - at `$.values`"),
        (printing({"value": {}}), "is not an answer: Object contains unknown field `value`"),
        (printing({"registers": {"a:b": "c"}}), "Expected `object`, got `str` - at `$.registers[...]`"),
        (shell("""echo '{"values": {"a": NaN}}'"""), "NaN is not JSON"),
        (printing({"keep": 5}), "unknown field `keep`"),
        (python("print('[' * 5000)"), "nested"),
        (["./not-there"], "./not-there cannot be started in .: No such file or directory"),
        (["not\0possible"], "cannot be started: embedded null byte"),
        (["half\ud800"], "cannot be started: 'utf-8' codec can't encode"),
    ],
)
def test_what_goes_wrong_is_said(tmp_path: Path, words: list[str], message: str) -> None:
    """The message begins with the resource and says what the program did."""
    with pytest.raises(DriverError) as caught:
        create(request(tmp_path, words))
    assert str(caught.value).startswith("thing.default#modules.web.externals.it: ")
    assert message in str(caught.value)


def test_a_secret_never_gets_into_a_message(tmp_path: Path) -> None:
    """Neither one of the inputs, nor one that the program itself wrote before it failed."""
    line = f"""cat >/dev/null; echo '{{"secrets": {{"x": "made-by-the-program"}}}}'
    echo "cannot use {SECRET} nor made-by-the-program nor of-the-environment" >&2; exit 1"""
    secrets = {"key": [SECRET], "environment": {"B": "of-the-environment"}}
    with pytest.raises(DriverError) as caught:
        create(request(tmp_path, shell(line), secrets=secrets))
    assert "cannot use (sensitive) nor (sensitive) nor (sensitive)" in str(caught.value)


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """So is what it started, and what it kept until then is kept."""
    services = FakeDriverServices()
    line = """echo '{"keep": {"id": 1}}'; sleep 600 & echo $! > pid; wait"""
    with pytest.raises(DriverError, match=r"did not end within 0.5 s.*`timeout_s`"):
        create(request(tmp_path, shell(line), services, values={"timeout_s": 0.5}))
    assert services.kept[-1]["own"] == {"id": 1}
    assert _ends(int((tmp_path / "pid").read_text()))


def test_a_program_that_writes_without_end_is_ended(tmp_path: Path) -> None:
    """The error has the limit."""
    with pytest.raises(DriverError, match="wrote more than 16,777,216 bytes of output, and was ended"):
        create(request(tmp_path, shell("exec cat /dev/zero")))


def test_a_cancelled_program_is_ended(tmp_path: Path) -> None:
    """With all that it started; what it wrote until then is kept."""
    services = FakeDriverServices()
    os.mkfifo(tmp_path / "ready")
    line = """sleep 600 & echo $! > pid; echo '{"keep": {"id": 1}}'; echo now > ready; wait"""

    async def scene() -> None:
        running = asyncio.ensure_future(command.create(request(tmp_path, shell(line), services)))
        await asyncio.to_thread((tmp_path / "ready").read_text)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(scene())
    assert services.kept[-1]["own"] == {"id": 1}
    assert _ends(int((tmp_path / "pid").read_text()))


class FullStore(FakeDriverServices):
    """Keeps the first cookie and no other."""

    async def keep(self, cookie: DataMap) -> None:
        if self.kept:
            raise StoreError("the store is full")
        self.kept.append(cookie)


class SlowStore(FakeDriverServices):
    """Says in a file that a cookie is durable, once it is."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    async def keep(self, cookie: DataMap) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        await super().keep(cookie)
        (self._folder / "durable").write_text(json.dumps(cookie["own"]))


WAITING = """
request = json.loads(sys.stdin.readline())
seen = []
for number in range(3):
    print(json.dumps({"keep": {"number": number}}), flush=True)
    answer = json.loads(sys.stdin.readline())
    seen.append([answer, json.load(open("durable"))])
print(json.dumps({"values": {"seen": seen}}))
"""


def test_each_line_is_answered_once_it_is_durable(tmp_path: Path) -> None:
    """A program that has its answer finds what it kept in the store."""
    words = [sys.executable, "-c", f"import json, sys{WAITING}"]
    made = create(request(tmp_path, words, SlowStore(tmp_path), values={"acknowledge": True}))
    assert made.values == {"seen": [[{"kept": number + 1}, {"number": number}] for number in range(3)]}


def test_lines_that_come_at_once_are_answered_each(tmp_path: Path) -> None:
    """Only the newest need be stored, but none lacks its answer, in order."""
    services = FakeDriverServices()
    line = """printf '{"keep": {"a": %d}}\\n' 1 2 2; read -r _; read -r a; read -r b; read -r c
    echo '{"keep": {"a": 2}}'; read -r d; echo "$a $b $c $d" >seen; echo '{}'"""
    create(request(tmp_path, shell(line), services, values={"acknowledge": True}))
    assert (tmp_path / "seen").read_text() == '{"kept": 1} {"kept": 2} {"kept": 3} {"kept": 4}\n'
    assert services.kept[-1]["own"] == {"a": 2}


def test_a_line_before_the_document_is_read(tmp_path: Path) -> None:
    """A program may keep something first; its answer follows the document."""
    line = """echo '{"keep": {"a": 1}}'; read -r document; read -r answer
    [ "$answer" = '{"kept": 1}' ] && echo '{}'"""
    create(request(tmp_path, shell(line), values={"acknowledge": True, "long": "x" * 300_000}))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("exec <&-; keep", id="closed"),
        pytest.param("keep", id="unread"),
        pytest.param("keep; sleep 600 >&- 2>&- & echo $! >pid", id="held by another"),
        pytest.param("read -r _; keep; read -r _; exec <&-; keep", id="closed later"),
    ],
)
def test_answers_that_nobody_reads_hold_nothing_up(tmp_path: Path, line: str) -> None:
    """More of them than a pipe takes are neither waited for nor a fault, and nothing is left open."""
    source = "for i in range(9000): print(json.dumps({'keep': {'i': i}}))"
    (tmp_path / "keep.py").write_text(f"import json\n{source}")
    services = FakeDriverServices()
    words = shell(f"keep() {{ {sys.executable} keep.py; }}; {line}; echo '{{}}'")
    create(request(tmp_path, words, services, values={"acknowledge": True}))
    assert services.kept[-1]["own"] == {"i": 8999}
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_a_line_that_keeps_nothing_ends_the_input(tmp_path: Path) -> None:
    """A program that waits for an answer to it does not wait for ever."""
    line = """read -r _; echo '{"keep": 5}'; read -r _ || { echo unanswered >&2; exit 1; }"""
    with pytest.raises(DriverError, match="unanswered"):
        create(request(tmp_path, shell(line), values={"acknowledge": True}))


def test_a_plan_and_a_removal_answer_too(tmp_path: Path) -> None:
    """A plan stores nothing; a removal calls the program as the last create did."""
    line = """read -r _; echo '{"keep": {"a": 1}}'; read -r answer && echo '{"comment": "answered"}'"""
    services = FakeDriverServices()
    words, values = shell(line), {"acknowledge": True, "plan": True}
    assert plan(request(tmp_path, words, services, values=values)).comment == "answered"
    assert services.kept == []
    made = create(request(tmp_path, words, services, values=values))
    asyncio.run(command.delete(driver_request(tmp_path, services, cookie=made.cookie)))


def test_a_cookie_of_before_has_a_program_that_is_not_answered(tmp_path: Path) -> None:
    """What an older ensue has stored is read as it was meant."""
    made = create(request(tmp_path, shell("cat >document; echo '{}'")))
    assert isinstance(made.cookie, dict)
    assert isinstance(made.cookie["program"], dict)
    del made.cookie["program"]["acknowledge"]
    asyncio.run(command.delete(driver_request(tmp_path, cookie=made.cookie)))
    assert json.loads((tmp_path / "document").read_text())["operation"] == "delete"


def test_a_cookie_that_cannot_be_kept_ends_the_program(tmp_path: Path) -> None:
    """It makes nothing more, and the store's own error is raised."""
    line = """echo '{"keep": {"id": 1}}'; sleep 600"""
    with pytest.raises(StoreError, match="full"):
        create(request(tmp_path, shell(line), FullStore()))


def test_a_cookie_that_cannot_be_kept_is_not_answered(tmp_path: Path) -> None:
    """A program that waits for its answer makes nothing."""
    line = """read -r _; echo '{"keep": {"id": 1}}'; read -r _ && : >made; exit 1"""
    with pytest.raises(StoreError, match="full"):
        create(request(tmp_path, shell(line), FullStore(), values={"acknowledge": True}))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("fields", "sentences"),
    [
        ({"values": {}}, ["values.command is missing (a list of words: a program and its arguments)"]),
        ({"values": []}, ["values: it takes a mapping, not []"]),
        ({"values": {"command": []}}, ["values.command: it takes at least one word, the program"]),
        (
            {"values": {"command": "a 'b"}},
            ["values.command: no closing quotation (a list of words needs no quotes)"],
        ),
        (
            {
                "values": {
                    "command": 5,
                    "timeout_s": 0,
                    "cwd": "../a",
                    "environment": {"A": []},
                    "plan": "no",
                }
            },
            [
                "values.command: it takes a text or a list of texts, not 5",
                "values.environment.A: it takes a text or a number, not []",
                "values.timeout_s: it takes a number of seconds above 0, not 0",
                "values.cwd: '../a' is not a folder below the project's",
                "values.plan: it takes true or false, not 'no'",
            ],
        ),
        (
            {"values": {"command": "a"}, "secrets": {"environment": {"A": [SECRET]}}},
            ["secrets.environment.A: it takes a text or a number"],
        ),
        (
            {"values": {"command": "a", "cwd": "a\0"}},
            ["values.cwd: 'a\\x00' is not a folder below the project's"],
        ),
        (
            {"values": {"command": "a", "acknowledge": "yes"}},
            ["values.acknowledge: it takes true or false, not 'yes'"],
        ),
        ({"values": Unknown("${a}"), "secrets": Unknown("${a}")}, []),
        ({"values": {"command": Unknown("${a}"), "cwd": Unknown("${a}"), "plan": Unknown("${a}")}}, []),
        ({"values": {"command": ["a", Unknown("${a}")]}}, []),
    ],
)
def test_inputs_are_checked(tmp_path: Path, fields: dict[str, Any], sentences: list[str]) -> None:
    """Every problem is reported; a value that is not known yet is none."""
    assert command.check(driver_request(tmp_path, **fields)) == sentences


def test_wrong_inputs_are_refused(tmp_path: Path) -> None:
    """Nothing is kept, since nothing is run."""
    services = FakeDriverServices()
    with pytest.raises(DriverError, match=r"externals.it: values\.command is missing"):
        create(driver_request(tmp_path, services, values={}))
    assert services.kept == []


def test_a_folder_may_not_be_left_by_a_link(tmp_path: Path) -> None:
    """What counts is where a link leads."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "out").symlink_to(tmp_path)
    asked = request(tmp_path / "project", ["true"], values={"cwd": "out"})
    assert command.check(asked) == ["values.cwd: 'out' is not a folder below the project's"]


def test_a_plan_runs_nothing_unless_asked_to(tmp_path: Path) -> None:
    """It names the program alone: arguments may be long, or not for everyone."""
    planned = plan(request(tmp_path, ["touch", "made"]))
    assert (planned.comment, planned.would_change) == ("would run touch", True)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("words", [["no-such-program"], ["./not-there"], "text.txt", "./text.txt", ["a\0"]])
@pytest.mark.parametrize("asks", [True, False])
def test_a_plan_without_the_program(tmp_path: Path, words: Any, *, asks: bool) -> None:
    """It fails as the deployment would, unless another resource may make the program before."""
    (tmp_path / "text.txt").write_text("no program")
    asked = request(tmp_path, words, values={"plan": asks})
    with pytest.raises(DriverError, match="there is no program"):
        plan(asked)
    planned = plan(request(tmp_path, words, values={"plan": asks}, has_dependencies=True))
    assert planned.would_change
    assert "the deployment fails unless" in planned.warnings[0]


def test_the_path_of_the_program_counts(tmp_path: Path) -> None:
    """A program is searched where its start searches it: in its own `PATH`, and from its folder."""
    program = tmp_path / "below" / "made-here"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '{}'\n")
    program.chmod(0o700)
    for words, values in (
        ("made-here", {"environment": {"PATH": str(program.parent)}}),
        ("./made-here", {"cwd": "below"}),
        ("below/made-here", {}),
    ):
        asked = request(tmp_path, words, values=values)
        assert plan(asked).warnings == ()
        create(asked)


def test_a_plan_with_the_program(tmp_path: Path) -> None:
    """It says what would be done, and outputs that are known; what it keeps is left out."""
    services = FakeDriverServices()
    answer = {"comment": "nothing to do", "would_change": False, "values": {"a": 1}}
    words = shell(f"""echo '{{"keep": {{"a": 1}}}}'; echo {shlex.quote(json.dumps(answer))}""")
    planned = plan(request(tmp_path, words, services, values={"plan": True}))
    assert planned == Planned(
        comment="nothing to do", would_change=False, outputs=Provisioned(values={"a": 1}, secrets={})
    )
    assert services.kept == []


@pytest.mark.parametrize("where", ["values", "params", "secrets"])
def test_a_plan_with_unknown_inputs(tmp_path: Path, where: str) -> None:
    """The program is not run, and the plan says what it waits for."""
    fields: dict[str, Any] = {where: {"more": Unknown("${resources.dns.outputs.host}")}}
    fields["values"] = {"plan": True, **fields.get("values", {})}
    planned = plan(request(tmp_path, ["touch", "made"], **fields))
    assert planned.comment == "would run its command once ${resources.dns.outputs.host} is known"
    assert not (tmp_path / "made").exists()


def test_the_fingerprint_follows_the_files_of_the_command(tmp_path: Path) -> None:
    """A changed program has another one; files outside of the project do not count."""

    def fingerprint(words: Any) -> str:
        return asyncio.run(command.fingerprint(request(tmp_path, words)))

    program = tmp_path / "run.sh"
    program.write_text("one")
    first = fingerprint(["sh", "run.sh", "/etc/passwd"])
    assert fingerprint("sh run.sh") == first
    program.write_text("two")
    assert fingerprint("sh run.sh") != first
    assert fingerprint([Unknown("${a}")]) == fingerprint("'")


def _ends(pid: int) -> bool:
    """Say whether a process that was sent a signal ends; it does so beside us."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ended, _, _ = select.select([descriptor], [], [], LONGEST_END_S)
        return bool(ended)
    finally:
        os.close(descriptor)


def test_a_delete_after_a_failed_update_calls_the_program_that_made_it(tmp_path: Path) -> None:
    """The one that failed is not called again; what it has kept is passed on."""
    log = tmp_path / "log"
    line = 'f\'{request["operation"]} {request["cookie"]}\\n\''
    good = python(f"open({str(log)!r}, 'a').write({line})\nprint('{{}}')")
    bad = python("print(json.dumps({'keep': {'half': 'made'}}), flush=True)\nsys.exit('no')")
    services = FakeDriverServices()
    made = create(driver_request(tmp_path, services, values={"command": good}))
    later = driver_request(tmp_path, services, values={"command": bad}, cookie=made.cookie)
    with pytest.raises(DriverError, match="no"):
        asyncio.run(command.update(later))
    asyncio.run(command.delete(driver_request(tmp_path, services, cookie=services.kept[-1])))
    assert log.read_text() == "create None\ndelete {'half': 'made'}\n"

    # The next update that succeeds decides from then on.
    other = python(f"open({str(log)!r}, 'a').write('other\\n')\nprint('{{}}')")
    done = asyncio.run(
        command.update(
            driver_request(tmp_path, services, values={"command": other}, cookie=services.kept[-1])
        )
    )
    asyncio.run(command.delete(driver_request(tmp_path, services, cookie=done.cookie)))
    assert log.read_text().splitlines()[2:] == ["other", "other"]


def test_a_delete_of_what_only_failed_calls_the_program_that_failed(tmp_path: Path) -> None:
    """Where no call has succeeded there is no other program."""
    log = tmp_path / "log"
    words = python(
        f"open({str(log)!r}, 'a').write(request['operation'])\nsys.exit(request['operation'] == 'create')"
    )
    services = FakeDriverServices()
    with pytest.raises(DriverError, match="exited with code 1"):
        create(driver_request(tmp_path, services, values={"command": words}))
    asyncio.run(command.delete(driver_request(tmp_path, services, cookie=services.kept[-1])))
    assert log.read_text() == "createdelete"


def test_a_program_asks_before_an_update_destroys_something(tmp_path: Path) -> None:
    """It answers with what that is, and is called again once it is allowed; a plan names it, too."""
    ask = "may = request['may_replace']\nprint(json.dumps({} if may else {'would_destroy': ['the disk']}))"
    words = {"command": python(ask), "plan": True}
    assert plan(driver_request(tmp_path, values=words)).destroys == ("the disk",)
    with pytest.raises(DestructionRefusedError, match=r"would destroy the disk \(.*--allow-replace=thing"):
        asyncio.run(command.update(driver_request(tmp_path, values=words, cookie={})))
    asyncio.run(command.update(driver_request(tmp_path, values=words, cookie={}, may_replace=True)))
    noted: list[str] = []
    made = {"command": printing({"destroyed": ["the disk"]})}
    given = driver_request(tmp_path, values=made, cookie={}, may_replace=True, note_destruction=noted.extend)
    asyncio.run(command.update(given))
    assert noted == ["the disk"]
    always = {"command": printing({"would_destroy": ["the disk"]})}
    with pytest.raises(DriverError, match="asks for what is already allowed"):
        asyncio.run(command.update(driver_request(tmp_path, values=always, cookie={}, may_replace=True)))
