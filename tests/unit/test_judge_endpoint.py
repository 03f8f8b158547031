"""A judge over HTTP against a real server on loopback that misbehaves."""

import base64
import io
import json
import logging
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image

from revisit_metric.judge.budget import Budget, Price
from revisit_metric.judge.endpoint import Endpoint
from revisit_metric.judge.endpoint_judge import GIVE_UP_AFTER, EndpointJudge
from revisit_metric.judge.interview import Interview, Manner
from revisit_metric.judge.protocol import Judge, JudgeError, Picture, Question
from revisit_metric.judge.reply_store import ReplyStore
from revisit_metric.judge.retry import RetryPolicy
from revisit_metric.judge.rubric import REQUEST, load_rubric

pytest.importorskip("openai", reason="the judge extra is not installed")

KEY = "sk-test-5f0c9b7d1e"
QUICK = RetryPolicy(attempts=4, timeout_s=0.5, deadline_s=5.0, base_s=0.01, max_s=0.05)


def completion(content, **changes):
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish_reason", "stop")}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return {"model": "judge-2026-01-01", "choices": [choice], "usage": usage, **changes}


def says(content, **changes):
    return lambda handler: handler.send(200, completion(content, **changes))


def fails(status, body=None, **headers):
    return lambda handler: handler.send(status, body or {"error": {"message": f"status {status}"}}, headers)


def stalls(handler):
    handler.server.released.wait(3)
    handler.close_connection = True


