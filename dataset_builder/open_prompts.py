"""Prompts of the open set, written from what a scene's description says of the visible instances.

A prompt tells what lasts: the place, how it is laid out, materials, landmarks, objects. It gives no numbers, no light
or weather, no style. Sentence patterns are drawn with the scene's id as the seed, so that a hundred prompts do not
read like one form filled in a hundred times.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from dataset_builder.english import MASS_NOUNS, capital, is_plural, listed, plural, with_article
from dataset_builder.open_view import Thing
from revisit_metric.controls import Scene

MIN_WORDS, MAX_WORDS = 25, 60

FORBIDDEN = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozens?|several|many|few|couple|pair|numerous"
    r"|sunny|sunlit|sunlight|sunshine|sunset|sunrise|lit|lighting|shadows?|shady|morning|noon|evening|night|dusk|dawn"
    r"|daylight|overcast|cloudy|clouds?|rainy?|foggy?|misty?|windy?"
    r"|photo\w*|realis\w*|cinematic|styl\w*|render\w*|3d|cgi|cartoon|low-poly|artistic|beautiful|stunning|detailed"
    r"|hd|4k|8k|quality)\b",
    re.IGNORECASE,
)
"""Words that no prompt holds: counts, transient light and weather, style."""

# A building comes in panels; a prompt speaks of the whole.
_WHOLES = ("boathouse", "log cabin", "hay hut", "beach hut", "net hut", "playhouse", "hut")
_PANELS = (" wall", " roof", " gable", " plinth", " door")

# Nouns whose parts are pieces of one thing.
_UNBROKEN = frozenset(
    {
        "balustrade",
        "bar counter",
        "canal",
        "canopy",
        "ceiling",
        "counter",
        "dwarf wall",
        "entablature",
        "fence",
        "gallery",
    }
    | {"glass gable", "glass roof", "groyne", "hedge", "jetty", "lake", "platform", "quay", "railing", "river", "road"}
    | {"roof", "sea", "staging", "stone wall", "tiled splashback", "wall"}
)
_GROUNDS = frozenset(
    {"beach", "desert floor", "floor", "forest floor", "ground", "hillside", "lawn", "meadow", "pavement", "shore"}
    | {"snowy ground", "street", "woodland floor"}
)
_OVERHEAD = frozenset({"beam", "canopy", "ceiling", "glass roof", "roof", "roof truss"})
# Shell and small change: no word on them beside the background.
_DULL = frozenset(
    {"ceiling", "skirting", "kerb", "drainpipe", "doorstep", "stone", "roof", "glass roof", "wall plate", "gutter"}
    | {"roof bar", "beam", "roof truss", "post", "wall", "glass gable", "canopy"}
)
_SAID = {"kitchen counter": "counter", "frosted pane": "glass pane"}

# Nouns that say a material, or whose largest surface does not (tyres).
_OWN_MATERIAL = frozenset({"bicycle", "glass", "iron", "steel", "wire"})
_ADJECTIVE_FAMILIES = frozenset({"wood", "masonry", "rock", "metal", "tile", "fabric", "wall", "roof"})
_LAID = {
    "wood": "laid with",
    "tile": "laid with",
    "ground": "paved with",
    "masonry": "paved with",
    "earth": "covered with",
}
_SINGULAR_WORDS = {
    "planks": "plank",
    "tiles": "tile",
    "boards": "board",
    "panels": "panel",
    "logs": "log",
    "slabs": "slab",
}
_OTHER_WORDS = {"render": "plaster"}

Chooser = Callable[..., str]


def write_prompt(scene: Scene, seen: Sequence[Thing], *, key: str) -> str:
    """The prompt of a scene.

    Args:
        scene: The place.
        seen: `open_view.things` of its first view.
        key: Seeds the choice of patterns; the scene's id.

    Raises:
        ValueError: The view shows too little to say `MIN_WORDS` words of it.
    """
    rng = np.random.default_rng(crc32(key.encode()))
    things = _wholes(seen)
    for _ in range(60 if any(_is_object(thing, scene.place) for thing in things) else 0):
        text = _Writer(scene.place, things, rng).text()
        if MIN_WORDS + 2 <= len(text.split()) <= MAX_WORDS - 4:
            return text
    raise ValueError(f"{key}: nothing of {MIN_WORDS} to {MAX_WORDS} words can be said of {[t.noun for t in things]}")


def _wholes(seen: Sequence[Thing]) -> list[Thing]:
    """Panels of a building made one thing (as many as it has doors), of its name and its largest panel's look."""
    doors = {thing.noun.removesuffix(" door"): thing.count for thing in seen if thing.noun.endswith(" door")}
    merged: dict[str, Thing] = {}
    for thing in seen:
        noun = _whole(thing.noun)
        if noun in merged:
            first = merged[noun]
            merged[noun] = replace(first, share=first.share + thing.share)
        else:
            merged[noun] = replace(thing, noun=noun, count=doors.get(noun, 1)) if noun != thing.noun else thing
    return sorted(merged.values(), key=lambda thing: -thing.share)


