import html.parser
import json
import math
import re
from importlib.resources import files

import numpy as np
import pytest

from revisit_metric import profiles
from revisit_metric.families.protocol import Metric, Outcome
from revisit_metric.journal import Journal
from revisit_metric.manifest import Rollout
from revisit_metric.pairs import PairSet, Thresholds
from revisit_metric.report.bars import families_of
from revisit_metric.report.frames import MAX_BYTES, MAX_SIZE, read_pictures, shrink
from revisit_metric.report.html import report_page, write_report
from revisit_metric.report.markup import Html, el, name, text
from revisit_metric.report.pair_values import PairLookup, PairValues
from revisit_metric.report.provenance import provenance_section
from revisit_metric.report.rollouts import spread
from revisit_metric.report.strips import pick_returns
from revisit_metric.report.words import MINUS, number
from revisit_metric.results import Failure, Scored, build_result, read_result
from revisit_metric.tasks import revisit
from revisit_metric.video import write_video

NASTY = "<script>alert(\"x\")</script> & 'q'"
VOID = {"meta", "img", "br"}
RETURNS = ((1, 20), (2, 21), (3, 22), (4, 23))


class FakeScore:
    """A pair score with invented values."""

    def __init__(self, name, *metrics):
        self.name = name
        self.backbone = "fake"
        self.metrics = metrics

    def identity(self):
        return {"setting": NASTY}


class FakeBackbone:
    name = "fake"

    def identity(self):
        return {"name": "fake", "weights": "ab" * 32}


SCORES = (
    FakeScore("psnr", Metric("psnr", "appearance", True, (0.0, 100.0), 1)),
    FakeScore("lpips", Metric("lpips", "appearance", False, (0.0, math.inf), 1)),
    FakeScore("own", Metric("own", "scene", True, (0.0, 1.0), 1)),
)
PROFILE = profiles.Profile("embedded", 1, {"appearance": ("psnr", "lpips"), "geometry": ("sift",)})
LOADED = profiles.Loaded(PROFILE, SCORES, {"fake": FakeBackbone()}, "cpu", {"sift_match": f"no weights: {NASTY}"})
LPIPS = dict(zip(RETURNS, (0.4, 0.1, 0.3, 0.2), strict=True))


def pair_set(**changes):
    given = {
        "protocol": "official",
        "version": 1,
        "seed": 42,
        "cap": 100,
        "n_frames": 24,
        "revisit": RETURNS,
        "baseline": ((0, 12), (5, 23), (1, 20)),
        "short": ((0, 2), (4, 6), (10, 13)),
        "thresholds": Thresholds(0.1, 1.0, 10, 10),
        "tier": "strict",
        "matched_rate": 0.75,
        "notes": ("a note with <b>markup</b>",),
        "details": {"segments": [[1, 10, "W"], [11, 23, "S"]]},
    }
    return PairSet(**{**given, **changes})


def outcomes(pairs):
    """PSNR falls with the gap and is capped once, LPIPS is as in `LPIPS` on returns, `own` never has a value."""
    listed = [pair for kind in revisit.pairs_by_type(pairs).values() for pair in kind]
    psnr = {pair: Outcome(40.0 - pair[1] + pair[0]) for pair in listed}
    psnr[(0, 2)] = Outcome(100.0, "capped: identical frames")
    lpips = {pair: Outcome(LPIPS.get(pair, 0.02 * (pair[1] - pair[0]))) for pair in listed}
    return {"psnr": psnr, "lpips": lpips, "own": dict.fromkeys(listed, Outcome(None, "no texture"))}


def video_record(**changes):
    return {"width": 64, "height": 48, "n_frames": 24, "notes": ["odd <i>rate</i>"], **changes}


def journal_of(path, rollouts, pairs=None):
    journal, scored = Journal(path), {}
    for rollout in rollouts:
        own = pairs or pair_set()
        head = {"key": rollout.rollout_id, **revisit.rollout_line(rollout, own, video_record())}
        found = outcomes(own)
        lines = [
            {"key": f"{rollout.rollout_id} {score.name}", **revisit.scores_line(rollout, score, own, found)}
            for score in SCORES
        ]
        scored[rollout.rollout_id] = Scored(journal.append(head), [journal.append(line) for line in lines])
    return journal, scored


