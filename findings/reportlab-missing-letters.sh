#!/usr/bin/env bash
# ReportLab draws a black box for a letter that its standard font lacks, and says nothing.
# Guess: text with letters that Helvetica of PDF has not (Chinese, Czech, Polish) is an error, so that another font is chosen.
# Instead: each such letter is a box, in the page and in the text that is read from it; there is no error and no warning.
# It matters: an invoice for "Łódź" goes out as "■ód■", and nobody notices before the customer does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'reportlab==5.1.0' 'pypdf==7.1.1'
"$folder/venv/bin/python" -W error - <<'END'
import io
from importlib.metadata import version
from pypdf import PdfReader
from reportlab.pdfgen import canvas

print("reportlab", version("reportlab"), "pypdf", version("pypdf"))
file = io.BytesIO()
page = canvas.Canvas(file)
written = "Invoice for Łódź, 發票, Café"
page.drawString(72, 720, written)
page.save()
read = PdfReader(io.BytesIO(file.getvalue())).pages[0].extract_text().strip()
print(written, "->", read)
assert read == "Invoice for ■ód■, ■■, Café", read
END
