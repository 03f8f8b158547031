"""Times of day and kinds of weather for outdoor scenes.

Conventions: `Light.to_sun` is in the world frame (y down, z ahead): a negative z lights what faces the camera.
"""

from __future__ import annotations

from revisit_metric.controls.builder import SceneBuilder
from revisit_metric.controls.scene import Light

MOODS: dict[str, Light] = {
    "morning": Light(to_sun=(-0.62, -0.6, -0.42), sun=(2.45, 2.2, 1.8), clouds=0.4, fog_per_m=0.005),
    "noon": Light(to_sun=(0.22, -0.9, -0.42), sun=(2.4, 2.3, 2.1), clouds=0.5, fog_per_m=0.004),
    "afternoon": Light(to_sun=(0.6, -0.66, -0.42), sun=(2.5, 2.25, 1.85), clouds=0.35, fog_per_m=0.004),
    "evening": Light(
        to_sun=(-0.72, -0.4, -0.5),
        sun=(2.7, 1.95, 1.2),
        zenith=(0.16, 0.28, 0.56),
        horizon=(0.82, 0.68, 0.55),
        sky_ambient=(0.5, 0.52, 0.62),
        ground_ambient=(0.3, 0.25, 0.21),
        clouds=0.35,
        fog_per_m=0.006,
    ),
    "bright cloud": Light(
        to_sun=(0.4, -0.8, -0.4),
        sun=(1.25, 1.2, 1.1),
        zenith=(0.4, 0.48, 0.6),
        horizon=(0.74, 0.77, 0.8),
        sky_ambient=(0.78, 0.82, 0.88),
        ground_ambient=(0.36, 0.35, 0.33),
        clouds=0.9,
        fog_per_m=0.007,
    ),
}


def daylight(b: SceneBuilder, *moods: str) -> Light:
    """One of the named moods."""
    return MOODS[b.one_of(*moods)]
