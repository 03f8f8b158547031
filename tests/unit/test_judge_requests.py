import json

import pytest

from revisit_metric.judge.endpoint import Endpoint, next_to_give_up, read_completion


def completion(content, **message):
    choice = {"finish_reason": "stop", "message": {"content": content, **message}}
    return json.dumps({"model": "judge-2026-01-01", "choices": [choice], "usage": None})


# --- endpoints ---


@pytest.mark.parametrize("url", ["https://me:secret@host/v1", "https://host/v1?key=secret"])
def test_no_key_in_the_address(url):
    with pytest.raises(ValueError, match="environment variable") as raised:
        Endpoint("judge", url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"base_url": "localhost:8000"}, "expected for instance https"),
        ({"model": " "}, "not named"),
        ({"temperature": -1.0}, "temperature is -1"),
        ({"max_tokens": 0}, "max_tokens is 0"),
    ],
)
def test_endpoint_refuses(changes, match):
    with pytest.raises(ValueError, match=match):
        Endpoint(**{"model": "judge", **changes})


# --- refused parameters ---


def test_next_to_give_up_without_structured_output():
    assert next_to_give_up({"temperature": 0.0}, "bad request") is None


# --- reading a completion ---


def test_content_in_parts_and_refusals():
    parts = [{"type": "text", "text": '{"score"'}, {"type": "text", "text": ": 4}"}]
    assert read_completion(completion(parts)).text == '{"score": 4}'
    assert read_completion(completion(None, refusal="I cannot help")).finish_reason == "refusal"
    assert read_completion(completion("x")).usage is None


@pytest.mark.parametrize("body", ["", "null", "[]", '{"choices": []}', '{"choices": [{}]}', "<html>"])
def test_no_completion(body):
    with pytest.raises(ValueError, match="no chat completion"):
        read_completion(body)
