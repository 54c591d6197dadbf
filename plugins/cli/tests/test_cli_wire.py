"""JSON output: valid and on one line, whatever the text in it and the stream under it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from starweaver_cli.render.wire import write_json
from starweaver_host.services.importing_report import ItemNote

TEXTS = ["é漢😀", "\x1b[31m\n\r\u2028", 'quote " and \\', "a\udcff\udcfeb"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_json_of_any_text_is_one_valid_line_in_every_encoding(
    text: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path with bytes that are no text, or a stream without the letters, damages no JSON."""
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding=encoding))

    write_json(ItemNote(path=text, text="a note"))
    sys.stdout.flush()

    written = buffer.getvalue()
    assert written.count(b"\n") == 1
    told = json.loads(written.decode(encoding))["path"]
    assert told == text or "\ufffd" in told
