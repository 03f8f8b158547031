"""Choose the seeds of the open reference set: object-rich scenes first, then those whose first views differ most.

    python benchmarks/choose_open_seeds.py [--seeds 10] [LAYOUT ...]

Prints `dataset_builder.open_plan.CHOSEN` with, per layout, the least hash distance and the largest cosine. Needs
OpenGL and the weights of the `alexnet_pool` score. Ten seeds of thirty layouts take ten minutes on two cores.
"""

import argparse
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dataset_builder.likeness import HASH_BITS, hash_distances, perceptual_hash
from dataset_builder.open_plan import every_category, turns
from dataset_builder.open_set import SIZE as STILL_SIZE
from dataset_builder.open_view import MIN_OBJECTS, count_objects
from revisit_metric.backbones.alexnet import AlexNetLpips
from revisit_metric.controls import Frame, Renderer, Scene, build_scene
from revisit_metric.weights import weight_path

SIZE = (416, 240)

# What counts as one unit of difference for either measure.
HASH_UNIT, COSINE_UNIT = 16 / HASH_BITS, 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    shares = turns(every_category())
    backbone = AlexNetLpips(weight_path("lpips_alex"), device="cpu")
    with Renderer(size=SIZE, supersample=2) as renderer:
        for layout in sorted(options.layouts or shares):
            seen = [look(renderer, build_scene(layout, seed)) for seed in range(options.seeds)]
            views, rich = [view for view, _ in seen], np.array([rich for _, rich in seen])
            chosen, bits, cosine = choose(views, rich, backbone, shares[layout])
            print(f'    "{layout}": {chosen},  # hash {bits}, cosine {cosine:.3f}', flush=True)


def look(renderer: Renderer, scene: Scene) -> tuple[NDArray[np.uint8], bool]:
    """The first view, and whether it is object-rich."""
    depth, instance = renderer.render_masks(scene, np.eye(4), size=STILL_SIZE)
    view = renderer.render_rgb(scene, np.eye(4))
    return view.copy(), count_objects(scene, Frame(view, depth, instance)) >= MIN_OBJECTS


def choose(
    views: list[NDArray[np.uint8]], rich: NDArray[np.bool_], backbone: AlexNetLpips, count: int
) -> tuple[tuple[int, ...], int, float]:
    """The best `count` of the views, their least hash distance and largest cosine."""
    bits = hash_distances(np.array([perceptual_hash(view) for view in views]))
    found = np.stack([backbone.extract(view[None])[0]["scene"] for view in views])
    cosine = found @ found.T

    def merit(group: tuple[int, ...]) -> tuple[int, float]:
        pairs = np.array(list(combinations(group, 2))).T
        if not pairs.size:
            return int(rich[list(group)].sum()), 0.0
        apart, unlike = bits[tuple(pairs)] / HASH_BITS / HASH_UNIT, (1 - cosine[tuple(pairs)]) / COSINE_UNIT
        return int(rich[list(group)].sum()), float(min(apart.min(), unlike.min()))

    best = max(combinations(range(len(views)), count), key=merit)
    pairs = tuple(np.array(list(combinations(best, 2))).T)
    return best, bits[pairs].min(), cosine[pairs].max()


if __name__ == "__main__":
    main()
