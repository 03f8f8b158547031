"""The committed open set: its mix, its files, its prompts, how different its scenes are; and drawing it again."""

import json
import re
import shutil
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from dataset_builder.cli import main
from dataset_builder.findings import BuildError
from dataset_builder.likeness import MAX_COSINE, MIN_HASH_DISTANCE, hash_distances, perceptual_hash
from dataset_builder.open_plan import SCENES_PER_CATEGORY, read_plan
from dataset_builder.open_prompts import FORBIDDEN, MAX_WORDS, MIN_WORDS
from dataset_builder.open_set import check_set, contact_sheets, difference, draw_set, read_rows
from dataset_builder.open_view import measured_tags
from dataset_builder.scenes import OPEN_FOLDER, OPEN_LICENCE, read_open_scenes
from revisit_metric.controls import available

usable, reason = available()
needs_egl = pytest.mark.skipif(not usable, reason=reason)

ROWS = read_rows()
REDRAWN = ("indoor_01", "natural_02", "abstract_01")

MIN_LAYOUTS = {"indoor": 6, "urban": 8, "natural": 5, "abstract": 2}


def stills(size):
    for row in ROWS:
        with Image.open(OPEN_FOLDER / row["file"]) as image:
            # A copy: torch warns of arrays that it may not write to.
            yield np.array(image.convert("RGB").resize(size, Image.Resampling.BOX))


def closest(matrix, *, largest):
    """Ids and value of the closest pair of a symmetric matrix."""
    sign = -1 if largest else 1
    upper = np.triu_indices(len(matrix), 1)
    best = np.argmin(sign * matrix[upper])
    i, j = (axis[best] for axis in upper)
    return ROWS[i]["scene_id"], ROWS[j]["scene_id"], float(matrix[i, j])


def test_the_set_can_be_read_and_is_free():
    scenes = read_open_scenes()
    assert len(scenes) == 100
    assert {scene.licence for scene in scenes} == {OPEN_LICENCE}
    assert "creativecommons.org/publicdomain/zero" in (OPEN_FOLDER / "LICENSE").read_text()


def test_the_list_follows_the_plan():
    assert [(row["scene_id"], row["layout"], row["seed"], row["category"]) for row in ROWS] == [
        (*draft, draft.category) for draft in read_plan()
    ]


def test_the_mix_is_the_release_s():
    assert Counter(row["category"] for row in ROWS) == SCENES_PER_CATEGORY
    layouts = {category: {row["layout"] for row in ROWS if row["category"] == category} for category in MIN_LAYOUTS}
    assert all(len(layouts[category]) >= least for category, least in MIN_LAYOUTS.items())


def test_tags_are_those_of_the_measurements_and_enough():
    for row in ROWS:
        assert row["tags"] == measured_tags(row["objects"], row["sky_above"]), row["scene_id"]
        assert row["instances"] >= 30
    counts = Counter(tag for row in ROWS for tag in row["tags"])
    assert counts["object-rich"] >= 87
    assert counts["outdoor"] >= 76


def test_every_start_has_room_for_the_templates():
    assert min(row["clearance_m"] for row in ROWS) >= 0.4
    assert min(row["free_space_m"] for row in ROWS) >= 0.4


def test_the_files_are_of_one_kind_and_not_too_many_bytes():
    total = 0
    for row in ROWS:
        path = OPEN_FOLDER / row["file"]
        total += path.stat().st_size
        with Image.open(path) as image:
            assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (832, 480))
            # No chroma subsampling: every component has one sample a pixel.
            assert {component[1:3] for component in image.layer} == {(1, 1)}
    assert total < 30e6
    assert sorted(path.name for path in (OPEN_FOLDER / "images").iterdir()) == sorted(
        row["file"].removeprefix("images/") for row in ROWS
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["scene_id"])
def test_prompts_say_what_lasts_in_plain_english(row):
    text = row["prompt"]
    assert MIN_WORDS <= len(text.split()) <= MAX_WORDS
    assert not FORBIDDEN.search(text)
    assert text.isascii()
    assert text[0].isupper()
    assert text.endswith(".")
    assert not re.search(r"\b[Aa] (?!uni|use|eu|one)[aeiou]|\b[Aa]n (?!hour|heir)[^aeiou]", text)
    assert not re.search(
        r"  | ,|\.\.|\b(\w+) \1\b|\b[Aa]n? (?:(?!(?:and|of)\b)\w+ )*(?!(?:and|of)\b)\w+[^su]s\b(?= (?:is|are)\b)", text
    )