def _whole(noun: str) -> str:
    for panel in _PANELS:
        if noun.removesuffix(panel) in _WHOLES:
            return noun.removesuffix(panel)
    return noun


def adjective(thing: Thing) -> str:
    """The material as words before the noun, or nothing where it would not be said so.

    "white painted wood" before "bench" is "white painted", "grey planks" before "hut" is "grey plank".
    """
    if thing.look is None or thing.look.family not in _ADJECTIVE_FAMILIES or set(thing.noun.split()) & _OWN_MATERIAL:
        return ""
    words = thing.look.words.replace("coloured ", "").replace(" car paint", " paint").split()
    if len(words) > 2 and words[-2] == "painted":
        words = words[:-1]
    if words[-1] in ("paint", "wallpaper"):
        words[-1] += "ed"
    words = [_SINGULAR_WORDS.get(word, _OTHER_WORDS.get(word, word)) for word in words]
    said = set(thing.noun.split())
    return "" if said & set(words[:-1]) else " ".join(word for word in words if word not in thing.noun)


def phrase(thing: Thing) -> str:
    """The thing as a noun phrase: "an oak bench", "granite boulders", "grass"."""
    noun = _SAID.get(thing.noun, thing.noun)
    words = f"{adjective(thing)} {noun}".strip()
    if thing.noun in MASS_NOUNS or is_plural(thing.noun):
        return words
    if is_many(thing):
        return plural(words)
    if thing.noun == "sea":
        return "the sea"
    return with_article(words)


def is_many(thing: Thing) -> bool:
    """Whether it takes a plural verb."""
    if thing.noun in MASS_NOUNS or thing.noun in _UNBROKEN:
        return False
    return is_plural(thing.noun) or thing.count > 1


def _be(things: Sequence[Thing]) -> str:
    return "are" if len(things) > 1 or is_many(things[0]) else "is"


def _verb(things: Sequence[Thing], many: str, one: str) -> str:
    return many if _be(things) == "are" else one


def _zone(thing: Thing) -> str:
    if thing.count > 1 and thing.spread > 0.42:
        return "about"
    return "left" if thing.side < -0.3 else "right" if thing.side > 0.3 else "middle"


_WHERE = {
    "left": ("on the left", "to the left", "at the left"),
    "right": ("on the right", "to the right", "at the right"),
    "middle": ("in the middle", "straight ahead", "in the centre"),
    "about": ("on both sides", "to left and right"),
}


def _is_ground(thing: Thing) -> bool:
    return thing.noun in _GROUNDS or (thing.flat and not thing.movable and thing.share > 0.08)


def _is_backdrop(thing: Thing) -> bool:
    kept = thing.movable or thing.landmark or thing.noun in _OVERHEAD or _is_ground(thing)
    return not kept and thing.share > 0.1 and (thing.noun in _UNBROKEN or is_many(thing))


def _placed(place: str) -> str:
    """The place with its article, or without where it is a plural ("terraces of ...")."""
    return place if _is_plural_place(place) else with_article(place)


def _is_plural_place(place: str) -> bool:
    return is_plural(re.split(r" (?:of|with|below|before|behind|in|at|on|by|under|among|beside|between) ", place)[0])


def _is_object(thing: Thing, place: str) -> bool:
    """Whether a sentence may speak of it: large enough, not ground or shell, not named by the place."""
    named = set(thing.noun.split()) <= set(place.split())
    return not (_is_ground(thing) or named or thing.noun in _DULL) and thing.share > 0.0008


