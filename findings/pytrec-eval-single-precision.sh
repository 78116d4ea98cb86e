#!/usr/bin/env bash
# pytrec-eval keeps scores in single precision, and orders what became equal by the name of the document.
# Guess: a Python float keeps its 53 bits, so a score that is higher by 1 in 16 million ranks first.
# Instead: 16777217 and 16777216 count as equal, and of equal ones the later name is first, whatever the order of the run.
# It matters: scores made of a large sum, a time or a rank times a weight lose their order in the measurement alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pytrec_eval-terrier==0.5.11' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
import pytrec_eval

print("pytrec_eval-terrier", version("pytrec_eval-terrier"))


def reciprocal_rank(first, second):
    run = {"q": {"a": first, "b": second}}
    rank = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"}).evaluate(run)["q"]["recip_rank"]
    print("scores of a (relevant) and b:", first, second, "-> reciprocal rank", rank)
    return rank


assert reciprocal_rank(16777217.0, 16777216.0) == 0.5
assert reciprocal_rank(16777218.0, 16777216.0) == 1.0
END
