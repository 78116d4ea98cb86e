#!/usr/bin/env bash
# word2number skips the words that it does not know, "minus" and "half" among them.
# Guess: "minus five" is -5, "two and a half" is 2.5, and "three hundred or four hundred" is refused; what is not a number is refused ("a few" is).
# Instead: they are 5, 2 and 404: the number words are picked out and put together as if nothing stood between them.
# It matters: an amount that was dictated or taken from a letter is another one, and no error says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'word2number==1.1'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from word2number.w2n import word_to_num

print("word2number", version("word2number"))
EXPECTED = {
    "two thousand twenty four": 2024,
    "one point five": 1.5,
    "minus five": 5,
    "two and a half": 2,
    "three hundred or four hundred": 404,
    "nineteen ninety": 109,
}
for text, number in EXPECTED.items():
    found = word_to_num(text)
    print(f"{text}: {found}")
    assert found == number, text
try:
    word_to_num("a few")
except ValueError as error:
    print("a few: refused,", error)
else:
    raise AssertionError("a few is taken")
END