class _Writer:
    """One attempt at a prompt."""

    def __init__(self, place: str, things: Sequence[Thing], rng: np.random.Generator) -> None:
        self._rng = rng
        self._place = place
        self._ground = next((t for t in things if _is_ground(t)), None)
        rest = [t for t in things if _is_object(t, place) or _is_backdrop(t)]
        self._backdrop = next((t for t in rest if _is_backdrop(t)), None)
        self._above = next((t for t in things if t.noun in _OVERHEAD - {"ceiling"} and t.share > 0.1), None)
        objects = [t for t in rest if _is_object(t, place)]
        rest = [t for t in objects if t is not self._backdrop] or objects
        marks = [t for t in rest if t.landmark]
        self._lead = marks[0] if marks else rest[0]
        others = [t for t in rest if t is not self._lead]
        near = sorted(others, key=lambda t: (not t.landmark, -t.share * float(rng.uniform(0.5, 2.0))))
        self._others = near[: int(rng.integers(3, 6))]

    def text(self) -> str:
        """All sentences."""
        opening, led = self._opening()
        middle = [self._floor(), self._behind(), self._overhead()]
        middle.insert(int(self._rng.integers(4)), self._things())
        if not led:
            middle.insert(0, self._leading())
        return " ".join(capital(sentence) for sentence in [opening, *middle] if sentence)

    def _one_of(self, *options: str) -> str:
        return options[int(self._rng.integers(len(options)))]

    def _where(self, zone: str) -> str:
        return self._one_of(*_WHERE[zone])

    def _opening(self) -> tuple[str, bool]:
        """The first sentence, and whether it names the leading thing."""
        place, lead = _placed(self._place), phrase(self._lead)
        zone = self._where(_zone(self._lead))
        be = _be([self._lead])
        this, here = ("these are", "here are") if _is_plural_place(self._place) else ("this is", "here is")
        options = [
            (f"{place}.", False),
            (f"{place}, with {lead} {zone}.", True),
            (f"{place}; {lead} {be} {zone}.", True),
            (f"the view opens on {place}.", False),
            (f"{place}: {lead} {be} {zone}.", True),
            (f"{this} {place}, and {lead} {be} {zone}.", True),
            (f"{place}. {capital(lead)} {be} {zone}.", True),
            (f"{here} {place}, with {lead} {zone}.", True),
        ]
        return options[int(self._rng.integers(len(options)))]

    def _leading(self) -> str:
        lead, zone = phrase(self._lead), self._where(_zone(self._lead))
        be = _be([self._lead])
        return self._one_of(f"{lead} {be} {zone}.", f"{zone} {be} {lead}.", f"it has {lead} {zone}.")

    def _floor(self) -> str:
        ground = self._ground
        if ground is None or ground.look is None or ground.look.family not in _LAID:
            return ""
        words = re.sub(r" (?:paving|ground)$", "", ground.look.words.replace("paving slabs", "slabs"))
        noun = "ground" if ground.noun == "paving" else ground.noun
        if set(words.split()) & set(noun.split()) or words[:4] == noun[:4] or words in self._place:
            return ""
        cover = "cover" if words.split()[-1].endswith("s") and not words.endswith(("moss", "grass")) else "covers"
        return self._one_of(
            f"the {noun} is {_LAID[ground.look.family]} {words}.",
            f"{words} {cover} the {noun}.",
            f"underfoot the {noun} is {_LAID[ground.look.family]} {words}.",
        )

    def _behind(self) -> str:
        back = self._backdrop
        if back is None:
            return ""
        words = phrase(back)
        close = _verb([back], "close", "closes")
        return self._one_of(
            f"behind, {words} {_verb([back], 'fill', 'fills')} the view.",
            f"{words} {close} the view at the back.",
            f"beyond {_be([back])} {words}.",
            f"{words} {_verb([back], 'form', 'forms')} the background.",
            f"{words} {_verb([back], 'make', 'makes')} up the far side.",
            f"at the back {_be([back])} {words}.",
        )

    def _overhead(self) -> str:
        if self._above is None:
            return ""
        words, be = phrase(self._above), _be([self._above])
        return self._one_of(f"overhead {be} {words}.", f"{words} {be} overhead.", "")

    def _things(self) -> str:
        """One sentence on the other things, by the side on which they are."""
        if not self._others:
            return ""
        by_zone: dict[str, list[Thing]] = {}
        for thing in self._others:
            by_zone.setdefault(_zone(thing), []).append(thing)
        if len(by_zone) == 1 or self._rng.random() < 0.3:
            return self._plain(self._others)
        (first, some), *more = sorted(by_zone.items(), key=lambda pair: pair[0] == "about")
        start = self._one_of(
            f"{listed([phrase(t) for t in some])} {_be(some)} {self._where(first)}",
            f"{self._where(first)} {_be(some)} {listed([phrase(t) for t in some])}",
        )
        link, verb = ("; ", True) if self._rng.random() < 0.5 else (", with ", False)
        tails = []
        for zone, group in more:
            be = f" {_be(group)}" if verb else ""
            tails.append(f"{listed([phrase(t) for t in group])}{be} {self._where(zone)}")
        joined = tails[0] if len(tails) == 1 else f"{', '.join(tails[:-1])}, and {tails[-1]}"
        return f"{start}{link}{joined}."

    def _plain(self, group: Sequence[Thing]) -> str:
        words = listed([phrase(t) for t in group])
        return self._one_of(
            f"there {_be(group[:1])} also {words}.",
            f"{words} {_be(group)} close by.",
            f"{words} {_verb(group, 'share', 'shares')} the space.",
            f"it also holds {words}.",
        )
