"""`ensue doc`, `ensue explain` with a function, and `sys.doc` on a real project."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

OWN = '''"""Execution module `own`: the project's own."""


def greet(whom, loud=False):
    """
    Greet somebody.

    whom
        Who is greeted.

    CLI Example:

    .. code-block:: bash

        salt '*' own.greet you
    """
    return whom
'''


def test_a_function(shell: Shell) -> None:
    """Every argument has its type, default and meaning; `new_state` has its keys."""
    ended = shell.run("doc", "file.managed")
    assert ended.code == 0
    assert ended.out.startswith("file.managed (state function)\n\nCreate a file")
    assert "  makedirs (true or false; default: false)\n      create missing parent folders.\n" in ended.out
    assert "  sha256 (text or null; always)\n" in ended.out
    assert "\nExample\n  /etc/motd:\n    file.managed:\n" in ended.out
    assert "\nDifferences from Salt\n  `attrs` and `selinux`" in ended.out
    assert "\nDifferences of the module file from Salt\n" in ended.out


def test_what_every_state_takes(shell: Shell) -> None:
    """Requisites and options are listed, and each has its own text; as data they have the same fields."""
    assert "\n  onchanges         Runs only if one of the states" in shell.run("doc", "requisites").out
    options = shell.run("doc", "options").out
    assert options.startswith("Options of every state\n")
    assert "\n  tgt_optional    Lets a `tgt` match nothing.\n" in options
    ended = shell.run("doc", "retry")
    assert ended.out.startswith("retry (option of every state)\n\nRuns the state again")
    assert "\nExample\n  build:\n    cmd.run:\n      - name: make\n      - retry: {attempts: 5" in ended.out
    assert (
        json.loads(shell.run("doc", "retry", "--out", "json").out)["options"]["retry"]["page"] == "semantics"
    )
    assert "did you mean require" in shell.run("doc", "requier").err
    assert "`ensue doc options`" in shell.run("doc").out


def test_explain_shows_the_same(shell: Shell) -> None:
    """`ensue explain` takes a function or module, and its near names."""
    assert shell.run("explain", "file.managed").out == shell.run("doc", "file.managed").out
    assert shell.run("explain", "file").out == shell.run("doc", "file").out
    ended = shell.run("explain", "file.manged")
    assert (ended.code, ended.out) == (1, "")
    assert "did you mean file.managed" in ended.err


def test_a_module_and_all_modules(shell: Shell) -> None:
    """A module lists its functions; without a name there are all modules, both with a sentence each."""
    assert "  file.absent " in shell.run("doc", "file").out
    text = shell.run("doc").out
    assert "Modules of state functions\n" in text
    assert "  docker_container " in text


def test_both_kinds_of_one_name(shell: Shell) -> None:
    """A name of a state and an execution function shows both, the state function first."""
    text = shell.run("doc", "cmd.run").out
    assert text.index("(state function)") < text.index("(execution function)")


def test_data(shell: Shell) -> None:
    """With --out json there is one document: by kind, then by name."""
    document = shell.run("doc", "cmd.run", "--out", "json").document
    assert set(document) == {"states", "modules"}
    [argument] = [item for item in document["states"]["cmd.run"]["arguments"] if item["name"] == "timeout"]
    assert (argument["unit"], argument["required"], argument["default"]) == ("seconds", False, None)
    listed = shell.run("doc", "--out", "json").document
    assert listed["states"]["timezone"]
    assert shell.run("doc", "file", "--out", "json").document["states"]["file"]["functions"]["absent"]


def test_an_unknown_name(shell: Shell) -> None:
    """It is refused with near names, as one document if asked for."""
    ended = shell.run("doc", "fil.managd", "--out", "json")
    assert ended.code == 1
    assert "there is no function, module, driver, resource type or topic" in ended.document["errors"][0]
    assert "file.managed" in ended.err


def test_functions_of_the_project(shell: Shell) -> None:
    """The project's own functions are listed and shown, with the words of their docstrings."""
    shell.write("states/_modules/own.py", OWN)
    assert re.search("^  own +The project's own.$", shell.run("doc").out, re.MULTILINE)
    text = shell.run("doc", "own.greet").out
    assert "  whom (anything; required)\n" in text
    assert "  loud (anything; default: false)\n" in text
    assert "    salt '*' own.greet you" in text


def test_drivers_types_providers_and_topics(shell: Shell) -> None:
    """Each has its text, as data too; a name of several kinds shows all; near names are suggested."""
    assert "Inputs (driver_inputs)\n  values\n" in shell.run("doc", "echo").out
    assert "Configuration\n  grains\n" in shell.run("doc", "dummy").out
    text = shell.run("doc", "command").out
    assert text.index("command (driver)") < text.index("command (environment provider)")
    assert shell.run("doc", "humanitec/postgres").out.startswith("humanitec/postgres (driver)")
    assert "docs/binding.md has more" in shell.run("doc", "references").out
    assert shell.run("doc", "for_each").out.startswith("lists-of-resources (topic)")
    document = shell.run("doc", "sandbox", "--out", "json").document
    assert "isolation" in document["environment providers"]["sandbox"]["inputs"]
    assert "did you mean references" in shell.run("doc", "refrences").err
    listed = shell.run("doc")
    assert "\nDrivers of deployments\n  command " in listed.out
    assert "\nTopics\n" in listed.out


def test_a_driver_of_the_project(shell: Shell) -> None:
    """The project's own drivers are shown by their docstrings; one that does not load has the reason."""
    body = "\n".join(f"async def {name}(request): ..." for name in ("create", "update", "delete", "plan"))
    own = '"""Driver `shelf`: a place on a shelf.\n\nArgs:\n    values.row: which row\n"""\n'
    shell.write("states/_drivers/shelf.py", f"{own}{body}\n")
    shell.write("states/_drivers/broken.py", "import nothing_of_this_name\n")
    shell.write("states/_drivers/leaving.py", "import sys\nsys.exit(3)\n")
    shell.write("states/_drivers/number.py", f"__doc__ = 5\n{body}\n")
    text = shell.run("doc", "shelf").out
    assert text.startswith("shelf (driver)\n\nA place on a shelf.\n")
    assert "  values.row\n      which row\n" in text
    assert shell.run("doc", "number").out == "number (driver)\n\n"
    ended = shell.run("doc")
    assert (ended.code, "nothing_of_this_name" in ended.out) == (0, True)
    assert "does not load: SystemExit: 3" in ended.out


def test_a_file_that_does_not_load(shell: Shell) -> None:
    """The list of modules has the reason in place of a sentence; its own documentation is refused."""
    shell.write("states/_modules/broken.py", "import nothing_of_this_name\n")
    ended = shell.run("doc")
    assert ended.code == 0
    assert "nothing_of_this_name" in ended.out
    ended = shell.run("doc", "broken")
    assert ended.code == 1
    assert "nothing_of_this_name" in ended.err


def test_sys_doc(shell: Shell) -> None:
    """`sys.doc` and `sys.argspec` answer as Salt's do."""
    document = shell.run("call", "*", "sys.doc", "file.managed", "--out", "json").document
    assert "makedirs (true or false" in document["web-01"]["file.managed"]
    document = shell.run("call", "*", "sys.argspec", "file.managed", "--out", "json").document
    assert document["web-01"]["file.managed"]["args"][0] == "name"


def test_completion_has_descriptions(shell: Shell) -> None:
    """Modules, and functions after the dot, come with their sentence where the shell shows one."""

    def zsh(*words: str) -> list[str]:
        ended = shell.run(
            _ENSUE_COMPLETE="zsh_complete",
            COMP_WORDS=" ".join(("ensue", *words)),
            COMP_CWORD=str(len(words)),
        )
        return ended.out.splitlines()

    assert zsh("doc", "docker_i") == [
        "plain", "docker_image.absent", "Remove images.",
        "plain", "docker_image.present", "Pull, build or load an image that is missing.",
    ]  # fmt: skip
    lines = zsh("call", "x", "test.pi")
    assert lines[1] == "test.ping"
    assert lines[2]
    assert "file" in zsh("doc", "fi")
    assert zsh("doc", "ech") == ["plain", "echo", "The outputs of a resource are its inputs."]
    assert zsh("doc", "refere")[4:] == ["references", "References: values of other states as arguments"]
    assert zsh("doc", "retr")[1] == "retry"
    assert "echo" not in zsh("call", "x", "ech")


def test_a_docstring_does_not_move_the_cursor(shell: Shell) -> None:
    """Control sequences in what a project's own driver says are left out, in its page and in the list."""
    text = '"""\\x1b[31mMakes\\x1b[2K things.\n\nIt has \\x1b]0;title\\x07 more.\n"""\n'
    body = "async def create(request):\n    return None\n\n\nupdate = delete = plan = create\n"
    shell.write("states/_drivers/esc.py", text + body)
    page, everything = shell.run("doc", "esc"), shell.run("doc")
    assert "Makes things." in page.out
    assert "\x1b" not in page.out + everything.out


def test_a_kind_before_the_name(shell: Shell) -> None:
    """It leaves out what else has the name; a word that is no kind is refused with what to write."""
    both = shell.run("doc", "state").out
    driver = shell.run("doc", "driver", "state").out
    assert (driver in both, driver.splitlines()[0]) == (True, "state (driver)")
    assert "execution functions" not in driver
    ended = shell.run("doc", "resource", "type", "ssh_host")
    assert (ended.code, ended.out.splitlines()[0]) == (0, "ssh_host (resource type)")
    assert "state functions" not in shell.run("doc", "modules", "file").out
    assert "(state functions)" in shell.run("doc", "file").out
    ended = shell.run("doc", "file", "managed")
    assert (ended.code, "`ensue doc file.managed` for a function" in ended.err) == (1, True)
    ended = shell.run("doc", "driver", "ssh_host")
    assert ended.code == 1
    assert "there is no 'ssh_host' among the drivers" in ended.err
    assert "the name is among the states and the resource types: `ensue doc ssh_host`" in ended.err
