"""A folder of the user's own images: every fault is told, each with its file."""

import numpy as np
import pytest
from PIL import Image

from dataset_builder.findings import BuildError
from dataset_builder.folder import left_out, read_folder_scenes


def add(folder, name, prompt="A place", *, seed=0, size=(832, 480), **options):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(path, **options)
    if prompt:
        path.with_suffix(".txt").write_text(prompt, encoding="utf-8")
    return path


def faults(folder, **options):
    with pytest.raises(BuildError) as caught:
        read_folder_scenes(folder, **options)
    return str(caught.value)


def test_scenes_come_in_the_order_of_their_ids(tmp_path):
    for seed, name in enumerate(["z/a.jpg", "b.png", "ä.webp"]):
        add(tmp_path, name, f"Place {name}", seed=seed)
    scenes = read_folder_scenes(tmp_path, licence="CC-BY-4.0")
    assert [scene.scene_id for scene in scenes] == ["a", "b", "ä"]
    assert scenes[0].prompt == "Place z/a.jpg"
    assert scenes[0].camera_size == (832, 480)
    assert {scene.licence for scene in scenes} == {"CC-BY-4.0"}
    assert scenes[0].image() == {"bytes": (tmp_path / "z/a.jpg").read_bytes(), "path": "a.jpg"}


def test_a_table_gives_prompt_category_tags_and_licence(tmp_path):
    add(tmp_path, "a.png", None)
    (tmp_path / "metadata.csv").write_text(
        "file_name,prompt,category,tags,licence\na.png,A wood,natural,outdoor,CC0-1.0\n"
    )
    (scene,) = read_folder_scenes(tmp_path)
    assert (scene.prompt, scene.category, scene.tags, scene.licence) == (
        "A wood",
        "natural",
        ("outdoor",),
        "CC0-1.0",
    )


def test_a_table_elsewhere_may_be_joined_by_text_files(tmp_path):
    add(tmp_path / "images", "a.png", "From the text file")
    table = tmp_path / "labels.jsonl"
    table.write_text('{"file_name": "a.png", "category": "urban"}')
    (scene,) = read_folder_scenes(tmp_path / "images", prompts=table)
    assert (scene.prompt, scene.category, scene.licence) == ("From the text file", "urban", "not stated")


def test_all_faults_are_told_at_once(tmp_path):
    add(tmp_path, "good.png", seed=1)
    add(tmp_path, "no_prompt.png", None, seed=2)
    add(tmp_path, "small.png", seed=3, size=(320, 240))
    add(tmp_path, "cut.jpg", seed=4).write_bytes((tmp_path / "good.png").read_bytes()[:9000])
    add(tmp_path, "latin.png", seed=5)
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    (tmp_path / "lonely.txt").write_text("a prompt of no image")
    add(tmp_path, "twice/good.jpg", seed=6)
    (tmp_path / "copy.png").write_bytes((tmp_path / "good.png").read_bytes())
    (tmp_path / "copy.txt").write_text("the same picture")
    Image.new("CMYK", (832, 480)).save(tmp_path / "print.jpg")
    (tmp_path / "print.txt").write_text("for print")
    text = faults(tmp_path)
    assert "the folder cannot be used (8 findings)" in text
    for line in (
        "no_prompt.png: no prompt: write no_prompt.txt, or a row in metadata.csv",
        "small.png: size: 320 x 240 pixels",
        "cut.jpg: not a readable image, or cut off",
        "latin.txt: byte 0xe9 at offset 3 is not UTF-8",
        "lonely.txt: a prompt without an image of the same name",
        "good.jpg: scene id 'good' is taken by",
        "good.png: the same bytes as",
        "print.jpg: colour mode CMYK",
    ):
        assert line in text, line


def test_rules_are_waived_by_name(tmp_path):
    add(tmp_path, "small.png", size=(320, 240))
    assert "size: 320 x 240" in faults(tmp_path)
    assert len(read_folder_scenes(tmp_path, waived=("size",))) == 1


def test_table_faults(tmp_path):
    add(tmp_path, "a.png", "one prompt")
    add(tmp_path, "b.png", None, seed=1)
    (tmp_path / "metadata.csv").write_text("file_name,prompt\na.png,another\nb.png,\nc.png,gone\n")
    (tmp_path / "metadata.jsonl").write_text("{}")
    text = faults(tmp_path)
    assert "holds metadata.csv and metadata.jsonl: keep one" in text
    assert "a.txt: another prompt than in the table" in text
    assert "b.png: no prompt in its row" in text
    assert "metadata.csv: names 'c.png', which is no image" in text


def test_an_unreadable_table_is_one_fault(tmp_path):
    add(tmp_path, "a.png", None)
    (tmp_path / "metadata.csv").write_bytes(b"file_name,prompt\na.png,caf\xe9\n")
    text = faults(tmp_path)
    assert "(1 finding)" in text
    assert "metadata.csv: byte 0xe9 at offset 26" in text


def test_no_scene_and_no_folder(tmp_path):
    (tmp_path / "notes.md").write_text("x")
    (tmp_path / ".hidden.png").write_text("x")
    assert "no image: looked for .bmp, .jpeg" in faults(tmp_path)
    assert "no such folder" in faults(tmp_path / "none")
    assert [path.name for path in left_out(tmp_path)] == ["notes.md"]
