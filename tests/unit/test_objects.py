"""Object persistence with stand-in models: known boxes, known masks, known vectors."""

import cv2
import numpy as np
import pytest

from revisit_metric.controls import Fault, GroundTruth, Renderer, available, build_scene, realised_poses
from revisit_metric.controls.rollout import Memory
from revisit_metric.families.object_extraction import PROMPT, WORDS, Detection, Extractor, concept, suppress
from revisit_metric.families.objects import NO_ANCHOR, ObjectPersistence, ObjectPersistenceOfficial
from revisit_metric.families.protocol import PairScore

HEIGHT, WIDTH = 60, 100


class Known:
    """A detector and segmenter that know what is where: frame -> [(box, score, phrase, mask or None for the box)]."""

    def __init__(self, *frames):
        self.table = {frame.tobytes(): things for frame, things in frames}
        self.prompts, self.segmented = [], 0

    def identity(self):
        return {"name": "known"}

    def things(self, frame):
        return self.table.get(frame.tobytes(), [])

    def detect(self, frame, prompt):
        self.prompts.append(prompt)
        words = prompt.removesuffix(" .")
        found = [Detection(box, score, phrase) for box, score, phrase, _ in self.things(frame)]
        return [one for one in found if prompt == PROMPT or concept(one.phrase) == words]

    def segment(self, frame, boxes):
        self.segmented += len(boxes)
        masks = {tuple(np.float32(box)): mask for box, _, _, mask in self.things(frame)}
        return np.stack([filled(frame, box, masks[tuple(box)]) for box in boxes])


def filled(frame, box, mask):
    if mask is not None:
        return mask
    x0, y0, x1, y1 = (round(float(value)) for value in box)
    drawn = np.zeros(frame.shape[:2], bool)
    drawn[y0 : y1 + 1, x0 : x1 + 1] = True
    return drawn


class Colour:
    """Describes a crop by where its mean colour points from grey: opposite colours have cosine -1."""

    def __init__(self):
        self.seen = []

    def identity(self):
        return {"name": "colour"}

    def embed(self, images):
        self.seen += list(images)
        rows = np.stack([image.reshape(-1, 3).mean(axis=0) - 127.5 for image in images])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class Words:
    """Every crop and every word point the same way, or at a right angle."""

    def __init__(self, agree=True):
        self.agree, self.texts = agree, []

    def identity(self):
        return {"name": "words"}

    def embed_images(self, images):
        return np.tile(np.float32([1, 0]), (len(images), 1))

    def embed_text(self, text):
        self.texts.append(text)
        return np.float32([1, 0] if self.agree else [0, 1])


def scene(*things, shade=0):
    """A black frame with coloured rectangles, and the detections that go with it."""
    frame = np.full((HEIGHT, WIDTH, 3), shade, np.uint8)
    for (x0, y0, x1, y1), colour, _, _ in things:
        frame[y0 : y1 + 1, x0 : x1 + 1] = colour
    return frame, [(tuple(map(float, box)), score, phrase, None) for box, _, score, phrase in things]


RED, CYAN, BLUE = (255, 0, 0), (0, 255, 255), (0, 0, 255)
CHAIR, LAMP = (5, 5, 24, 24), (40, 10, 59, 49)


def score_of(*frames, kind=ObjectPersistence, agree=True, **options):
    known = Known(*frames)
    return kind(known, known, Colour(), Words(agree), **options), known


def compare(score, a, b):
    outcomes = score.compare([{"frame": a}], [{"frame": b}])
    return outcomes["app_persist"][0], outcomes["sem_persist"][0]


# --- pairs ---


def test_the_same_things_again():
    a = scene((CHAIR, RED, 0.8, "chair"), (LAMP, BLUE, 0.6, "lamp"))
    score, _ = score_of(a)
    app, sem = compare(score, a[0], a[0])
    assert app == (pytest.approx(1.0, abs=1e-6), None)
    # Half confidence (0.8 and 0.6), half word similarity (1).
    assert sem == (pytest.approx(0.5 * 0.7 + 0.5), None)