def drips(handler):
    """A byte now and then, for ever: every single read succeeds."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.released.wait(0.05):
        try:
            handler.wfile.write(b" ")
        except OSError:
            break
    handler.close_connection = True


def hangs_up(handler):
    """Half a body."""
    body = json.dumps(completion('{"score": 4}')).encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def slow(handler):
    time.sleep(0.3)
    handler.send(200, completion('{"score": 2}'))


def echoes_the_key(handler):
    words = f'{{"shared": "{handler.headers["Authorization"]}", "inconsistencies": [], "score": 4}}'
    handler.send(200, completion(words))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.times.append(time.monotonic())
            act = self.server.script.pop(0) if self.server.script else self.server.otherwise
        act(self)

    def send(self, status, body, headers=None):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.released = threading.Lock(), threading.Event()
        self.bodies, self.times, self.script = [], [], []
        self.otherwise = says('{"score": 4}')

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_):
        """Clients that hang up are part of the game."""


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    found = Server()
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    found.released.set()
    found.shutdown()
    found.server_close()
    thread.join()


@pytest.fixture
def judge_at(server):
    opened = []

    def open_judge(retry=QUICK, budget=None, **changes):
        judge = EndpointJudge(Endpoint("judge", server.url, **changes), retry=retry, budget=budget)
        opened.append(judge)
        return judge

    yield open_judge
    for judge in opened:
        judge.close()


def picture(seed):
    return Picture(np.random.default_rng(seed).integers(0, 256, (24, 32, 3), np.uint8))


def question(seed=0):
    return Question(picture(2 * seed), picture(2 * seed + 1), load_rubric())


def interview_of(judge, folder, **manner):
    return Interview(judge, load_rubric(), ReplyStore(folder), Manner(**{"concurrency": 4, "reasks": 0, **manner}))


def judged(judge, folder, seed=0, **manner):
    pair = (picture(2 * seed), picture(2 * seed + 1))
    return interview_of(judge, folder, **manner).judge_pairs([pair])[0]


# --- what is sent ---


def test_request(server, judge_at):
    judge = judge_at(temperature=0.0, max_tokens=321)
    assert isinstance(judge, Judge)
    asked = question()
    reply = judge.ask(asked)
    assert (reply.text, reply.model, reply.usage, reply.adjustments) == (
        '{"score": 4}', "judge-2026-01-01", (1000, 100), ())  # fmt: skip
    (body,) = server.bodies
    system, user = body["messages"]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("judge", 0.0, 321)
    assert system == {"role": "system", "content": load_rubric().text}
    assert user["content"][0] == {"type": "text", "text": REQUEST}
    assert body["response_format"]["json_schema"]["strict"] is True
    for part, shown in zip(user["content"][1:], (asked.earlier, asked.later), strict=True):
        head, code = part["image_url"]["url"].split(",")
        assert head == "data:image/png;base64"
        np.testing.assert_array_equal(np.array(Image.open(io.BytesIO(base64.b64decode(code)))), shown.frame)


def test_nothing_tells_the_kind_of_pair(server, judge_at, tmp_path):
    pairs = [(picture(k), picture(k + 50)) for k in range(6)]
    interview_of(judge_at(), tmp_path, concurrency=1).judge_pairs(pairs)
    told = json.dumps([{**body, "messages": [body["messages"][0], body["messages"][1]["content"][0]]}
                       for body in server.bodies]).lower()  # fmt: skip
    assert not any(word in told for word in ("revisit", "baseline", "short pair", "control", "frame 5"))
    assert len({json.dumps(body["messages"][0]) for body in server.bodies}) == 1


# --- misbehaviour that passes: asked again ---


@pytest.mark.parametrize("act", [fails(500), fails(503), fails(408), stalls, drips, hangs_up, says(None, choices=[])])
def test_tries_again(server, judge_at, tmp_path, act):
    server.script = [act]
    assert judged(judge_at(), tmp_path) == (4.0, None)
    assert len(server.bodies) == 2


def test_retry_after_is_honoured(server, judge_at, tmp_path):
    server.script = [fails(429, Retry_After="1")]
    assert judged(judge_at(), tmp_path).value == 4.0
    assert 1.0 <= server.times[1] - server.times[0] < 2.5


def test_retry_after_holds_for_all_requests(server, judge_at, tmp_path):
    judge = judge_at()
    server.script = [fails(429, Retry_After="0.6")]
    interview = interview_of(judge, tmp_path, concurrency=1)
    first = threading.Thread(target=judge.ask, args=(question(0),))
    first.start()
    while not server.bodies:
        time.sleep(0.01)
    time.sleep(0.1)
    assert interview.judge_pairs([(picture(8), picture(9))])[0].value == 4.0
    first.join()
    assert min(server.times[1:]) - server.times[0] >= 0.55


def test_gives_up_when_told_to_wait_beyond_the_deadline(server, judge_at, tmp_path):
    server.otherwise = fails(429, Retry_After="3600")
    assert judged(judge_at(), tmp_path) == (None, "judge: rate limited")
    assert len(server.bodies) == 1


def test_slow_success(server, judge_at, tmp_path):
    server.script = [slow]
    assert judged(judge_at(), tmp_path) == (2.0, None)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("act", "cause"),
    [
        (fails(500), "server error 500"),
        (fails(429), "rate limited"),
        (fails(403), "request refused 403"),
        (hangs_up, "connection failed"),
        (says("", choices=[]), "malformed response"),
        (lambda handler: handler.send(200, {"error": {"message": "overloaded"}}), "malformed response"),
    ],
)
def test_gives_up_with_the_cause(server, judge_at, tmp_path, act, cause):
    server.otherwise = act
    assert judged(judge_at(), tmp_path) == (None, f"judge: {cause}")


def test_deadline_bounds_all_attempts(server, judge_at):
    server.otherwise = stalls
    judge = judge_at(RetryPolicy(attempts=99, timeout_s=0.3, deadline_s=0.8, base_s=0.01))
    started = time.monotonic()
    with pytest.raises(JudgeError, match=r"timeout: no reply within 0.8 s"):
        judge.ask(question())
    assert time.monotonic() - started < 2
    assert len(server.bodies) >= 2


def test_no_server(monkeypatch, judge_at, server):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judge = EndpointJudge(Endpoint("judge", f"http://127.0.0.1:{port}/v1"), retry=QUICK)
    with pytest.raises(JudgeError, match="connection failed"):
        judge.ask(question())
    judge.close()


# --- misbehaviour that does not pass ---


@pytest.mark.parametrize(
    ("act", "cause"),
    [
        (says('{"shared": "a wall", "score": 4'), "reply truncated"),
        (says('{"score": 4}', finish_reason="length"), "reply truncated"),
        (says("The later frame agrees; I give it a score of 4."), "no JSON object with a score"),
        (says('{"score": 7}'), "score outside 1 to 5"),
        (says('{"score": "4"}'), "score is not a number"),
        (says(""), "reply empty"),
        (says(None), "reply empty"),
        (says(None, finish_reason="content_filter"), "content filter"),
    ],
)
def test_a_reply_without_a_score_is_missing_and_kept(server, judge_at, tmp_path, act, cause):
    server.otherwise = act
    assert judged(judge_at(), tmp_path, reasks=1) == (None, f"judge: {cause}")
    kept = [json.loads(path.read_text()) for path in sorted((tmp_path / "refused").iterdir())]
    assert [record["cause"] for record in kept] == [cause, cause]
    assert not (tmp_path / "replies").exists()


def test_fenced_json_is_read(server, judge_at, tmp_path):
    server.script = [says('```json\n{"shared": "a wall", "inconsistencies": [], "score": 3}\n```')]
    assert judged(judge_at(), tmp_path) == (3.0, None)


def test_a_wrong_key_is_not_tried_again_and_again(server, judge_at, tmp_path, caplog):
    server.otherwise = fails(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    pairs = [(picture(k), picture(k + 50)) for k in range(8)]
    outcomes = interview_of(judge_at(), tmp_path, concurrency=1).judge_pairs(pairs)
    assert {outcome.note for outcome in outcomes} == {"judge: request refused 401"}
    assert len(server.bodies) == 1
    assert "asked no more: request refused 401: " in caplog.text
    assert KEY not in caplog.text


def test_an_exhausted_quota_is_not_a_rate_limit(server, judge_at, tmp_path):
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota", "type": "x"}}
    server.otherwise = fails(429, body)
    assert judged(judge_at(), tmp_path).note == "judge: quota exhausted"
    assert len(server.bodies) == 1


def test_a_dead_endpoint_is_given_up(server, judge_at, tmp_path):
    server.otherwise = fails(500)
    judge = judge_at(RetryPolicy(attempts=1))
    pairs = [(picture(k), picture(k + 50)) for k in range(GIVE_UP_AFTER + 10)]
    outcomes = interview_of(judge, tmp_path, concurrency=1).judge_pairs(pairs)
    assert {outcome.note for outcome in outcomes} == {"judge: server error 500"}
    assert len(server.bodies) == GIVE_UP_AFTER


# --- parameters an endpoint refuses ---


def refusing(name, message):
    def act(handler):
        if name in handler.server.bodies[-1]:
            handler.send(400, {"error": {"message": message}})
        else:
            handler.send(200, completion('{"score": 4}'))

    return act


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("response_format", "response_format.type json_schema is not supported"),
        ("response_format", "Extra inputs are not permitted"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.0 with this model."),
        ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ],
)
def test_a_refused_parameter_is_given_up_once_and_noted(server, judge_at, tmp_path, name, message):
    server.otherwise = refusing(name, message)
    judge = judge_at()
    assert judged(judge, tmp_path) == (4.0, f"endpoint refused {name}")
    assert judged(judge, tmp_path, seed=1) == (4.0, f"endpoint refused {name}")
    assert [name in body for body in server.bodies] == [True, False, False]
    assert ("max_completion_tokens" in server.bodies[-1]) == (name == "max_tokens")


def test_a_request_refused_for_itself(server, judge_at, tmp_path):
    server.otherwise = fails(400, {"error": {"message": "image too large"}})
    assert judged(judge_at(), tmp_path) == (None, "judge: request refused 400")
    assert len(server.bodies) == 2  # once more without structured output, which was the likely cause


def test_no_structured_output_for_a_prompt_of_the_users(server, judge_at, tmp_path):
    (tmp_path / "mine.txt").write_text('Compare. Reply {"score": 1 to 5}.')
    judge_at().ask(Question(picture(0), picture(1), load_rubric(tmp_path / "mine.txt")))
    assert "response_format" not in server.bodies[0]


# --- stored replies ---


def test_a_rerun_asks_only_for_what_is_missing(server, judge_at, tmp_path):
    pairs = [(picture(k), picture(k + 50)) for k in range(6)]
    server.script = [fails(403), says("no idea"), says('{"score": 9}')]
    first = interview_of(judge_at(), tmp_path, concurrency=1).judge_pairs(pairs)
    assert sum(outcome.value is None for outcome in first) == 3
    server.bodies.clear()
    second = interview_of(judge_at(), tmp_path).judge_pairs(pairs)
    assert [outcome.value for outcome in second] == [4.0] * 6
    assert len(server.bodies) == 3
    server.bodies.clear()
    assert interview_of(judge_at(), tmp_path).judge_pairs(pairs) == second
    assert server.bodies == []


def test_questions_are_asked_at_once(server, judge_at, tmp_path):
    server.otherwise = slow
    started = time.monotonic()
    pairs = [(picture(k), picture(k + 50)) for k in range(8)]
    interview_of(judge_at(), tmp_path, concurrency=8).judge_pairs(pairs)
    assert time.monotonic() - started < 8 * 0.3


def test_interruption_ends_requests_and_waits(server, judge_at):
    server.otherwise = stalls
    judge = judge_at(RetryPolicy(timeout_s=60))
    threading.Timer(0.3, judge.cancel).start()
    started = time.monotonic()
    with pytest.raises(JudgeError, match="cancelled"):
        judge.ask(question())
    assert time.monotonic() - started < 2


# --- the key ---


def test_the_key_is_nowhere(server, judge_at, tmp_path, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    server.script = [
        fails(400, {"error": {"message": f"bad request with {KEY}"}}),
        echoes_the_key,
        fails(403, {"error": {"message": f"Forbidden: Bearer {KEY}"}}),
        says(f"I was given {KEY}"),
    ]
    judge = judge_at()
    outcomes = [judged(judge, tmp_path, seed=seed) for seed in range(3)]
    assert [outcome.value for outcome in outcomes] == [4.0, None, None]
    server.script = [fails(403, {"error": {"message": f"Forbidden: Bearer {KEY}"}})]
    with pytest.raises(JudgeError) as raised:
        judge.ask(question(9))
    on_disk = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "[key]" in on_disk
    assert "Bearer [key]" in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    said = [on_disk, caplog.text, str(outcomes), repr(judge), repr(vars(judge)), repr(judge.identity())]
    said += [str(raised.value), repr(raised.value), *capsys.readouterr()]
    assert not any(KEY in text for text in said)


def test_the_key_comes_from_the_environment_only(monkeypatch, server):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ValueError, match="OPENAI_API_KEY is not set"):
        EndpointJudge(Endpoint("judge", server.url))


def test_a_named_variable_and_none(monkeypatch, server, judge_at):
    monkeypatch.setenv("MY_KEY", "from-elsewhere")
    assert judge_at(key_variable="MY_KEY").ask(question()).text
    assert judge_at(key_variable=None).ask(question(1)).text


def test_a_key_that_cannot_be_one(monkeypatch, server):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-first\nsk-second")
    with pytest.raises(ValueError, match="a line break") as raised:
        EndpointJudge(Endpoint("judge", server.url))
    assert "sk-" not in str(raised.value)


# --- the cost limit ---


def test_the_cost_limit_is_not_crossed(server, judge_at, tmp_path):
    # 1000 tokens in and 100 out cost 2.0; a question may cost 1.0 + 2.0 at most before it is asked.
    budget = Budget(7.0, Price(1000.0, 10_000.0))
    judge = judge_at(max_tokens=200, budget=budget)
    pairs = [(picture(k), picture(k + 50)) for k in range(8)]
    outcomes = interview_of(judge, tmp_path, concurrency=4).judge_pairs(pairs)
    values = [outcome.value for outcome in outcomes if outcome.value is not None]
    assert {outcome.note for outcome in outcomes if outcome.value is None} == {"judge: cost limit"}
    assert budget.spent == pytest.approx(2.0 * len(values))
    assert 2 <= len(values) == len(server.bodies) <= 3
    assert budget.spent <= 7.0


def test_refused_requests_cost_nothing_and_lost_ones_in_full(server, judge_at):
    budget = Budget(100.0, Price(1000.0, 1000.0))
    judge = judge_at(max_tokens=200, budget=budget)
    server.script = [fails(500), fails(429)]
    judge.ask(question())
    assert budget.spent == pytest.approx(1.1)
    server.script = [hangs_up]
    judge.ask(question(1))
    assert budget.spent > 2.2
