"""How prompts of the open set are put into words."""

import re
from dataclasses import replace

import pytest

from dataset_builder.english import capital, is_plural, listed, plural, with_article
from dataset_builder.open_prompts import FORBIDDEN, MAX_WORDS, MIN_WORDS, adjective, phrase, write_prompt
from dataset_builder.open_view import Look, Thing
from revisit_metric.controls import build_scene


def thing(noun, *, look=None, count=1, **more):
    values = {"share": 0.02, "side": 0.0, "spread": 0.1, "distance_m": 4.0}
    flags = {"landmark": False, "movable": True, "flat": False}
    return Thing(noun=noun, count=count, look=look, **(values | flags | more))


@pytest.mark.parametrize(
    ("noun", "many"),
    [
        ("bench", "benches"),
        ("wall shelf", "wall shelves"),
        ("barrel cactus", "barrel cacti"),
        ("berry", "berries"),
        ("tray", "trays"),
        ("box of pears", "boxes of pears"),
        ("groceries", "groceries"),
        ("block of flats", "blocks of flats"),
        ("bracken", "bracken"),
    ],
)
def test_plurals(noun, many):
    assert plural(noun) == many


def test_articles_follow_the_sound():
    words = ("oak table", "range cooker", "hour glass", "uniform", "armchair", "one-armed lamp")
    assert [with_article(word).split()[0] for word in words] == ["an", "a", "an", "a", "an", "a"]


def test_small_rules_of_english():
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert capital("ferns cover it") == "Ferns cover it"
    assert is_plural("reeds")
    assert not is_plural("moss")


@pytest.mark.parametrize(
    ("noun", "look", "words"),
    [
        ("bench", Look("white painted wood", "wall"), "white painted"),
        ("hut", Look("grey planks", "wood"), "grey plank"),
        ("cone", Look("rose coloured plaster", "wall"), "rose plaster"),
        ("gate", Look("slate blue coloured paint", "wall"), "slate blue painted"),
        ("facade", Look("ochre render", "wall"), "ochre plaster"),
        ("sofa", Look("navy linen", "fabric"), "navy linen"),
        ("stone wall", Look("rubble stone", "masonry"), "rubble"),
        ("tiled splashback", Look("blue tiles", "tile"), "blue"),
        ("tree", Look("autumn leaves", "foliage"), ""),
        ("van", Look("slate blue car paint", "wall"), "slate blue painted"),
        ("iron fence", Look("granite", "rock"), ""),
        ("bicycle", Look("black rubber", "fabric"), ""),
        ("jar", None, ""),
    ],
)
def test_materials_become_adjectives(noun, look, words):
    assert adjective(thing(noun, look=look)) == words


def test_phrases_are_singular_plural_or_mass():
    oak = Look("oak", "wood")
    assert phrase(thing("bench", look=oak)) == "an oak bench"
    assert phrase(thing("bench", look=oak, count=4)) == "oak benches"
    assert phrase(thing("grass", count=7)) == "grass"
    assert phrase(thing("stone wall", look=Look("granite", "rock"), count=9)) == "a granite stone wall"
    assert phrase(thing("sea", count=24)) == "the sea"


VIEW = [
    thing("floor", look=Look("oak planks", "wood"), count=12, share=0.3, movable=False, flat=True),
    thing("wall", look=Look("cream plaster", "wall"), count=6, share=0.2, movable=False),
    thing("statue", look=Look("marble", "tile"), landmark=True, movable=False, side=-0.6),
    thing("chair", look=Look("walnut", "wood"), count=3, side=0.6),
    thing("rug", look=Look("navy wool", "fabric"), flat=True),
    thing("vase", side=0.5, share=0.004),
]


def test_a_prompt_keeps_the_rules_for_every_key():
    scene = build_scene("living_room", 0)
    prompts = [write_prompt(scene, VIEW, key=f"indoor_{index}") for index in range(60)]
    assert prompts[0] == write_prompt(scene, VIEW, key="indoor_0")
    assert len(set(prompts)) > 55
    for text in prompts:
        assert MIN_WORDS <= len(text.split()) <= MAX_WORDS
        assert not FORBIDDEN.search(text), text
        assert scene.place in text.lower()
        assert "marble statue" in text.lower()
        assert text[0].isupper()
        assert text.endswith(".")


def test_panels_of_a_building_are_spoken_of_as_the_building():
    panels = [thing(f"boathouse {part}", movable=False, share=0.05) for part in ("wall", "roof", "door")]
    text = write_prompt(build_scene("lakeshore", 0), [*VIEW, *panels], key="a")
    assert "boathouse wall" not in text
    assert "boathouse roof" not in text


def test_a_building_is_as_many_as_its_doors():
    walls = [thing("net hut wall", movable=False, share=0.09), thing("net hut door", count=3, share=0.05)]
    texts = [write_prompt(build_scene("lakeshore", 0), [*VIEW[2:], *walls], key=str(index)) for index in range(9)]
    assert any("net huts" in text for text in texts)
    assert not any("net hut " in text for text in texts)


def test_a_plural_place_takes_a_plural_verb():
    scene = replace(build_scene("lakeshore", 0), place="terraces of blocks behind a wall")
    texts = [write_prompt(scene, VIEW, key=str(index)) for index in range(30)]
    assert any(text.startswith(("These are terraces", "Here are terraces")) for text in texts)
    assert not any(re.search(r"\ba terraces|is terraces", text, re.IGNORECASE) for text in texts)


def test_a_view_of_almost_nothing_has_no_prompt():
    with pytest.raises(ValueError, match="nothing of 25 to 60 words"):
        write_prompt(build_scene("lakeshore", 0), [thing("chair")], key="a")


@pytest.mark.parametrize("word", ["two", "Sunlit", "photorealistic", "3D", "rendered", "several", "evening", "4"])
def test_counts_light_and_style_are_forbidden(word):
    assert FORBIDDEN.search(f"An {word} room")


@pytest.mark.parametrize("text", ["light grey wool", "a landscape painting", "streetlight", "a stone tower"])
def test_materials_and_things_are_not(text):
    assert not FORBIDDEN.search(text)