def test_no_two_prompts_are_the_same_and_their_beginnings_vary():
    prompts = [row["prompt"] for row in ROWS]
    assert len(set(prompts)) == len(prompts)
    assert max(Counter(" ".join(text.split()[:2]) for text in prompts).values()) <= 20


def test_no_two_stills_have_nearly_the_same_perceptual_hash():
    distances = hash_distances(np.array([perceptual_hash(picture) for picture in stills((416, 240))]))
    one, other, least = closest(distances, largest=False)
    assert least >= MIN_HASH_DISTANCE, (one, other, least)


@pytest.mark.weights
def test_no_two_stills_have_nearly_the_same_scene_descriptor():
    from revisit_metric.backbones.alexnet import AlexNetLpips
    from revisit_metric.weights import weight_path

    backbone = AlexNetLpips(weight_path("lpips_alex"), device="cpu")
    found = np.stack([backbone.extract(picture[None])[0]["scene"] for picture in stills((416, 240))])
    one, other, most = closest(found @ found.T, largest=True)
    assert most <= MAX_COSINE, (one, other, most)


@needs_egl
def test_stills_drawn_again_agree():
    gaps = dict(check_set(only=REDRAWN))
    assert set(gaps) == set(REDRAWN)
    assert all(gap.within_tolerance for gap in gaps.values())


def small_copy(folder, scene_ids):
    """The first lines of the set with their files."""
    (folder / "images").mkdir()
    rows = [row for row in ROWS if row["scene_id"] in scene_ids]
    for row in rows:
        shutil.copy(OPEN_FOLDER / row["file"], folder / row["file"])
    plan = [json.dumps({key: row[key] for key in ("scene_id", "layout", "seed")}) for row in rows]
    (folder / "plan.jsonl").write_text("\n".join(plan) + "\n")
    (folder / "scenes.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    (folder / "LICENSE").write_text(OPEN_LICENCE)
    return rows


@needs_egl
def test_another_picture_under_the_name_is_found(tmp_path):
    first, second = small_copy(tmp_path, ("abstract_01", "abstract_02"))
    shutil.copy(tmp_path / second["file"], tmp_path / first["file"])
    with pytest.raises(BuildError, match=r"abstract_01: the file's sha256(.|\n)*abstract_01: differs by"):
        list(check_set(tmp_path, only=["abstract_01"]))


@needs_egl
def test_drawing_some_scenes_leaves_the_other_lines(tmp_path):
    first, second = small_copy(tmp_path, ("abstract_01", "abstract_02"))
    (tmp_path / first["file"]).unlink()
    assert list(draw_set(tmp_path, only=["abstract_01"])) == ["abstract_01"]
    again = read_rows(tmp_path)
    assert again[1] == second
    with Image.open(tmp_path / first["file"]) as a, Image.open(OPEN_FOLDER / first["file"]) as b:
        assert difference(np.asarray(a), np.asarray(b)).within_tolerance
    assert len(read_open_scenes(tmp_path)) == 2


def test_a_list_that_does_not_follow_the_plan_is_found(tmp_path):
    small_copy(tmp_path, ("abstract_01",))
    (tmp_path / "plan.jsonl").write_text('{"scene_id": "abstract_01", "layout": "living_room", "seed": 0}\n')
    if not usable:
        pytest.skip(reason)
    with pytest.raises(BuildError, match="does not follow the plan"):
        list(check_set(tmp_path))


def test_an_unknown_scene_is_refused(capsys):
    assert main(["draw", "--only", "moon_01"]) == 2
    assert "the plan holds no scene moon_01" in capsys.readouterr().err


def test_contact_sheets_show_the_stills(tmp_path, capsys):
    small_copy(tmp_path, ("indoor_01", "indoor_02"))
    assert main(["draw", "--out", str(tmp_path), "--contact-sheet", str(tmp_path / "sheet.jpg")]) == 0
    assert "sheet-1.jpg" in capsys.readouterr().out
    (sheet,) = contact_sheets(tmp_path, tmp_path / "sheet.jpg")
    with Image.open(sheet) as picture:
        assert picture.size == (2080, 1200)
        assert np.asarray(picture)[20:240, :832].std() > 10
