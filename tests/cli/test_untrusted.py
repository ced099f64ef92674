"""Recipes from strangers: limits with one clear error each, no file but their own, no say over the
terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from treadle import recipes
from treadle.cli.console import visible
from treadle.recipes import limits
from treadle.recipes.fit import Kind, fit_any

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices are POSIX")
STAGE = '[[stage]]\nkernel = "sharpen"\n'
LUT = '[[stage]]\nkernel = "lut"\nfile = "{}"\n'
CUBE = "LUT_1D_SIZE 2\n0 0 0\n1 1 1\n"
SECRET = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 me@home"


def refused(text: str, **options: object) -> recipes.RecipeError:
    with pytest.raises(recipes.RecipeError) as caught:
        fit_any(recipes.parse(text, source="a.toml", **options))
    assert len(str(caught.value)) < 20_000
    return caught.value


# Limits


@pytest.mark.parametrize(
    "text, line, message",
    [
        ("\n\nx = " + "[" * 9, 3, "nested more than 8 deep"),
        ("x = " + "[" * 30_000, 1, "nested more than 8 deep"),
        ("x = " + "{a=" * 15_000, 1, "nested more than 8 deep"),
        (".".join("a" * 9) + " = 1", 1, "nested more than 8 deep"),
        (".".join("a" * 30_000) + " = 1", 1, "nested more than 8 deep"),
        ("[" + " . ".join(['"a"'] * 9) + "]", 1, "nested more than 8 deep"),
        ("x = " + "9" * 65, 1, "a number of 65 digits; at most 64"),
        (STAGE + "amount = " + "9" * 5_000, 3, "a number of 5000 digits; at most 64"),
        (STAGE + "amount = 0." + "9" * 5_000, 3, "a number of 5000 digits; at most 64"),
        (STAGE + "amount = -0x" + "f" * 5_000, 3, "a number of 5003 digits; at most 64"),
        ("a" * 65 + " = 1", 1, "a name of 65 characters; at most 64"),
        ('\ndescription = "' + "a" * 1999 + '"', 2, "a string of 2001 characters; at most 2000"),
        ("description = '''" + "a\n" * 1000 + "'''", 1, "a string of 2006 characters; at most"),
        ('description = """' + "\\u0000" * 400 + '"""', 1, "a string of 2406 characters"),
        ("# " + "x" * limits.MAX_BYTES, None, "has 65538 bytes; a recipe has at most 65536"),
        ("# " + "é" * 40_000, None, "has 80002 bytes; a recipe has at most 65536"),
        (STAGE * 129, 257, "129 stages; a recipe has at most 128"),
        (STAGE * 2000, 257, "2000 stages; a recipe has at most 128"),
        (STAGE * 20_000, None, "a recipe has at most 65536"),
        (STAGE + "amount = 9223372036854775808", 3, "of 64 bits at most"),
        (STAGE + "amount = 1e999", 3, "expected a finite number"),
        ('[[stage]]\nkernel = "warp_affine"\nmatrix = [1, inf]', 3, "expected a finite number"),
        ('[[stage]]\nkernel = "resize"\nsize = [60000, 60000]', 2, "179 megapixels at most"),
    ],
)
def test_a_recipe_beyond_a_limit_says_which(text, line, message):
    problem = refused(text).problems[0]
    assert message in problem.message
    assert problem.line == line


def test_what_is_within_the_limits_is_fine():
    lines = ['name = "a#[[[[[[[[[" # [[[[[[[[[', "description = '''", "]" * 50 + "'''"]
    recipe = recipes.parse("\n".join(lines) + "\n" + STAGE * 64)
    assert len(recipe.stages) == 64
    chain = recipes.fit(recipe, Kind(8, 8, 3, treadle.u8))
    assert len(chain.steps) == 64
    assert len(recipes.parse(STAGE * limits.MAX_STAGES).stages) == 128
    numbers = ", ".join(["1.5", "-2.25"] * 3)
    assert recipes.parse(f'[[stage]]\nkernel = "warp_affine"\nmatrix = [{numbers}]').stages


def test_a_recipe_of_64_stages_runs(device):
    recipe = recipes.parse('[[stage]]\nkernel = "flip"\n' * 64)
    from treadle.recipes.execute import RecipeEngine

    engine = RecipeEngine(recipe, device)
    image = device.buffer(list(range(48)), (1, 4, 4, 3), "u8").to_numpy()
    running = engine.start(engine.chain(Kind(4, 4, 3, treadle.u8)), image, None)
    assert running.result()[0].tolist() == image.tolist()


def test_a_stage_that_comes_again_is_fitted_once(monkeypatch):
    from treadle.lang.definition import Definition

    bound = []
    really = Definition.bind
    monkeypatch.setattr(
        Definition, "bind", lambda self, *rest: bound.append(self.name) or really(self, *rest)
    )
    text = '[[stage]]\nkernel = "vignette"\nradius = 0.123\n'
    recipes.fit(recipes.parse(text * 100), Kind(71, 73, 3, treadle.u8))
    assert bound.count("vignette") == 1


def test_problems_are_listed_up_to_a_number():
    text = "".join(f"nonsense{i} = {i}\n" for i in range(2000))
    found = refused(text).problems
    assert len(found) == limits.MAX_PROBLEMS + 1
    assert "and perhaps more" in found[-1].message


def test_long_lines_and_values_are_shown_in_part():
    said = str(refused(f"{STAGE}amount = {[1] * 5000}"))
    assert len(said) < 600
    assert "..." in said
    padding = '"' + "a" * 1000 + '"'
    lines = str(refused(f"stage = [{{description = {padding}, kernel = 5}}]")).splitlines()
    assert all(len(line) < 300 for line in lines)


# Files


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "recipe"
    (made / "luts").mkdir(parents=True)
    (made / "luts" / "a.cube").write_text(CUBE)
    (tmp_path / "outside.cube").write_text(CUBE)
    return made


@pytest.mark.parametrize(
    "name", ["luts/a.cube", "./luts/a.cube", "luts/../luts/a.cube", "luts/./a.cube"]
)
def test_files_of_its_own_folder_are_read(folder, name):
    recipe = recipes.parse(LUT.format(name), folder=folder)
    fit_any(recipe)
    assert recipe.stages[0].params["file"].is_file()


@pytest.mark.parametrize(
    "name", ["../outside.cube", "luts/../../outside.cube", "..", "../recipe/luts/a.cube"]
)
def test_files_outside_of_it_need_trust(folder, name):
    text = LUT.format(name)
    problem = refused(text, folder=folder).problems[0]
    assert "leads out of the recipe's folder; --trust allows it" in problem.message
    assert problem.line == 3
    if name.endswith(".cube"):
        fit_any(recipes.parse(text, folder=folder, trust=True))


def test_an_absolute_path_needs_trust_and_is_not_looked_at(folder, tmp_path, monkeypatch):
    looked = []
    really = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **o: looked.append(path) or really(path, **o))
    path = str(tmp_path / "outside.cube").replace("\\", "/")
    for name in (path, "/no/such/file.cube", "\\u0000", "a\\u0000b"):
        said = str(refused(LUT.format(name), folder=folder))
        assert "--trust allows it" in said
        assert "no such file" not in said
    assert not [each for each in looked if "cube" in str(each)]
    monkeypatch.undo()
    fit_any(recipes.parse(LUT.format(path), folder=folder, trust=True))


@posix
@pytest.mark.parametrize("to", ["../outside.cube", "{tmp}/outside.cube", "luts/chain"])
def test_links_out_of_the_folder_need_trust(folder, tmp_path, to):
    (folder / "luts" / "chain").symlink_to("../../outside.cube")
    (folder / "a.cube").symlink_to(to.format(tmp=tmp_path))
    (folder / "away").symlink_to("..")
    for name in ("a.cube", "away/outside.cube"):
        said = str(refused(LUT.format(name), folder=folder))
        assert "is a link out of the recipe's folder; --trust allows it" in said
        fit_any(recipes.parse(LUT.format(name), folder=folder, trust=True))


@posix
def test_links_inside_of_the_folder_and_to_it_are_fine(folder, tmp_path):
    (folder / "b.cube").symlink_to("luts/a.cube")
    (tmp_path / "other").symlink_to("recipe")
    fit_any(recipes.parse(LUT.format("b.cube"), folder=tmp_path / "other"))


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
def test_what_is_no_regular_file_is_refused_at_once(folder, kind, monkeypatch):
    path = folder / "x.cube"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "x.cube")
    for trust in (False, True):
        refused(LUT.format("x.cube"), folder=folder, trust=trust)
    with pytest.raises(treadle.LaunchError, match="cannot be read"):
        treadle.run_kernel("lut_apply", [treadle.buffer_zeros((2, 2, 3), "u8")], file=str(path))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux")
@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/environ", "/dev/zero", "/etc/passwd"])
def test_a_trusted_recipe_neither_waits_for_nor_shows_what_is_no_lut(folder, name):
    said = str(refused(LUT.format(name), folder=folder, trust=True))
    assert "root:" not in said
    assert "PATH" not in said


@pytest.mark.parametrize(
    "text", [SECRET, f"LUT_1D_SIZE 2\n{SECRET}", f"LUT_1D_SIZE {SECRET}",
             f"LUT_1D_SIZE 2\n0 0 {SECRET.split()[1]}", f"DOMAIN_MIN {SECRET}", f"TITLE {SECRET}",
             "LUT_1D_SIZE 2\nDOMAIN_MIN 31337 31337 31337\n0 0 0\n0 0 0", "31337 1 2",
             "LUT_1D_SIZE 2\n0 0 31337e99"]
)  # fmt: skip
def test_a_file_that_is_no_lut_is_never_repeated(folder, text):
    (folder / "x.cube").write_text(text)
    said = str(refused(LUT.format("x.cube"), folder=folder))
    assert "x.cube" in said
    for word in [*SECRET.split(), "31337"]:
        assert word not in said


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "large"])
def test_a_recipe_itself_is_a_regular_file_of_bounded_size(treadle_, tmp_path, kind):
    path = tmp_path / "a.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.write_bytes(b"#" * (limits.MAX_BYTES + 1))
    said = treadle_("recipe", "check", path)
    assert said.status == 2
    assert "cannot be read: it" in said.text


def test_trust_is_an_option_of_every_command_that_reads_a_recipe(treadle_, folder, photos):
    path = folder / "a.toml"
    path.write_text(LUT.format("../outside.cube"))
    out = folder / "out"
    commands = (
        ["recipe", "check", path],
        ["recipe", "show", path, "--mermaid", "--device", "cpu"],
        ["run", path, photos, "-o", out, "--quiet"],
    )
    for command in commands:
        said = treadle_(*command)
        assert said.status == 2
        assert "--trust allows it" in said.text
        assert not out.exists()
        assert treadle_(*command, "--trust").status == 0


# The terminal

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x08\u202egnp.\u2066[red]x[/red] :smile:"


def test_what_a_terminal_would_obey_is_spelt_out():
    assert visible("a\x1b[31m\x9b\x7f\r\u202e\udc80b\tc\nä🧵") == (
        "a\\x1b[31m\\x9b\\x7f\\r\\u202e\\udc80b\tc\nä🧵"
    )


def assert_tame(text: str) -> None:
    assert not [char for char in text if not char.isprintable() and char not in "\n\t"]


@pytest.mark.parametrize("terminal", [False, True])
def test_names_in_a_recipe_do_not_reach_the_terminal_raw(
    treadle_, tmp_path, photos, monkeypatch, terminal
):
    path = tmp_path / "a.toml"
    quoted = "".join(f"\\u{ord(char):04x}" for char in HOSTILE)
    path.write_text(f'name = "{quoted}"\ndescription = "{quoted}"\n{STAGE}')
    if terminal:
        monkeypatch.setattr(sys.stdout.__class__, "isatty", lambda self: True, raising=False)
        monkeypatch.setenv("TERM", "dumb")
        monkeypatch.setenv("NO_COLOR", "1")
    for command in (
        ["recipe", "check", path],
        ["recipe", "show", path, "--device", "cpu"],
        ["recipe", "show", path, "--mermaid", "--device", "cpu"],
        ["run", path, photos, "-o", tmp_path / "out", "--overwrite"],
    ):
        said = treadle_(*command)
        assert said.status == 0, said.text
        if "--mermaid" not in command or terminal:
            assert_tame(said.out + said.err)
        if command[1] == "check":
            assert "[red]x[/red] :smile:" in said.text
            assert "\\x1b[2J" in said.text


def test_pictures_of_such_a_recipe_can_be_read(treadle_, tmp_path, photos):
    path = tmp_path / "a.toml"
    path.write_text(f'name = "\\u001b\\u0000</text><script>\\r\\n"\n{STAGE}')
    plan, timeline = tmp_path / "plan.svg", tmp_path / "timeline.svg"
    assert treadle_("recipe", "show", path, "--device", "cpu", "--svg", plan).status == 0
    said = treadle_("run", path, photos, "-o", tmp_path / "out", "--quiet", "--trace", timeline)
    assert said.status == 0
    for picture in (plan, timeline):
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
        assert "<script" not in picture.read_text("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        f"{HOSTILE}",
        f'name = "{HOSTILE}"',
        f"[[stage]]\nkernel = '{HOSTILE[-22:]}'",
        "[[stage]]\nkernel = 'a\x9b31m'",
        '[[stage]]\nkernel = "sharpen"\n"a\x9b31m" = 5',
    ],
)
def test_neither_does_what_is_wrong_with_one(treadle_, tmp_path, text):
    path = tmp_path / "a.toml"
    path.write_bytes(text.encode("utf-8"))
    said = treadle_("recipe", "check", path)
    assert said.status == 2
    assert_tame(said.out + said.err)


@posix
def test_nor_do_the_names_of_files(treadle_, tmp_path, photos):
    hostile = photos / "\x1b[31m[red].jpg"
    hostile.write_bytes(b"no image")
    for more in ([], ["--dry-run"], ["--report", "json"]):
        said = treadle_("run", "thumbnail", photos, "-o", tmp_path / f"out{len(more)}", *more)
        assert said.status == 1
        assert_tame(said.out + said.err)
        assert "[red]" in said.text
        if "json" not in more:
            start = said.text.index("/\\x1b[31m[red]")
            assert ".jpg" in said.text[start:]  # on the next line: nothing is cut
    missing = tmp_path / "\x1b[31m.toml"
    assert_tame(treadle_("recipe", "check", missing).err)


# Whatever else a stranger writes

PIECES = """
[[stage]]~kernel = "sharpen"~kernel = "lut"~file = "a"~amount = 1~[output]~format = "png"
quality = 90~name = "x"~tolerance = 1~[ ] { } " ' \"\"\" \\ = . , # 1e9 - nan a.b 1979-05-27 0x _
"""
PIECES = [
    *PIECES.replace("~", "\n").splitlines(keepends=True),
    *PIECES.split(),
    "\0",
    "\x1b",
    "\u2028",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=30).map("".join))
def test_any_text_is_a_recipe_or_a_recipe_error(text):
    with contextlib.suppress(recipes.RecipeError):
        recipe = recipes.parse(text)
        fit_any(recipe)
        assert recipe.stages
