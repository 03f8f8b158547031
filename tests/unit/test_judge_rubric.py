import json

import pytest

from revisit_metric.judge.rubric import INCONSISTENCY_TYPES, REQUEST, RUBRIC_VERSION, SCHEMA, load_rubric

BUILT_IN = (1, "3cd21e3c7feecce4e9d9f8b36931feae2b91ab0c1645306be5be8b90aa0525d8")
"""A changed rubric is another judge: raise RUBRIC_VERSION together with this hash."""


def test_the_rubric_has_not_changed_without_its_version():
    assert (RUBRIC_VERSION, load_rubric().sha256) == BUILT_IN


def test_the_rubric_says_what_the_schema_holds():
    text = load_rubric().text
    assert all(f"`{kind}`" in text for kind in INCONSISTENCY_TYPES)
    assert all(f'"{name}"' in text for name in SCHEMA["required"])
    assert list(SCHEMA["properties"])[-1] == "score"
    assert all(f"\n- {anchor}: " in text for anchor in (1, 2, 3, 4, 5))
    json.dumps(SCHEMA)


def test_the_judge_is_not_told_how_pairs_are_chosen():
    told = (load_rubric().text + REQUEST).lower()
    assert not any(word in told for word in ("revisit", "baseline", "control", "short gap", "returns"))


def test_a_prompt_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text('Reply {"score": ...}', encoding="utf-8")
    rubric = load_rubric(path)
    assert (rubric.name, rubric.text, rubric.schema) == ("mine.txt", 'Reply {"score": ...}', None)
    path.write_text('Reply {"score": ...}.', encoding="utf-8")
    assert load_rubric(path).sha256 != rubric.sha256 != load_rubric().sha256


@pytest.mark.parametrize(
    ("content", "match"),
    [(b"", "it is empty"), (b"Rate it.", "the word is not in it"), (b"\xff\xfe", "not UTF-8")],
)
def test_a_file_that_is_no_prompt(tmp_path, content, match):
    (tmp_path / "mine.txt").write_bytes(content)
    with pytest.raises(ValueError, match=match):
        load_rubric(tmp_path / "mine.txt")