def test_unmatched_anchors_contribute_zero():
    a = scene((CHAIR, RED, 0.8, "chair"), (LAMP, BLUE, 0.6, "lamp"))
    b = scene((CHAIR, RED, 0.8, "chair"), shade=1)
    score, _ = score_of(a, b)
    app, sem = compare(score, a[0], b[0])
    assert app.value == pytest.approx(0.5, abs=1e-3)
    assert sem.value == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("colour", "confidence", "agree", "accepted"),
    [
        (CYAN, 0.9, True, False),  # app 0, sem 0.95: 0.475
        (CYAN, 1.0, True, True),  # app 0, sem 1: exactly 0.5
        (RED, 0.26, False, True),  # app 1, sem 0.13 + 0.25
    ],
)
def test_a_match_counts_from_one_half(colour, confidence, agree, accepted):
    a = scene((CHAIR, RED, 0.8, "chair"))
    b = scene((CHAIR, colour, confidence, "chair"), shade=1)
    score, _ = score_of(a, b, agree=agree)
    app, sem = compare(score, a[0], b[0])
    assert (sem.value > 0) is accepted
    assert (app.value > 0.5) is (accepted and colour == RED)


def test_the_best_candidate_is_taken_and_may_serve_two_anchors():
    a = scene((CHAIR, RED, 0.8, "chair"), (LAMP, RED, 0.6, "chair"))
    b = scene((CHAIR, BLUE, 0.9, "chair"), (LAMP, RED, 0.7, "chair"), shade=1)
    score, _ = score_of(a, b)
    app, sem = compare(score, a[0], b[0])
    assert app.value == pytest.approx(1.0, abs=1e-3)
    assert sem.value == pytest.approx(0.5 * 0.7 + 0.5)


def test_no_anchor_is_missing_by_default_and_zero_in_the_official_variant():
    empty, thing = scene(), scene((CHAIR, RED, 0.8, "chair"))
    score, _ = score_of(empty, thing)
    assert compare(score, empty[0], thing[0]) == ((None, NO_ANCHOR), (None, NO_ANCHOR))
    official, _ = score_of(empty, thing, kind=ObjectPersistenceOfficial)
    expected = (0.0, f"0 by rule: {NO_ANCHOR}")
    assert compare(official, empty[0], thing[0]) == (expected, expected)


def test_nothing_in_the_later_frame_is_zero():
    thing, empty = scene((CHAIR, RED, 0.8, "chair")), scene()
    score, _ = score_of(empty, thing)
    assert compare(score, thing[0], empty[0]) == ((0.0, None), (0.0, None))


def test_identity_tells_the_variants_apart():
    paper, _ = score_of()
    official, _ = score_of(kind=ObjectPersistenceOfficial)
    assert isinstance(paper, PairScore)
    assert (paper.identity()["variant"], official.identity()["variant"]) == ("paper", "official")
    assert paper.identity()["detector.name"] == "known"
    assert paper.identity() != official.identity()


# --- order of the cut ---


def many(count, confidence):
    """`count` small boxes of falling confidence, then one large box of `confidence`."""
    small = [((8 * k, 0, 8 * k + 5, 5), RED, 0.9 - 0.01 * k, f"thing{k}") for k in range(count)]
    return scene(*small, ((0, 20, 99, 59), BLUE, confidence, "wall"))


def concepts(kind, frame, keep):
    known = Known(frame)
    extractor = Extractor(known, known, Colour(), Words())
    found = extractor.find(frame[0], PROMPT, keep=keep, keep_before_masks=kind.variant.keep_before_masks)
    return [one.concept for one in found]


