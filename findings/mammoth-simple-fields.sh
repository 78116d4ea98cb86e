#!/usr/bin/env bash
# mammoth leaves out what a field of a Word document shows.
# Guess: of a field, such as a date, a total or a reference, the text that Word shows is in the extracted text, however the field is stored.
# Instead: it is there for a field of several runs and missing for one of a single element (`w:fldSimple`), which Word and many generators of
# letters write as well; a warning among the messages names the element. docx2txt has both.
# It matters: invoices and contracts lose sums and dates on their way to a search index or a language model.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mammoth==1.13.0' 'docx2txt==0.9'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from io import BytesIO
from zipfile import ZipFile

import docx2txt
import mammoth


def document(body):
    """The smallest .docx with this body."""
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{word}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f"<w:body>{body}</w:body></w:document>",
    }
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    file.seek(0)
    return file


SHOWN = "<w:r><w:t>1200</w:t></w:r>"
MARK = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'.format
RUNS = f"{MARK('begin')}<w:r><w:instrText> =SUM(ABOVE) </w:instrText></w:r>{MARK('separate')}{SHOWN}{MARK('end')}"
SIMPLE = f'<w:fldSimple w:instr=" =SUM(ABOVE) ">{SHOWN}</w:fldSimple>'
print("mammoth", version("mammoth"), "docx2txt", version("docx2txt"))
for name, field, expected in [("several runs", RUNS, "Total: 1200 EUR"), ("one element", SIMPLE, "Total:  EUR")]:
    body = f'<w:p><w:r><w:t xml:space="preserve">Total: </w:t></w:r>{field}<w:r><w:t xml:space="preserve"> EUR</w:t></w:r></w:p>'
    result = mammoth.extract_raw_text(document(body))
    here, there = result.value.strip(), docx2txt.process(document(body)).strip()
    print(f"{name}: mammoth {here!r} {result.messages}, docx2txt {there!r}")
    assert here == expected, name
    assert there == "Total: 1200 EUR"
END
