"""The layouts of the reference world and `build_scene`.

Conventions: a layout is `function(builder) -> place`: it adds parts, light and lamps in the authoring frame
(x right, up, z away from the camera; the camera starts at (0, eye, 0) looking along +z) and returns a noun
phrase for the place. One row of `LAYOUTS` makes it known. What every layout owes the controls:

* free space of 0.4 m or more around the camera on all three templates: x 0..7.2 at z 0; the square 0..4 by
0..4;
  z 0..2.4 at x 0;
* most of the first view within 7 m, in parts of one or two metres, so that it leaves the view on a 7.2 m
strafe; * something to see within 90 degrees to the left and right of the start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.layouts import (
    abstract,
    abstract_more,
    indoor,
    indoor_home,
    indoor_public,
    indoor_trade,
    indoor_work,
    natural,
    natural_dry,
    natural_water,
    natural_woods,
    urban,
    urban_canal,
    urban_homes,
    urban_squares,
    urban_station,
    urban_transit,
    urban_travel,
    urban_water,
    urban_works,
)
from revisit_metric.controls.scene import Scene


class Layout(NamedTuple):
    """One row of the table of layouts."""

    category: str
    fill: Callable[[SceneBuilder], str]
    eye_m: float = 1.55


LAYOUTS: dict[str, Layout] = {
    "living_room": Layout("indoor", indoor.living_room),
    "farmhouse_kitchen": Layout("indoor", indoor_home.farmhouse_kitchen),
    "gallery_library": Layout("indoor", indoor_public.gallery_library),
    "museum_hall": Layout("indoor", indoor_public.museum_hall),
    "corner_cafe": Layout("indoor", indoor_trade.corner_cafe),
    "grocery_shop": Layout("indoor", indoor_trade.grocery_shop),
    "joinery_workshop": Layout("indoor", indoor_work.joinery_workshop),
    "glasshouse_nursery": Layout("indoor", indoor_work.glasshouse_nursery),
    "village_classroom": Layout("indoor", indoor_work.village_classroom),
    "shopping_street": Layout("urban", urban.shopping_street, eye_m=1.6),
    "residential_street": Layout("urban", urban_homes.residential_street, eye_m=1.6),
    "park_playground": Layout("urban", urban_homes.park_playground, eye_m=1.6),
    "old_town_square": Layout("urban", urban_squares.old_town_square, eye_m=1.6),
    "street_market": Layout("urban", urban_squares.street_market, eye_m=1.6),
    "harbour_quay": Layout("urban", urban_water.harbour_quay, eye_m=1.6),
    "canal_bridge": Layout("urban", urban_water.canal_bridge, eye_m=1.6),
    "construction_site": Layout("urban", urban_works.construction_site, eye_m=1.6),
    "back_alley": Layout("urban", urban_works.back_alley, eye_m=1.6),
    "canal_quay": Layout("urban", urban_canal.canal_quay, eye_m=1.6),
    "arcade_courtyard": Layout("urban", urban_canal.arcade_courtyard, eye_m=1.6),
    "railway_platform": Layout("urban", urban_transit.railway_platform, eye_m=1.6),
    "laundry_alley": Layout("urban", urban_transit.laundry_alley, eye_m=1.6),
    "station_canopy": Layout("urban", urban_station.station_canopy, eye_m=1.6),
    "petrol_station": Layout("urban", urban_travel.petrol_station, eye_m=1.6),
    "avenue_bus_stop": Layout("urban", urban_travel.avenue_bus_stop, eye_m=1.6),
    "forest_rocks": Layout("natural", natural.forest_rocks, eye_m=1.6),
    "lakeshore": Layout("natural", natural_water.lakeshore, eye_m=1.6),
    "rocky_beach": Layout("natural", natural_water.rocky_beach, eye_m=1.6),
    "desert_canyon": Layout("natural", natural_dry.desert_canyon, eye_m=1.6),
    "vineyard": Layout("natural", natural_dry.vineyard, eye_m=1.6),
    "birch_grove": Layout("natural", natural_woods.birch_grove, eye_m=1.6),
    "snowy_clearing": Layout("natural", natural_woods.snowy_clearing, eye_m=1.6),
    "alpine_meadow": Layout("natural", natural_woods.alpine_meadow, eye_m=1.6),
    "shape_gallery": Layout("abstract", abstract.shape_gallery, eye_m=1.6),
    "stair_terraces": Layout("abstract", abstract_more.stair_terraces, eye_m=1.6),
    "mobile_hall": Layout("abstract", abstract_more.mobile_hall, eye_m=1.6),
}


def build_scene(layout: str, seed: int) -> Scene:
    """The scene that `layout` and `seed` define; equal arguments give equal scenes.

    Args:
        layout: a key of `LAYOUTS`.
        seed: 0 or more; changes colours, textures and the mix of objects.

    Raises:
        ValueError: no such layout; the message lists the known ones.

    Example:
        >>> scene = build_scene("living_room", 0)
        >>> scene.category, len(scene.parts) > 100
        ('indoor', True)
    """
    if layout not in LAYOUTS:
        raise ValueError(f"no layout {layout!r}; known: {', '.join(LAYOUTS)}")
    row = LAYOUTS[layout]
    b = SceneBuilder(np.random.default_rng([crc32(layout.encode()), seed]), eye_m=row.eye_m)
    place = row.fill(b)
    return b.scene(layout, row.category, seed, place=place)
