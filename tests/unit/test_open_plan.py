"""The table of the open set's scenes and the rule by which it was dealt."""

from collections import Counter

import pytest

from dataset_builder.open_plan import SCENES_PER_CATEGORY, Draft, deal_plan, read_plan, write_plan

KINDS = {"den": "indoor", "lane": "urban", "square": "urban", "wood": "natural", "cubes": "abstract"}


def test_a_dealt_plan_has_the_release_s_mix():
    plan = deal_plan(KINDS)
    assert Counter(KINDS[draft.layout] for draft in plan) == SCENES_PER_CATEGORY
    assert len({draft.scene_id for draft in plan}) == 100
    assert len({(draft.layout, draft.seed) for draft in plan}) == 100


def test_layouts_take_turns_with_their_chosen_seeds():
    plan = deal_plan(KINDS, {"lane": (5, 2)})
    urban = [draft for draft in plan if KINDS[draft.layout] == "urban"]
    assert [draft.layout for draft in urban[:4]] == ["lane", "square", "lane", "square"]
    assert [draft.seed for draft in urban if draft.layout == "lane"][:4] == [5, 2, 6, 7]
    assert [draft.seed for draft in urban if draft.layout == "square"][:4] == [0, 1, 2, 3]
    assert [draft.scene_id for draft in urban[:2]] == ["urban_01", "urban_02"]


def test_the_order_of_the_table_does_not_matter():
    assert deal_plan(dict(reversed(KINDS.items()))) == deal_plan(KINDS)


def test_a_category_without_layouts_cannot_be_dealt():
    with pytest.raises(ValueError, match="no layout of category 'urban'"):
        deal_plan({name: kind for name, kind in KINDS.items() if kind != "urban"})


def test_a_plan_survives_writing(tmp_path):
    plan = [Draft("indoor_01", "living_room", 3), Draft("natural_01", "forest_rocks", 0)]
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan
    assert plan[1].category == "natural"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"scene_id": "a", "layout": "moon", "seed": 0}', "line 1: no layout 'moon'"),
        ('{"scene_id": "a", "layout": "living_room"}', "line 1: expected scene_id, layout and seed"),
        ("scene", "line 1: expected scene_id"),
    ],
)
def test_a_line_that_is_no_draft_is_named(tmp_path, line, message):
    (tmp_path / "plan.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=message):
        read_plan(tmp_path)
