#!/usr/bin/env bash
# ir-measures gives another reciprocal rank with a cut-off than without one, though the cut-off cuts nothing.
# Guess: RR and RR@10 of a run with two results are the same number.
# Instead: each measure is computed by another library, and those order equal scores differently: with two equal scores
# RR is 0.5 and RR@10 is 1.0 for the same run.
# It matters: fused ranks and coarse scores tie often, so a retrieval step seems better or worse by how it is measured.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'ir_measures==0.4.3' 'pytrec_eval-terrier==0.5.11' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from ir_measures import RR, calc_aggregate

print("ir_measures", version("ir_measures"))
WANTED = {"q": {"a": 1}}
RUN = {"q": {"a": 1.0, "b": 1.0}}
whole, cut = calc_aggregate([RR], WANTED, RUN)[RR], calc_aggregate([RR @ 10], WANTED, RUN)[RR @ 10]
print("run:", RUN, "relevant: a")
print("RR:", whole, " RR@10:", cut)
assert (whole, cut) == (0.5, 1.0)
clear = {"q": {"a": 2.0, "b": 1.0}}
assert calc_aggregate([RR], WANTED, clear)[RR] == calc_aggregate([RR @ 10], WANTED, clear)[RR @ 10] == 1.0
END
