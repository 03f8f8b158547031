"""Small rules of English for prompts: articles, plurals, lists, verbs that agree."""

from collections.abc import Sequence

MASS_NOUNS = frozenset(
    {
        "bracken",
        "bread",
        "bunting",
        "driftwood",
        "dry grass",
        "dune grass",
        "fruit",
        "furniture",
        "grass",
        "ivy",
        "laundry",
        "luggage",
    }
)
_IRREGULAR = {
    "shelf": "shelves",
    "bookshelf": "bookshelves",
    "knife": "knives",
    "loaf": "loaves",
    "leaf": "leaves",
    "cactus": "cacti",
    "amphora": "amphorae",
}
_SINGULAR_IN_S = ("ss", "us", "is", "canvas", "atlas", "lens")
_OPEN_H = ("hour", "heir", "honest")
_CONSONANT_SOUNDS = ("uni", "use", "eu", "one", "once")


def is_plural(noun: str) -> bool:
    """Whether the noun is a plural as it stands.

    Example:
        >>> is_plural("groceries"), is_plural("wine glass"), is_plural("stack of crates")
        (True, False, False)
    """
    head = noun.partition(" of ")[0]
    return head.endswith("s") and not head.endswith(_SINGULAR_IN_S)


def plural(noun: str) -> str:
    """The plural of a noun phrase, formed at its last word, or before "of".

    Example:
        >>> plural("rowing boat"), plural("bench"), plural("lily"), plural("crate of fruit"), plural("reeds")
        ('rowing boats', 'benches', 'lilies', 'crates of fruit', 'reeds')
    """
    head, of, rest = noun.partition(" of ")
    if noun in MASS_NOUNS or is_plural(noun):
        return noun
    *front, last = head.split()
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith(("s", "x", "z", "ch", "sh")):
        last += "es"
    elif last.endswith("y") and last[-2:-1] not in tuple("aeiou"):
        last = last[:-1] + "ies"
    else:
        last += "s"
    return " ".join([*front, last]) + of + rest


def with_article(phrase: str) -> str:
    """The phrase after "a" or "an", by sound.

    Example:
        >>> with_article("oak bench"), with_article("unicycle"), with_article("hour glass"), with_article("well")
        ('an oak bench', 'a unicycle', 'an hour glass', 'a well')
    """
    vowel = phrase[0].lower() in "aeiou" and not phrase.lower().startswith(_CONSONANT_SOUNDS)
    vowel = vowel or phrase.lower().startswith(_OPEN_H)
    return f"{'an' if vowel else 'a'} {phrase}"


def listed(phrases: Sequence[str]) -> str:
    """The phrases with commas and a last "and".

    Example:
        >>> listed(["a bench"]), listed(["a bench", "a well", "ferns"])
        ('a bench', 'a bench, a well and ferns')
    """
    if len(phrases) == 1:
        return phrases[0]
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def capital(sentence: str) -> str:
    """The sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]