def test_paper_ranks_by_confidence_times_area_official_cuts_by_confidence_first():
    frame = many(5, 0.3)
    assert concepts(ObjectPersistence, frame, 3) == ["wall", "thing0", "thing1"]
    assert concepts(ObjectPersistenceOfficial, frame, 3) == ["thing0", "thing1", "thing2"]
    assert concepts(ObjectPersistenceOfficial, many(2, 0.3), 3) == ["wall", "thing0", "thing1"]


def test_at_most_ten_anchors_and_five_candidates():
    a = many(12, 0.95)
    things = [((8 * k, 0, 8 * k + 5, 5), RED, 0.9 - 0.01 * k, "wall") for k in range(12)]
    b = scene(*things, shade=1)
    score, known = score_of(a, b)
    compare(score, a[0], b[0])
    assert len(known.prompts) == 1 + 10
    assert len(score._objects) == 1 + 10
    assert sorted(len(found) for found in score._objects.values())[-2:] == [5, 10]


def test_small_masks_and_empty_boxes_are_dropped():
    dot, line = (50, 50, 51, 52), (70, 10, 70, 30)
    frame = scene((CHAIR, RED, 0.5, "chair"), (dot, RED, 0.9, "dot"), (line, RED, 0.9, "line"))
    # 6 pixels of 6000 are 0.001; the line has an area of 21 pixels but no width.
    assert concepts(ObjectPersistence, frame, 10) == ["chair"]


# --- crops ---


def test_crops_are_white_outside_the_mask_unless_the_mask_misses_the_box():
    frame = np.full((HEIGHT, WIDTH, 3), 7, np.uint8)
    half = np.zeros((HEIGHT, WIDTH), bool)
    half[5:25, 5:15] = True
    elsewhere = np.zeros((HEIGHT, WIDTH), bool)
    elsewhere[40:] = True
    boxes = [(5.4, 4.6, 24.0, 24.0), (60.0, 5.0, 79.0, 24.0)]
    known = Known((frame, [(boxes[0], 0.9, "a", half), (boxes[1], 0.8, "b", elsewhere)]))
    colour = Colour()
    Extractor(known, known, colour, Words()).find(frame, PROMPT, keep=10, keep_before_masks=False)
    second, first = sorted(colour.seen, key=lambda crop: crop.mean())
    assert first.shape == (20, 20, 3)
    assert (first[:, :10] == 7).all()
    assert (first[:, 10:] == 255).all()
    assert (second == 7).all()
    assert (frame == 7).all()


# --- helpers ---


def test_prompt_is_the_recipes():
    assert len(WORDS.split()) == 23
    assert PROMPT.startswith("object . furniture . building . vehicle . plant")
    assert PROMPT.endswith("road . wall . floor .")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Chair", "chair"),
        ("chair table", "chair table"),
        (" lamp (tall) . ", "lamp"),
        ("caf\u00e9 sign!", "caf sign"),
        ("and/or t-shirt_1", "and/or t-shirt_1"),
        ("", "object"),
        ("...", "object"),
    ],
)
def test_concepts(phrase, expected):
    assert concept(phrase) == expected


def test_suppression_ignores_the_class_and_keeps_touching_boxes():
    boxes = {"a": (0, 0, 10, 10), "b": (0, 0, 10, 9), "c": (10, 0, 20, 10), "d": (5, 0, 15, 10)}
    scores = {"a": 0.5, "b": 0.9, "c": 0.6, "d": 0.4}
    kept = suppress([Detection(tuple(map(float, boxes[k])), scores[k], k) for k in boxes])
    assert [one.phrase for one in kept] == ["b", "c", "d"]
    assert suppress([]) == []


# --- reuse ---


