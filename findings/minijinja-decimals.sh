#!/usr/bin/env bash
# minijinja turns the decimals of a Python program into floating-point numbers.
# Guess: `{{ price }}` with Decimal("1.10") is 1.10, as with Jinja, whose templates it takes.
# Instead: it is 1.1, 0.00 is 0.0, and 12345678901234567.89 is 12345678901234568.0.
# It matters: amounts in mails and invoices lose their zeros, and long ones their cents, when the faster engine is put in.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'minijinja==3.1.0' 'Jinja2==3.1.6'
"$folder/venv/bin/python" - <<'END'
from decimal import Decimal
from importlib.metadata import version

import jinja2
import minijinja

for name in ("minijinja", "Jinja2"):
    print(name, version(name))
for digits, expected in [("1.10", "1.1"), ("0.00", "0.0"), ("12345678901234567.89", "12345678901234568.0")]:
    found = minijinja.Environment().render_str("{{ price }}", price=Decimal(digits))
    other = jinja2.Template("{{ price }}").render(price=Decimal(digits))
    print(f"{digits}: minijinja {found}, Jinja2 {other}")
    assert (found, other) == (expected, digits)
END