def result_of(rollouts, scored, failures=()):
    settings = {"protocol": "official", "profile": "embedded", "seed": 42, "pairs_per_type": None}
    run = {"started": 0, "seconds": 1.0, "device": "cpu"}
    return build_result(rollouts, scored, failures, settings=settings, loaded=LOADED, run=run)


def rollout_at(video, *, instance=f"{NASTY}/out_and_back", model=f"m{NASTY}", **changes):
    return Rollout(instance_id=instance, video=video, model=model, trajectory=instance.rpartition("/")[2], **changes)


@pytest.fixture
def video(tmp_path):
    path = tmp_path / "a&'<b>.mp4"
    shades = np.arange(24, dtype=np.uint8) * 10
    write_video(path, (np.full((48, 64, 3), shade, np.uint8) for shade in shades), fps=8)
    return path


@pytest.fixture
def written(tmp_path, video):
    """A results folder with one scored rollout and one failure, and the rollouts."""
    rollouts = [rollout_at(video), rollout_at(tmp_path / "gone.mp4", instance="0002/closed_loop")]
    _, scored = journal_of(tmp_path / "journal.jsonl", rollouts[:1])
    failure = Failure(rollouts[1].rollout_id, "missing", f"{NASTY}: there is no such file")
    result = result_of(rollouts, scored, [failure])
    result.write(tmp_path / "result.json")
    return tmp_path, result, rollouts


