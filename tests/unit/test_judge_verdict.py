import pytest

from revisit_metric.judge.protocol import Reply
from revisit_metric.judge.verdict import read_verdict


def read(text, finish_reason="stop"):
    return read_verdict(Reply(text, finish_reason, "m"))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 4}', 4.0),
        ('{"score": 1}', 1.0),
        ('{"score": 5.0}', 5.0),
        ('{"shared": "a {odd} wall, \\"}\\"", "inconsistencies": [{"type": "moved", "what": "}"}], "score": 3.5}', 3.5),
        ('```json\n{"score": 2}\n```', 2.0),
        ('```\n{"score": 2}\n```\n', 2.0),
        ('Here it is:\n{"score": 2}\nThat is all.', 2.0),
        ('The types were {"type": "moved"}. {"score": 2}', 2.0),
        ('<think>Perhaps {"score": 1}? No, {</think>\n{"score": 2}', 2.0),
    ],
)
def test_a_clear_score(text, score):
    assert read(text) == (score, "")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "reply empty"),
        (" \n", "reply empty"),
        ("score: 4", "no JSON object with a score"),
        ("I would say 4 of 5.", "no JSON object with a score"),
        ('{"rating": 4}', "no JSON object with a score"),
        ('{"verdict": {"score": 4}}', "no JSON object with a score"),
        ("[4]", "no JSON object with a score"),
        ('{"score": 7}', "score outside 1 to 5"),
        ('{"score": 0}', "score outside 1 to 5"),
        ('{"score": -1}', "score outside 1 to 5"),
        ('{"score": 5.0001}', "score outside 1 to 5"),
        ('{"score": NaN}', "score outside 1 to 5"),
        ('{"score": Infinity}', "score outside 1 to 5"),
        ('{"score": 1e999}', "score outside 1 to 5"),
        ('{"score": ' + "9" * 400 + "}", "score outside 1 to 5"),
        ('{"score": "4"}', "score is not a number"),
        ('{"score": "4/5"}', "score is not a number"),
        ('{"score": true}', "score is not a number"),
        ('{"score": null}', "score is not a number"),
        ('{"score": [4]}', "score is not a number"),
        ('{"score": 4', "reply truncated"),
        ('{"shared": "a wall, "score": 4}', "reply truncated"),
        ('```json\n{"score": 4,', "reply truncated"),
        ("<think>Let me see", "reply truncated"),
        ('{"score": 4,}', "invalid JSON"),
        ("{'score': 4}", "no JSON object with a score"),
        ('{"score": 4, "score": 2}', "two scores in one JSON object"),
        ('{"score": 4} {"score": 2}', "several JSON objects with a score"),
        ('{"a": ' * 5000 + '{"score": 4}' + "}" * 5000, "invalid JSON"),
    ],
)
def test_no_clear_score(text, cause):
    assert read(text) == (None, cause)


@pytest.mark.parametrize(
    ("finish_reason", "cause"),
    [
        ("length", "reply truncated"),
        ("max_tokens", "reply truncated"),
        ("content_filter", "content filter"),
        ("refusal", "judge refused"),
    ],
)
def test_a_reply_that_did_not_end_by_itself(finish_reason, cause):
    assert read('{"score": 4}', finish_reason) == (None, cause)


@pytest.mark.parametrize("finish_reason", ["stop", "", "end_turn"])
def test_other_endings_do_not_matter(finish_reason):
    assert read('{"score": 4}', finish_reason).score == 4.0