def test_anchors_once_per_frame_and_candidates_once_per_concept():
    a = scene((CHAIR, RED, 0.8, "chair"), (LAMP, BLUE, 0.6, "chair"))
    b = scene((CHAIR, RED, 0.8, "chair"), shade=1)
    score, known = score_of(a, b)
    for _ in range(2):
        score.compare([{"frame": a[0]}, {"frame": a[0].copy()}], [{"frame": b[0]}] * 2)
    assert known.prompts == [PROMPT, "chair ."]
    assert score._extractor.meaning.texts == ["chair"]


def test_a_frame_of_another_shape_is_another_frame():
    wide = scene((CHAIR, RED, 0.8, "chair"))[0] * 0
    score, known = score_of()
    compare(score, wide, wide)
    compare(score, wide.transpose(1, 0, 2), wide)
    assert known.prompts == [PROMPT, PROMPT]


def test_a_small_cache_changes_no_value():
    frames = [scene((CHAIR, (40 * k, 90, 200), 0.8, "chair"), (LAMP, RED, 0.5, "lamp")) for k in range(5)]
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (2, 4), (0, 4)]
    columns = [[{"frame": frames[pair[side]][0]} for pair in pairs] for side in (0, 1)]
    large, _ = score_of(*frames)
    small, _ = score_of(*frames, cache_entries=1)
    assert large.compare(*columns) == small.compare(*columns)
    assert len(small._objects) == 1
    one_by_one = [large.compare([a], [b])["app_persist"][0] for a, b in zip(*columns, strict=True)]
    assert one_by_one == large.compare(*columns)["app_persist"]


# --- a rendered world with true masks ---

_WORKS, _REASON = available()
SIZE = (320, 180)


class Layout:
    """Describes a crop by its colours on an 8x8 grid, which is enough to tell a new look from an old one."""

    def identity(self):
        return {"name": "layout"}

    def embed(self, images):
        small = [cv2.resize(image, (8, 8), interpolation=cv2.INTER_AREA).reshape(-1) / 255 - 0.5 for image in images]
        rows = np.stack(small)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def true_objects(frame, nouns):
    """Everything visible of a rendered frame, with its true box and mask."""
    things = []
    for instance in np.unique(frame.instance[frame.instance > 0]):
        mask = frame.instance == instance
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        box = tuple(map(float, (columns[0], rows[0], columns[-1], rows[-1])))
        things.append((box, 0.9, nouns[int(instance)], mask))
    return frame.rgb, things


def there_and_back():
    metres = np.concatenate([np.linspace(0, 7.2, 41), np.full(35, 7.2), np.linspace(7.2, 0, 41)])
    poses = np.tile(np.eye(4), (len(metres), 1, 1))
    poses[:, 0, 3] = metres
    return poses


def first_and_return(world, renderer, dose):
    fault = Fault("forgetful", dose)
    truth = GroundTruth(fault, realised_poses(there_and_back(), fault))
    memory = Memory(world, truth)
    first = renderer.render(world, truth.poses[0], table=memory.table)
    for index, pose in enumerate(truth.poses):
        memory.watch(index, pose, renderer)
    return first, renderer.render(world, truth.poses[-1], table=memory.table)


@pytest.mark.skipif(not _WORKS, reason=_REASON)
def test_persistence_falls_as_more_is_forgotten():
    values = []
    for seed in (0, 1):
        world = build_scene("living_room", seed)
        nouns = {part.instance: part.noun for part in world.parts}
        with Renderer(size=SIZE) as renderer:
            views = [first_and_return(world, renderer, dose) for dose in (0.0, 0.3, 0.6, 1.0)]
        frames = [true_objects(view, nouns) for pair in views for view in pair]
        known = Known(*frames)
        score = ObjectPersistence(known, known, Layout(), Words())
        columns = [[{"frame": pair[side].rgb} for pair in views] for side in (0, 1)]
        values.append([outcome.value for outcome in score.compare(*columns)["app_persist"]])

    for column in values:
        assert column[0] == pytest.approx(1.0, abs=1e-6)
        assert column == sorted(column, reverse=True)
        assert column[-1] < column[0] - 0.02
