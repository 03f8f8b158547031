import pytest

from revisit_metric.journal import Journal, canonical_json, content_key


def test_lines_are_found_by_key_after_reopening(tmp_path):
    path = tmp_path / "out" / "journal.jsonl"
    journal = Journal(path)
    journal.append({"kind": "scores", "key": "k1", "values": [0.1, None]})
    journal.append({"kind": "failure", "cause": "missing"})
    again = Journal(path)
    assert again["k1"] == {"schema": 1, "kind": "scores", "key": "k1", "values": [0.1, None]}
    assert "k2" not in again
    assert again.n_unreadable == 0


def test_memory_journal_returns_what_a_file_would(tmp_path):
    line = {"kind": "scores", "key": "k", "pairs": [(1, 2)], "value": 1 / 3}
    assert Journal(None).append(line) == Journal(tmp_path / "j.jsonl").append(line)


def test_a_torn_last_line_is_passed_over_and_does_not_swallow_the_next(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path).append({"key": "whole"})
    with path.open("ab") as stream:
        stream.write(b'{"schema": 1, "key": "to')
    journal = Journal(path)
    assert journal.n_unreadable == 1
    journal.append({"key": "after"})
    again = Journal(path)
    assert "whole" in again
    assert "after" in again
    assert again.n_unreadable == 1


def test_a_later_line_wins(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal(path).append({"key": "k", "v": 1})
    Journal(path).append({"key": "k", "v": 2})
    assert Journal(path)["k"]["v"] == 2


def test_finished_lines_come_in_the_order_of_their_keys(tmp_path):
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    for line in ({"key": "b"}, {"kind": "failure"}, {"key": "a"}, {"key": "b", "v": 2}):
        journal.append(line)
    finished = [{"schema": 1, "key": "b", "v": 2}, {"schema": 1, "key": "a"}]
    assert list(journal.lines()) == list(Journal(path).lines()) == finished


def test_another_schema_is_counted_not_used(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text('{"schema": 99, "key": "k"}\n')
    journal = Journal(path)
    assert "k" not in journal
    assert journal.n_unreadable == 1


def test_non_finite_numbers_never_reach_the_file():
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"x": float("inf")})


def test_content_key_depends_on_content_not_order():
    assert content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    assert content_key({"a": 1}) != content_key({"a": 2})
