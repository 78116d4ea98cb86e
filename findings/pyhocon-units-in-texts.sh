#!/usr/bin/env bash
# pyhocon turns the start of a text into a Python object when it reads like a duration.
# Guess: `name = 5 m cable` is the text "5 m cable", since HOCON joins what stands on a line, and a duration comes out when a program asks for one.
# Instead: it is the text "0:05:00cable", or "relativedelta(minutes=+5)cable" where python-dateutil is installed; `label = 3 d` is an object, while
# `size = 5 MB` stays a text. Quotation marks around the value help.
# It matters: names of articles and their measures in a file of settings come out as something else, and as another thing on another machine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pyhocon==0.3.63'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version

from pyhocon import ConfigFactory

print("pyhocon", version("pyhocon"))
for text, expected in [
    ("name = big cable 5", "big cable 5"),
    ("name = 5 m cable", "0:05:00cable"),
    ("label = 3 d", "3 days, 0:00:00"),
    ("size = 5 MB", "5 MB"),
    ('name = "5 m cable"', "5 m cable"),
]:
    (found,) = ConfigFactory.parse_string(text).values()
    print(f"{text} -> {found!r}")
    assert str(found) == expected, text
END
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'python-dateutil==2.9.0.post0'
"$folder/venv/bin/python" - <<'END'
from pyhocon import ConfigFactory

found = ConfigFactory.parse_string("name = 5 m cable")["name"]
print("name = 5 m cable, with python-dateutil ->", repr(found))
assert found == "relativedelta(minutes=+5)cable"
END
