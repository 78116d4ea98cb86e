#!/usr/bin/env bash
# pysubs2 shows the comments of a WebVTT file as subtitles.
# Guess: a block NOTE is left out, as the format says, and so is the name of a cue.
# Instead: whatever stands between a text and the next line of times is part of that text: the note, and the name of the next cue if it is not a number.
# webvtt-py leaves out both.
# It matters: remarks of the translators ("ask Ann whether this is meant") appear on the screen, and in what a model is given as the transcript.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pysubs2==1.8.1' 'webvtt-py==0.6.0'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

import pysubs2
import webvtt

for name in ("pysubs2", "webvtt-py"):
    print(name, version(name))
TEXT = """WEBVTT

00:01.000 --> 00:02.000
Good morning.

NOTE ask Ann whether this is meant

chapter two
00:03.000 --> 00:04.000
Fewer than 5.
"""
print(TEXT)
found = [cue.plaintext for cue in pysubs2.SSAFile.from_string(TEXT)]
print("pysubs2:", found)
assert found == ["Good morning.\n\nNOTE ask Ann whether this is meant\n\nchapter two", "Fewer than 5."]
found = [cue.text for cue in webvtt.from_string(TEXT)]
print("webvtt-py:", found)
assert found == ["Good morning.", "Fewer than 5."]
END