class Balanced(html.parser.HTMLParser):
    """Checks that tags nest, and keeps what the tests ask for."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.words, self.alts, self.ids, self.links = [], [], [], [], [], []
        self.attributes = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert len(given) == len(attrs), f"an attribute of {tag} is given twice"
        self.seen.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if tag == "a" else []
        self.alts += [given["alt"]] if tag == "img" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


# --- markup -------------------------------------------------------------------------------------------------


def test_text_is_escaped_and_markup_is_not():
    assert el("p", "<b>", Html("<i></i>"), title='"') == '<p title="&quot;">&lt;b&gt;<i></i></p>'
    assert name("a&b") == "<bdi>a&amp;b</bdi>"


def test_characters_that_a_page_cannot_hold_are_replaced():
    assert text("a\x00b\x1bc") == "a\ufffdb\ufffdc"
    # A file name that is not UTF-8.
    text(b"a\xff.mp4".decode("utf-8", "surrogateescape")).encode("utf-8")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1.000"), (-0.0, "0.000"), (-0.0004, "0.000"), (-2.5, f"{MINUS}2.500"), (1e9, "1.00e+09")],
)
def test_number(value, shown):
    assert number(value) == shown


# --- choosing -----------------------------------------------------------------------------------------------


def values_of(pairs, columns):
    return PairValues({kind: list(own) for kind, own in revisit.pairs_by_type(pairs).items()}, columns)


def lpips_values(measured):
    pairs = pair_set(revisit=RETURNS[: len(measured)])
    return values_of(pairs, {"lpips": {"version": 1, "notes": {}, "revisit": measured}})


def test_best_median_and_worst_return_of_a_distance():
    picks = pick_returns(lpips_values([0.4, 0.1, 0.3, 0.2]), "lpips", higher_is_better=False)
    assert [(pick.rank, pick.pairs[0].at) for pick in picks] == [("Best", 1), ("Median", 2), ("Worst", 0)]


def test_each_control_is_the_nearest_one():
    values = lpips_values([0.4, 0.1, 0.3, 0.2])
    best = pick_returns(values, "lpips", higher_is_better=False)[0]
    # The return (2, 21) has a gap of 19, as has the baseline (1, 20); 0 and 4 are as near to 2, the first is taken.
    assert [values.pairs[kind][at] for kind, at in best.pairs] == [(2, 21), (1, 20), (0, 2)]


@pytest.mark.parametrize(
    ("measured", "ranks"),
    [([], []), ([0.1], ["Only"]), ([0.1, None], ["Only"]), ([0.1, 0.2], ["Best", "Worst"]), ([None, None], [])],
)
def test_fewer_returns_give_fewer_picks(measured, ranks):
    picks = pick_returns(lpips_values(measured), "lpips", higher_is_better=False)
    assert [pick.rank for pick in picks] == ranks


def test_rollouts_are_taken_in_turn_from_models_and_trajectories():
    blocks = [
        {"rollout_id": f"{model}{at}", "model": model, "revision": None, "trajectory": "t"}
        for model in ("a", "b")
        for at in range(3)
    ]
    assert [block["rollout_id"] for block in spread(blocks, 4)] == ["a0", "a1", "b0", "b1"]
    assert spread(blocks, 0) == []
    assert spread(blocks, 99) == blocks


# --- finding values in the journal --------------------------------------------------------------------------


DIRECTIONS = {"psnr": True, "lpips": False, "own": True}


def test_values_behind_a_block_are_found(written):
    folder, result, _ = written
    block = result.to_dict()["rollouts"][0]
    values = PairLookup(Journal(folder / "journal.jsonl").lines(), DIRECTIONS).find(block)
    assert values.outcome("lpips", "revisit", 1) == (0.1, None)
    assert values.outcome("psnr", "short", 0) == (100.0, "capped: identical frames")
    assert values.outcome("own", "short", 0) == (None, "no texture")
    assert values.outcome("dino", "short", 0) == (None, "not in the journal")


def test_values_of_another_run_of_the_same_rollout_are_not_shown(written):
    folder, result, rollouts = written
    block = result.to_dict()["rollouts"][0]
    lines = list(Journal(folder / "journal.jsonl").lines())
    stale = json.loads(json.dumps(lines[2]))
    assert stale["score"] == "lpips"
    stale["metrics"]["lpips"]["revisit"][0] += 0.25
    values = PairLookup([*lines, stale], DIRECTIONS).find(block)
    assert values.outcome("lpips", "revisit", 0).value == LPIPS[RETURNS[0]]
    assert PairLookup([lines[0], stale], DIRECTIONS).find(block).outcome("lpips", "revisit", 0).value is None
    other_pairs = revisit.rollout_line(rollouts[0], pair_set(seed=1), video_record())
    other_video = revisit.rollout_line(rollouts[0], pair_set(), video_record(n_frames=25))
    assert PairLookup([other_pairs, other_video, *lines[1:]], DIRECTIONS).find(block) is None


# --- frames -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "width"), [(48, 64), (1080, 1920), (4000, 16), (16, 4000)])
def test_a_picture_stays_small_whatever_it_shows(height, width):
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    picture = shrink(noise)
    assert len(picture.jpeg) <= MAX_BYTES
    assert picture.width <= min(width, MAX_SIZE[0])
    assert picture.height <= min(height, MAX_SIZE[1])


def test_frames_count_from_the_first_pose(video):
    assert read_pictures(rollout_at(video), [3, 5, 3]).by_frame.keys() == {3, 5}
    shifted = read_pictures(rollout_at(video, first_frame=2), [3])
    assert shifted.by_frame[3].jpeg == read_pictures(rollout_at(video), [5]).by_frame[5].jpeg


def test_a_video_that_is_gone_or_too_short_is_a_reason(video, tmp_path):
    assert read_pictures(rollout_at(tmp_path / "gone.mp4"), [0]) == ({}, "gone.mp4: missing")
    assert "too few frames" in read_pictures(rollout_at(video), [0, 99]).reason
    assert read_pictures(None, [0]).reason == "no manifest with this rollout was given"


# --- the page -----------------------------------------------------------------------------------------------


def page_of(written, **options):
    folder, result, rollouts = written
    return report_page(result, folder / "journal.jsonl", rollouts, **options)


def test_everything_from_outside_is_escaped(written):
    page = page_of(written)
    read = Balanced(page)
    assert "script" not in read.seen
    assert not {"i", "b<"} & set(read.seen)
    # Title, heading, alternative texts, failure id and message, reason of a missing metric, an identity.
    assert read.text.count(NASTY) >= 6
    assert all(NASTY in alt for alt in read.alts)
    assert "a&'<b>.mp4" in read.text
    assert "a note with <b>markup</b>" in read.text
    assert "odd <i>rate</i>" in read.text


def test_the_file_asks_nobody_for_anything(written):
    read = Balanced(page_of(written))
    assert not {"script", "link", "iframe", "object", "form", "base"} & set(read.seen)
    assert not [attribute for _, attribute, _ in read.attributes if attribute.startswith("on")]
    sources = [value for _, attribute, value in read.attributes if attribute in ("src", "srcset", "data", "action")]
    assert sources
    assert all(re.fullmatch(r"data:image/jpeg;base64,[A-Za-z0-9+/=]+", source) for source in sources)
    assert all(link.startswith("#") and link[1:] in read.ids for link in read.links)
    style = files("revisit_metric.report").joinpath("style.css").read_text()
    assert "url(" not in style
    assert "@import" not in style
    assert "://" not in page_of(written)


def test_the_page_has_landmarks_and_its_tables_have_headers(written):
    read = Balanced(page_of(written))
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert read.seen.count(landmark) == 1
    assert len(read.ids) == len(set(read.ids))
    assert read.seen.count("table") == read.seen.count("caption") == read.seen.count("thead")
    assert read.seen.count("th") == sum(attribute == "scope" for _, attribute, _ in read.attributes)
    assert all(read.alts)
    assert read.seen.count("svg") == len(families_of(next(iter(written[1].record["models"].values()))))
    assert read.seen.count("title") == read.seen.count("svg") + 1


def test_best_median_and_worst_returns_are_shown_with_their_values(written):
    read = Balanced(page_of(written))
    assert read.seen.count("img") == 18
    said = re.sub(r"\s+", " ", read.text)
    assert "Best return of 4, by lpips" in said
    assert "Frame 21, the return to its pose, of" in " ".join(read.alts)
    assert "capped: identical frames" in said


def test_another_metric_may_rank_returns(written):
    assert 'Best return <small class="quiet">of 4, by psnr' in page_of(written, ranked_by="psnr")
    with pytest.raises(ValueError, match="ranked_by is 'dino', the result has psnr, lpips, own"):
        page_of(written, ranked_by="dino")


def test_a_metric_without_values_shows_dashes_and_says_why(written):
    page = page_of(written)
    assert not re.search(r"\b(nan|NaN|inf|Infinity|None|null)\b", Balanced(page).text)
    row = re.search(r"<tr><th scope=\"row\">own</th>(.*?)</tr>", page).group(1)
    assert "0.000" not in row
    assert row.count("not measured") == 6
    assert "none of the 4 revisit pairs has a value" in page


def test_failures_missing_metrics_and_gaps_are_listed(written):
    said = Balanced(page_of(written)).text
    assert "1 of 2 rollouts" in said
    assert "No Overall." in said
    assert "by cause: missing 1" in said
    assert f"sift_matchno weights: {NASTY}" in said
    assert "state: no metric in this profile" in said


def test_hashes_and_thresholds_are_in_the_provenance(written):
    said = Balanced(page_of(written)).text
    assert pair_set().sha256 in said
    assert "ab" * 32 in said
    assert "(1, 10, W), (11, 23, S)" in said
    assert "1970-01-01 00:00:00 UTC" in said


def test_without_videos_the_values_stay_and_the_reason_is_given(written, video):
    video.unlink()
    page = page_of(written)
    read = Balanced(page)
    assert read.alts == []
    assert "Frames are not shown: a&'<b>.mp4: missing." in read.text
    assert "Best return" in read.text
    folder, result, _ = written
    assert "no manifest with this rollout was given" in report_page(result, folder / "journal.jsonl")


def test_without_a_journal_the_numbers_stay(written):
    folder, result, rollouts = written
    read = Balanced(report_page(result, folder / "no.jsonl", rollouts))
    assert "The journal does not hold the per-pair values of this rollout." in read.text
    assert not (folder / "no.jsonl").exists()


def test_frames_of_no_more_rollouts_than_asked(written):
    read = Balanced(page_of(written, max_rollouts_with_frames=0))
    assert read.alts == []
    assert "Shown are 0 of 1 scored rollouts" in read.text


def test_the_report_of_the_files_is_that_of_the_run(written):
    folder, result, rollouts = written
    from_files = write_report(
        folder / "new" / "report.html", read_result(folder / "result.json"), folder / "journal.jsonl", rollouts
    )
    assert from_files.read_text(encoding="utf-8") == report_page(result, Journal(folder / "journal.jsonl"), rollouts)
    assert [path.name for path in from_files.parent.iterdir()] == ["report.html"]


def test_nothing_scored_still_gives_a_report(tmp_path):
    rollout = rollout_at(tmp_path / "gone.mp4")
    failures = [Failure(rollout.rollout_id, "missing", "gone"), Failure("#line3", "bad_manifest_line", NASTY)]
    read = Balanced(report_page(result_of([rollout], {}, failures), Journal(None), [rollout]))
    assert "0 of 2 rollouts" in read.text
    assert "Nothing was measured." in read.text
    assert "No rollout was scored, so there are no frames to show." in read.text
    assert not re.search(r"\bnan\b|\b0\.000\b", re.sub(r"Thresholds.*", "", read.text, flags=re.DOTALL))


def test_a_manifest_without_any_usable_line_still_gives_a_report():
    read = Balanced(report_page(result_of([], {}, [Failure("#line1", "bad_manifest_line", "x")]), Journal(None)))
    assert "No rollout could be identified" in read.text


def test_several_models_are_compared(tmp_path, video):
    rollouts = [rollout_at(video, model=model, instance="0001/out_and_back") for model in ("a<b", "c&d")]
    journal, scored = journal_of(None, rollouts)
    read = Balanced(report_page(result_of(rollouts, scored), journal, rollouts))
    assert "2 models" in read.text
    assert {"#model-1", "#model-2"} <= set(read.links)
    assert read.text.count("partial") >= 2


def test_a_pair_set_without_baselines_says_so(tmp_path, video):
    rollouts = [rollout_at(video)]
    journal, scored = journal_of(None, rollouts, pair_set(baseline=(), matched_rate=0.0))
    read = Balanced(report_page(result_of(rollouts, scored), journal, rollouts))
    assert read.text.count("The pair set has no baseline pairs.") == 3
    assert read.seen.count("img") == 12


def test_an_older_result_without_newer_fields_is_read(written):
    folder, result, rollouts = written
    record = {key: value for key, value in result.to_dict().items() if key != "unanswered"}
    assert Balanced(report_page(type(result)(record), folder / "journal.jsonl", rollouts)).text


def test_rollouts_on_the_same_pairs_share_one_entry(written):
    _, result, _ = written
    record = result.to_dict()
    twice = {**record, "rollouts": record["rollouts"] * 2}
    assert provenance_section(twice).count(pair_set().sha256) == 1


# --- looks --------------------------------------------------------------------------------------------------


def palettes():
    """The colours of the light, the dark and the printed page."""
    style = files("revisit_metric.report").joinpath("style.css").read_text()
    roots = [dict(re.findall(r"--(\w+): (#\w+)", root)) for root in re.findall(r":root \{(.*?)\}", style, re.DOTALL)]
    return {"light": roots[0], "dark": roots[1], "print": roots[2]}


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    channels = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("colour", ["ink", "quiet", "accent", "good", "fair", "bad"])
@pytest.mark.parametrize("ground", ["paper", "panel"])
def test_text_has_contrast(scheme, colour, ground):
    palette = palettes()[scheme]
    light, dark = sorted((luminance(palette[colour]), luminance(palette[ground])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
