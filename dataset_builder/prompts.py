"""Prompt files: text beside an image, or a table with one line an image.

A table is `metadata.csv` or `metadata.jsonl`, as the Hub's image folders have it: a column `file_name`
(relative to the folder of images) and any of `prompt`, `category`, `tags` (a list, or text with semicolons),
`licence`, `source`. Text is UTF-8, or UTF-16 or UTF-32 with a byte order mark; nothing is guessed from the
content.
"""

import codecs
import csv
import difflib
import io
import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLUMNS = ("file_name", "prompt", "category", "tags", "licence", "source")

CATEGORIES = ("indoor", "urban", "natural", "abstract")

# UTF-32's little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class PromptError(ValueError):
    """A prompt file that cannot be read; the message names the file and the place."""


@dataclass(frozen=True)
class Label:
    """What a table says of one image; `None` is what it does not say.

    Attributes:
        prompt: Text the model is given.
        category: One of `CATEGORIES`.
        tags: Free words.
        licence: Of the image.
        source: Where it comes from.
    """

    prompt: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    licence: str | None = None
    source: str | None = None


def read_text(path: Path) -> str:
    r"""Read a text file whose encoding is UTF-8, or is stated by a byte order mark.

    Raises:
        PromptError: No such file, or bytes that are not in that encoding; the message says which and where.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "prompt.txt"
        >>> _ = file.write_bytes("a café".encode("utf-16"))
        >>> read_text(file)
        'a café'
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error}") from error
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise PromptError(
            f"{path}: byte {data[error.start]:#04x} at offset {error.start} is not {encoding.upper()} "
            "(saved as Latin-1, Windows-1252 or GBK?); save the file as UTF-8"
        ) from error
    if "\0" in text:
        raise PromptError(
            f"{path}: a NUL character at offset {data.index(0)} (UTF-16 without a byte order mark?); "
            "save the file as UTF-8"
        )
    return text


def read_prompt(path: Path) -> str:
    """Read the prompt of one image from a text file of its own, without the space around it.

    Raises:
        PromptError: See `read_text`; or the file is blank.
    """
    text = read_text(path).strip()
    if not text:
        raise PromptError(f"{path}: the prompt is blank")
    return text


def read_labels(path: Path) -> dict[str, Label]:
    r"""Read a table of labels, by file name (in Unicode's composed form, with forward slashes).

    Raises:
        PromptError: The table cannot be read, has no row or an unknown column, names a file twice, or has a
            bad value; the message names the line.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "metadata.csv"
        >>> _ = file.write_text("file_name,prompt,tags\na.png,A quiet room,wood; window")
        >>> read_labels(file)["a.png"].tags
        ('wood', 'window')
    """
    if path.suffix.lower() not in _ROWS:
        raise PromptError(f"{path}: expected .csv or .jsonl, or text files beside the images")
    labels: dict[str, Label] = {}
    for line, row in _ROWS[path.suffix.lower()](path):
        try:
            name, label = _label(row)
        except PromptError as error:
            raise PromptError(f"{path}, line {line}: {error}") from error
        if name in labels:
            raise PromptError(f"{path}, line {line}: {name!r} is named a second time")
        labels[name] = label
    if not labels:
        raise PromptError(f"{path}: no row")
    return labels


def plain_name(name: str) -> str:
    """A file name as tables and folders are matched by: composed Unicode, forward slashes."""
    return unicodedata.normalize("NFC", name.replace("\\", "/").removeprefix("./"))


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for row in reader:
            if None in row:
                raise PromptError(f"{path}, line {reader.line_num}: more values than columns: quote the commas")
            yield reader.line_num, {key: value or None for key, value in row.items()}
    except csv.Error as error:
        raise PromptError(f"{path}, line {reader.reader.line_num}: {error}") from error


def _jsonl_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise PromptError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise PromptError(f"{path}, line {number}: expected an object, found {type(row).__name__}")
        yield number, row


_ROWS = {".csv": _csv_rows, ".jsonl": _jsonl_rows}


def _label(row: Mapping[str, Any]) -> tuple[str, Label]:
    for key in row:
        if key not in COLUMNS:
            close = difflib.get_close_matches(str(key).lower(), COLUMNS, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise PromptError(f"unknown column {key!r}: {hint}known are {', '.join(COLUMNS)}")
    name = _text(row, "file_name")
    if name is None:
        raise PromptError("no file_name")
    category = _text(row, "category")
    if category is not None and category not in CATEGORIES:
        raise PromptError(f"category is {category!r}, expected one of {', '.join(CATEGORIES)}, or none")
    texts = {key: _text(row, key) for key in ("prompt", "licence", "source")}
    return plain_name(name), Label(category=category, tags=_tags(row.get("tags")), **texts)


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise PromptError(f"{key} is {value!r}, expected text")
    return value.strip()


def _tags(value: object) -> tuple[str, ...]:
    words = value.split(";") if isinstance(value, str) else [] if value is None else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise PromptError(f"tags are {value!r}, expected a list of words, or text with semicolons")
    return tuple(word.strip() for word in words if word.strip())
