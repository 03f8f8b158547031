"""Prompt files: encodings, tables, and errors that say where."""

import json

import pytest

from dataset_builder.prompts import Label, PromptError, plain_name, read_labels, read_prompt, read_text

TEXT = "Ein Zimmer mit grünem Sofa, 窓"


def written(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_with_or_without_a_mark_is_read(tmp_path, encoding):
    assert read_text(written(tmp_path, "a.txt", TEXT.encode(encoding))) == TEXT


def test_another_encoding_names_byte_and_offset(tmp_path):
    path = written(tmp_path, "a.txt", "a café".encode("latin-1"))
    with pytest.raises(PromptError, match=r"a\.txt: byte 0xe9 at offset 5 is not UTF-8"):
        read_text(path)


def test_utf16_without_a_mark_is_not_taken_for_text(tmp_path):
    with pytest.raises(PromptError, match="a NUL character at offset 1"):
        read_text(written(tmp_path, "a.txt", "room".encode("utf-16-le")))


def test_cut_off_utf16_names_the_offset(tmp_path):
    with pytest.raises(PromptError, match="at offset 10 is not UTF-16"):
        read_text(written(tmp_path, "a.txt", "room".encode("utf-16") + b"x"))


def test_prompt_is_stripped_and_must_not_be_blank(tmp_path):
    assert read_prompt(written(tmp_path, "a.txt", "\n a room \r\n")) == "a room"
    with pytest.raises(PromptError, match=r"b\.txt: the prompt is blank"):
        read_prompt(written(tmp_path, "b.txt", " \n"))
    with pytest.raises(PromptError, match="cannot be read"):
        read_prompt(tmp_path / "none.txt")


def test_csv_and_jsonl_say_the_same(tmp_path):
    table = written(
        tmp_path,
        "m.csv",
        "file_name,prompt,category,tags,licence,source\r\n"
        '"a.png","A room, two\nwindows",indoor,wood;old,CC0-1.0,me\r\n'
        "sub/b.png,A wood,,,,\r\n",
    )
    rows = [
        {
            "file_name": "./a.png",
            "prompt": "A room, two\nwindows",
            "category": "indoor",
            "tags": ["wood", "old"],
            "licence": "CC0-1.0",
            "source": "me",
        },
        {"file_name": "sub\\b.png", "prompt": "A wood", "category": None},
    ]
    lines = written(tmp_path, "m.jsonl", "\n".join(json.dumps(row) for row in rows) + "\n\n")
    expected = {
        "a.png": Label("A room, two\nwindows", "indoor", ("wood", "old"), "CC0-1.0", "me"),
        "sub/b.png": Label("A wood"),
    }
    assert read_labels(table) == expected == read_labels(lines)


def test_composed_and_decomposed_names_are_one():
    assert plain_name("cafe\u0301.png") == plain_name("caf\u00e9.png")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.csv", "file_name,promt\na.png,x", r"line 2: unknown column 'promt': did you mean 'prompt'\?"),
        ("m.csv", "file_name,prompt\na.png,x,y", "line 2: more values than columns"),
        ("m.csv", 'file_name,prompt\na.png,"x', "line 2: unexpected end of data"),
        ("m.csv", "file_name,prompt\n,x", "line 2: no file_name"),
        ("m.csv", "file_name,prompt\n", "no row"),
        ("m.csv", "file_name,prompt\na.png,x\n./a.png,y", r"line 3: 'a\.png' is named a second time"),
        ("m.csv", "file_name,category\na.png,city", "category is 'city', expected one of indoor, urban"),
        ("m.jsonl", "{'file_name': 1}", "line 1: not JSON"),
        ("m.jsonl", "[]", "line 1: expected an object, found list"),
        ("m.jsonl", '{"file_name": "a", "prompt": 3}', "line 1: prompt is 3, expected text"),
        ("m.jsonl", '{"file_name": "a", "tags": [3]}', r"tags are \[3\], expected a list of words"),
        ("m.tsv", "", r"m\.tsv: expected \.csv or \.jsonl"),
    ],
)
def test_a_bad_table_is_named_with_its_line(tmp_path, name, content, message):
    with pytest.raises(PromptError, match=message):
        read_labels(written(tmp_path, name, content))
