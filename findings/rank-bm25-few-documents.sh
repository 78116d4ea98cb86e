#!/usr/bin/env bash
# BM25Okapi of rank-bm25 scores a matching document 0 in a collection of two.
# Guess: of two documents the one with the word scores higher than the one without.
# Instead: the weight of a word that stands in half of the documents is log(1) = 0, and words in more than half
# get a share of the average; so both documents score 0. BM25L tells them apart.
# It matters: retrieval over a small set (two files, two tickets) has no order at all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'rank-bm25==0.2.2' 'numpy==2.4.6'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from rank_bm25 import BM25L, BM25Okapi

print("rank-bm25", version("rank-bm25"))
TWO = [["red", "lamp"], ["blue", "chair"]]
okapi = [float(score) for score in BM25Okapi(TWO).get_scores(["lamp"])]
other = [float(score) for score in BM25L(TWO).get_scores(["lamp"])]
print("documents:", TWO, "query: lamp")
print("BM25Okapi:", okapi)
print("BM25L:    ", other)
assert okapi == [0.0, 0.0], okapi
assert other[0] > other[1]
END
