"""Which scenes the open set holds: a table of scene id, layout and seed, written out in `open/plan.jsonl`.

The table was dealt by a rule, and may be dealt again: within a category the layouts take turns, in alphabetical order
without those `LEFT_OUT`; the n-th turn of a layout takes the n-th of its `CHOSEN` seeds, or the next larger seed where
they run out. The written table is what counts: a layout added later changes nothing until someone deals again.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dataset_builder.prompts import read_text
from dataset_builder.scenes import OPEN_FOLDER
from revisit_metric.controls.layouts import LAYOUTS

SCENES_PER_CATEGORY = {"indoor": 24, "urban": 44, "natural": 28, "abstract": 4}
"""As in the release: 100 scenes."""

LEFT_OUT = frozenset({"mobile_hall", "railway_platform", "station_canopy"})
"""Layouts without a turn. The set owes 76 outdoor scenes and has 24 indoor ones, so no other may have a roof."""

CHOSEN: dict[str, tuple[int, ...]] = {
    "alpine_meadow": (3, 7, 8, 9),
    "arcade_courtyard": (6, 7, 8, 9),
    "avenue_bus_stop": (1, 3, 5, 9),
    "back_alley": (3, 5, 7),
    "birch_grove": (1, 5, 7, 9),
    "canal_bridge": (0, 3, 5),
    "canal_quay": (0, 3, 4),
    "construction_site": (1, 2, 8),
    "corner_cafe": (1, 3, 8),
    "desert_canyon": (1, 2, 4, 5),
    "farmhouse_kitchen": (0, 1, 8),
    "forest_rocks": (0, 1, 5, 8),
    "gallery_library": (5, 8, 9),
    "glasshouse_nursery": (1, 4, 9),
    "grocery_shop": (3, 7, 9),
    "harbour_quay": (4, 6, 9),
    "joinery_workshop": (0, 3, 8),
    "lakeshore": (2, 5, 8),
    "laundry_alley": (1, 8, 9),
    "living_room": (0, 8),
    "museum_hall": (1, 4),
    "old_town_square": (2, 4, 8),
    "park_playground": (1, 3, 9),
    "petrol_station": (1, 4, 8),
    "residential_street": (1, 4, 7),
    "rocky_beach": (1, 3, 7),
    "shape_gallery": (0, 4),
    "shopping_street": (0, 8, 9),
    "snowy_clearing": (1, 2, 8),
    "stair_terraces": (0, 7),
    "street_market": (0, 3, 5),
    "village_classroom": (0, 3),
    "vineyard": (3, 4, 6),
}
"""Of the first ten seeds of a layout, those with the most object-rich scenes, then those whose first views differ most
(`benchmarks/choose_open_seeds.py`); some were exchanged by eye for what the contact sheets showed."""

PLAN_FILE = "plan.jsonl"


class Draft(NamedTuple):
    """One scene to draw."""

    scene_id: str
    layout: str
    seed: int

    @property
    def category(self) -> str:
        """The layout's."""
        return LAYOUTS[self.layout].category


def turns(categories: Mapping[str, str], counts: Mapping[str, int] = SCENES_PER_CATEGORY) -> dict[str, int]:
    """How many turns each layout gets.

    Args:
        categories: Category of each layout.
        counts: Scenes of each category.

    Raises:
        ValueError: A category has scenes to deal and no layout.

    Example:
        >>> turns({"b": "abstract", "a": "abstract", "c": "abstract"}, {"abstract": 4})
        {'a': 2, 'b': 1, 'c': 1}
    """
    shares = {}
    for category, count in counts.items():
        names = sorted(name for name, kind in categories.items() if kind == category)
        if not names:
            raise ValueError(f"no layout of category {category!r} among {', '.join(categories)}")
        shares.update({name: len(range(place, count, len(names))) for place, name in enumerate(names)})
    return shares


def deal_plan(
    categories: Mapping[str, str] | None = None,
    chosen: Mapping[str, tuple[int, ...]] = CHOSEN,
    *,
    counts: Mapping[str, int] = SCENES_PER_CATEGORY,
) -> list[Draft]:
    """Deal the table by the rule of the module's docstring.

    Args:
        categories: Category of each layout; those of `LAYOUTS` but `LEFT_OUT` where `None`.
        chosen: Seeds of a layout, in the order of its turns.
        counts: Scenes of each category.

    Raises:
        ValueError: A category has scenes to deal and no layout.

    Example:
        >>> plan = deal_plan({"a": "abstract", "b": "abstract"}, {"b": (7,)}, counts={"abstract": 4})
        >>> [(draft.scene_id, draft.layout, draft.seed) for draft in plan]
        [('abstract_01', 'a', 0), ('abstract_02', 'b', 7), ('abstract_03', 'a', 1), ('abstract_04', 'b', 8)]
    """
    kinds = every_category() if categories is None else categories
    shares = turns(kinds, counts)
    plan = []
    for category, count in counts.items():
        names = [name for name in shares if kinds[name] == category]
        for index in range(count):
            turn, place = divmod(index, len(names))
            seed = _seed(chosen.get(names[place], ()), turn)
            plan.append(Draft(f"{category}_{index + 1:02d}", names[place], seed))
    return plan


def every_category() -> dict[str, str]:
    """Category of each layout that takes turns."""
    return {name: row.category for name, row in LAYOUTS.items() if name not in LEFT_OUT}


def _seed(chosen: tuple[int, ...], turn: int) -> int:
    if turn < len(chosen):
        return chosen[turn]
    return max(chosen, default=-1) + 1 + turn - len(chosen)


def read_plan(folder: Path = OPEN_FOLDER) -> list[Draft]:
    """Read the written table.

    Raises:
        PromptError: It cannot be read.
        ValueError: A line is no draft, or names a layout that does not exist; the message says which.
    """
    path = folder / PLAN_FILE
    plan = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        try:
            draft = Draft(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}, line {number}: expected scene_id, layout and seed: {error}") from error
        if draft.layout not in LAYOUTS:
            raise ValueError(f"{path}, line {number}: no layout {draft.layout!r}; known: {', '.join(LAYOUTS)}")
        plan.append(draft)
    return plan


def write_plan(folder: Path, plan: Iterable[Draft]) -> None:
    """Write the table to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(draft._asdict()) + "\n" for draft in plan]
    (folder / PLAN_FILE).write_text("".join(lines), encoding="utf-8")
