#!/usr/bin/env bash
# docx2txt has a moved text at its old place as well.
# Guess: of a document with tracked changes the text is that of the document as it stands: what was deleted is gone, what was moved is at its
# new place.
# Instead: deleted text is gone, and moved text is there twice, at the old and at the new place. mammoth has it once.
# It matters: a clause that was taken out of one section of a contract and put into another is found in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'docx2txt==0.9' 'mammoth==1.13.0'
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


def paragraph(text, change=None):
    word = "delText" if change == "del" else "t"
    run = f"<w:r><w:{word}>{text}</w:{word}></w:r>"
    if change:
        run = f'<w:{change} w:id="1" w:author="Ada" w:date="2024-01-01T00:00:00Z">{run}</w:{change}>'
    return f"<w:p>{run}</w:p>"


BODY = "".join(
    [
        paragraph("Section 1"),
        paragraph("Notice: 30 days", "moveFrom"),
        paragraph("Fee: 5", "del"),
        paragraph("Fee: 7", "ins"),
        paragraph("Section 2"),
        paragraph("Notice: 30 days", "moveTo"),
    ]
)
here = docx2txt.process(document(BODY)).split("\n\n")
there = mammoth.extract_raw_text(document(BODY)).value.split("\n\n")
here, there = [line for line in here if line.strip()], [line for line in there if line.strip()]
print("docx2txt", version("docx2txt"), here)
print("mammoth", version("mammoth"), there)
assert here == ["Section 1", "Notice: 30 days", "Fee: 7", "Section 2", "Notice: 30 days"]
assert there == ["Section 1", "Fee: 7", "Section 2", "Notice: 30 days"]
END
