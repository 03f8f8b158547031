"""The table of adapters, their options, and what the protocol's small types promise."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adapters
from adapters import TABLE, adapter_class, adapter_table, load_adapter
from adapters.base import all_options
from adapters.protocol import Adapter, Command, Grid, Spec
from adapters.quantise import frame_actions, in_blocks, without_holds
from revisit_metric.trajectory import Segment

README = Path(adapters.__file__).with_name("README.md")


class Fake:
    """An adapter that inherits nothing."""

    spec = adapter_class("camera-c2w").spec

    def __init__(self, options):
        self.options = options

    def convert(self, instance, folder):
        raise NotImplementedError

    def command(self):
        return Command(("true",), "*.mp4")

    def collect(self, folder, *, seeds, videos):
        raise NotImplementedError


class NoSpec:
    pass


class Entry:
    def __init__(self, name, value):
        self.name, self.value = name, value


def install(monkeypatch, *entries):
    monkeypatch.setattr(adapters, "entry_points", lambda group: list(entries) * (group == "revisit_metric.adapters"))
    monkeypatch.setattr(adapters, "import_module", lambda name: __import__("sys").modules[__name__])


@pytest.mark.parametrize("name", TABLE)
def test_every_spec_is_complete_and_stands_in_the_readme(name):
    spec = adapter_class(name).spec
    assert spec.model == name
    for field in fields(Spec):
        if field.name not in ("fps", "resolution", "metres_per_frame", "degrees_per_frame", "options", "consent"):
            assert getattr(spec, field.name) not in ("", None), field.name
    assert f"| `{name}` |" in README.read_text(encoding="utf-8")
    if not name.startswith("camera-"):
        assert spec.facts.verified or spec.facts.documented
    assert spec.grid.next_valid(481) >= 481


def test_a_third_partys_adapter_is_found_and_needs_to_inherit_nothing(monkeypatch):
    install(monkeypatch, Entry("mine", "somewhere:Fake"))
    assert adapter_table()["mine"] == "somewhere:Fake"
    adapter = load_adapter("mine", {"anything": "goes"})
    assert isinstance(adapter, Adapter)
    assert adapter.options == {"anything": "goes"}


def test_a_name_cannot_be_taken_twice(monkeypatch):
    install(monkeypatch, Entry("hy-worldplay", "other:Class"))
    with pytest.raises(
        ValueError, match=r"'hy-worldplay' is offered twice, by adapters\.hy_worldplay.* and other:Class"
    ):
        adapter_table()
    install(monkeypatch, Entry("mine", "a:B"), Entry("mine", "c:D"))
    with pytest.raises(ValueError, match="'mine' is offered twice"):
        adapter_table()


def test_what_cannot_be_loaded_says_why(monkeypatch):
    install(monkeypatch, Entry("broken", "m:Missing"), Entry("bare", "m:NoSpec"))
    with pytest.raises(ValueError, match="'broken' cannot be loaded from m:Missing"):
        load_adapter("broken")
    with pytest.raises(ValueError, match="'bare': m:NoSpec has no 'spec'"):
        load_adapter("bare")


def test_unknown_and_unreleased_models():
    with pytest.raises(ValueError, match="unknown adapter 'hy-worldpaly': did you mean 'hy-worldplay'"):
        load_adapter("hy-worldpaly")
    with pytest.raises(ValueError, match=r"Memo is not released.*public sibling"):
        load_adapter("dreamx-world-memo")
    with pytest.raises(ValueError, match="ends at 121 frames"):
        load_adapter("dreamx-world-5b-cam")
    assert "public sibling of DreamX-World-Memo" in adapter_class("dreamx-world").spec.revision


def test_options_are_checked():
    with pytest.raises(ValueError, match="hy-worldplay has no option 'from'; it has form, model_type"):
        load_adapter("hy-worldplay", {"from": "json"})
    with pytest.raises(ValueError, match="form is 'yaml', expected json or string"):
        load_adapter("hy-worldplay", {"form": "yaml"})
    with pytest.raises(ValueError, match="units_per_metre is 'x', expected a number"):
        load_adapter("lyra-2", {"units_per_metre": "x"})
    for bad in ("0", "-1", "nan", "inf"):
        with pytest.raises(ValueError, match="expected a positive number"):
            load_adapter("lyra-2", {"units_per_metre": bad})


@pytest.mark.parametrize("name", [name for name in TABLE if adapter_class(name).spec.consent])
def test_inferred_facts_have_to_be_accepted_in_so_many_words(name):
    spec = adapter_class(name).spec
    given = {option.name: option.default or "1" for option in spec.options}
    with pytest.raises(ValueError, match="not fully known") as error:
        load_adapter(name, given)
    for fact in (*spec.facts.inferred, *spec.facts.unknown):
        assert fact in str(error.value)
    load_adapter(name, {**given, "accept_inferred": "yes"})
    assert any(option.name == "accept_inferred" for option in all_options(spec))


def test_whole_numbers_are_whole():
    for bad in ("0", "1.5", "-3"):
        with pytest.raises(ValueError, match=f"step is {bad}, expected a whole number from 1"):
            load_adapter("camera-c2w", {"step": bad})


def test_listing_loads_no_heavy_library():
    code = "import sys, adapters.cli as c; c.main(['list']); print(sorted({'torch', 'datasets'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=README.parents[1], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_lingbot_checkpoints_keep_their_names():
    with pytest.raises(ValueError, match="no 'cam' in its path"):
        load_adapter("lingbot-world", {"checkpoint": "/models/base"}).command()
    with pytest.raises(ValueError, match="no 'cam' in its path"):
        load_adapter("lingbot-world-act2cam", {"checkpoint": "/models/act"}).command()
    load_adapter("lingbot-world-2-fast", {"checkpoint": "/models/fast"}).command()


@given(first=st.integers(1, 100), step=st.integers(1, 90), asked=st.integers(1, 3000))
def test_the_next_frame_count_is_valid_and_the_smallest(first, step, asked):
    grid = Grid(first, step, "")
    n = grid.next_valid(asked)
    assert n >= asked
    assert grid.is_valid(n)
    assert n == first or n - step < asked
    assert first + grid.index(n) * step == n


def test_a_count_beside_the_grid_has_no_index():
    with pytest.raises(ValueError, match="58 frames are not on the grid mine; next is 97"):
        Grid(57, 40, "mine").index(58)


@given(
    st.lists(
        st.builds(Segment, st.sampled_from(["forward", "left", "yaw_right"]), st.integers(1, 300)),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 40),
)
def test_blocks_are_all_used_and_nothing_that_moves_vanishes(script, n_blocks):
    try:
        blocks = in_blocks(script, n_blocks)
    except ValueError as error:
        assert "too short" in str(error)  # noqa: PT017
        return
    assert sum(block.frames for block in blocks) == n_blocks
    assert [block.action for block in blocks] == [segment.action for segment in script]


def test_holds_where_a_model_cannot_stand_still():
    script = [Segment("left", 5), Segment("hold", 2), Segment("right", 7)]
    assert without_holds(script) == [Segment("left", 7), Segment("right", 7)]
    with pytest.raises(ValueError, match="begins with a hold"):
        without_holds(script[1:])
    with pytest.raises(ValueError, match="does not fit"):
        frame_actions(script, 13)
