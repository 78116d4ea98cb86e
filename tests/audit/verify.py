#!/usr/bin/env python3
"""A second verifier of the audit chain, written from docs/audit-chain.md. Standard library only.

usage: verify.py PACK.zip [KEY.pub]     an evidence pack
       verify.py FILE.jsonl [KEY.pub]   a file of entries, all of the log
Prints one JSON line; exit 0 intact, 1 broken, 2 not readable.
"""
import base64
import datetime
import hashlib
import json
import re
import sys
import zipfile

FILES = ["entries.jsonl", "checkpoints.jsonl", "proofs.jsonl", "key.pub", "README.txt"]
MANIFEST = "manifest.json"  # packs of before have none
ZERO = "0" * 64
REQUIRED = {"v", "logId", "seq", "prevHash", "timestamp", "runId", "nodeId", "event", "level", "actor"}
OPTIONAL = {"tags", "metadata", "contextSnapshotHash"}


class Broken(Exception):
    pass


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# Ed25519 (RFC 8032, 5.1), verification only, written plainly.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    x, y, z, t = a
    u, v, w, s = b
    e, f = (y - x) * (v - u) % P, (y + x) * (v + u) % P
    g, h = 2 * t * s * D % P, 2 * z * w % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def times(n, point):
    result = (0, 1, 1, 0)
    while n:
        if n & 1:
            result = add(result, point)
        point = add(point, point)
        n >>= 1
    return result


def unpack(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = unpack((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def signed(key, message, signature):
    point, r = unpack(key), unpack(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if point is None or r is None or s >= L or same(times(8, point), (0, 1, 1, 0)):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return same(times(s, BASE), add(r, times(h, point)))


def read_keys(text):
    keys = {}
    for body in re.findall(r"-----BEGIN PUBLIC KEY-----\n(.+)\n-----END PUBLIC KEY-----", text):
        der = base64.b64decode(body, validate=True)
        if len(der) != 44 or der[:12].hex() != "302a300506032b6570032100":
            raise ValueError("key.pub: no Ed25519 key")
        keys[sha(der[12:]).hex()[:16]] = der[12:]
    return keys


def check_signature(text, message, keys, what):
    match = re.fullmatch(r"ed25519:([0-9a-f]{16}):([0-9a-f]{128})", text)
    if not match or match[1] not in keys or not signed(keys[match[1]], message, bytes.fromhex(match[2])):
        raise Broken(f"WRONG_SIGNER: {what}")


def no_duplicates(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


SHOWN = re.compile("[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def restore(text):
    """The canonical text: characters that files write as \\uXXXX for safe reading stand there as themselves."""
    def one(match):
        if match[1].startswith("u") and SHOWN.match(chr(int(match[1][1:], 16))):
            return chr(int(match[1][1:], 16))
        return match[0]
    return re.sub(r"\\(u[0-9a-f]{4}|.)", one, text)


def part(line, name):
    """The raw text of the first member, its value, and the other members."""
    value = json.loads(line, object_pairs_hook=no_duplicates)
    head = '{"%s":' % name
    tail = "".join(f',{json.dumps(k)}:{json.dumps(v)}' for k, v in value.items() if k != name) + "}"
    if not line.startswith(head) or not line.endswith(tail) or SHOWN.search(line):
        raise ValueError(f"a line of another form: {line[:80]}")
    return restore(line[len(head):len(line) - len(tail)]), value


def read_entries(text, keys):
    entries, last = [], None
    for line in text.split("\n")[:-1] if text.endswith("\n") or not text else bad_end():
        shown = line.startswith('{"shown":')
        try:
            raw, value = part(line, "shown" if shown else "entry")
        except ValueError as error:
            raise Broken(f"MALFORMED after seq {last and last['seq']}: {error}")
        entry = value["shown" if shown else "entry"]
        seq = entry.get("seq")
        names = set(entry)
        if not REQUIRED <= names or names - REQUIRED - OPTIONAL or list(entry) != sorted(entry) or entry["v"] != 1:
            raise Broken(f"MALFORMED at seq {seq}")
        if shown and not all(re.fullmatch("[0-9a-f]{64}", text) for text in (value["hash"], entry["prevHash"])):
            raise Broken(f"MALFORMED at seq {seq}: no hash")
        # Of an entry that is shown in part the hash is given; what is shown proves nothing.
        digest = bytes.fromhex(value["hash"]) if shown else sha(b"signalbox.audit.v1\n", raw.encode())
        if digest.hex() != value["hash"]:
            raise Broken(f"MODIFIED at seq {seq}: the content gives {digest.hex()}")
        if last and seq <= last["seq"]:
            raise Broken(f"REORDERED or DUPLICATED at seq {seq}")
        if last and seq == last["seq"] + 1 and entry["prevHash"] != last["hash"]:
            raise Broken(f"MODIFIED at seq {seq}: it follows another entry")
        if seq == 0 and entry["prevHash"] != ZERO:
            raise Broken("MODIFIED at seq 0: the first entry follows nothing")
        if last and entry["logId"] != last["entry"]["logId"]:
            raise Broken(f"INSERTED at seq {seq}: an entry of another log")
        if "signature" in value and keys:
            check_signature(value["signature"], digest, keys, f"entry {seq}")
        last = {"seq": seq, "hash": value["hash"], "digest": digest, "entry": entry, "shown": shown, **({"signature": 1} if "signature" in value else {})}
        entries.append(last)
    return entries


def bad_end():
    raise Broken("MALFORMED: the last line has no end")


def frontier(tombstone):
    """What is left of removed entries: one tree per bit of their number."""
    bits = [1 << bit for bit in reversed(range(tombstone["removed"].bit_length())) if tombstone["removed"] >> bit & 1]
    if len(bits) != len(tombstone["frontier"]):
        raise Broken("MALFORMED: the record of the retention does not fit itself")
    return [(bytes.fromhex(node), size) for node, size in zip(tombstone["frontier"], bits)]


def retention(entries, keys):
    """The record of a retention that stands for what was removed; none when the log begins with its first entry."""
    records = [e for e in entries if e["entry"]["event"] == "AUDIT_RETENTION" and not e["shown"]]
    if not records:
        return None
    if keys and "signature" not in records[-1]:
        raise Broken(f"WRONG_SIGNER: the record of the retention, entry {records[-1]['seq']}")
    found = records[-1]["entry"]["metadata"]
    if root([], frontier(found)).hex() != found["rootHash"]:
        raise Broken("MALFORMED: the frontier of the retention does not give its root")
    return found


def follows(entries, tombstone):
    """Whether the first entry is the one after what was removed."""
    first = entries[0]
    if tombstone is None or first["seq"] != tombstone["removed"] or first["entry"]["prevHash"] != tombstone["headHash"]:
        raise Broken(f"MISSING: entries before {first['seq']}, and no record of a retention stands for them")


def root(hashes, before=()):
    """RFC 6962, 2.1, without recursion: one tree per bit."""
    trees = list(before)
    for digest in hashes:
        node, size = sha(b"\0", digest), 1
        while trees and trees[-1][1] == size:
            node, size = sha(b"\1", trees.pop()[0], node), size * 2
        trees.append((node, size))
    if not trees:
        return sha()
    node = trees.pop()[0]
    while trees:
        node = sha(b"\1", trees.pop()[0], node)
    return node


def proves(proof, digest, wanted):
    at, last, node = proof["seq"], proof["size"] - 1, sha(b"\0", digest)
    for neighbour in map(bytes.fromhex, proof["path"]):
        if last == 0:
            return False
        if at & 1 or at == last:
            node = sha(b"\1", neighbour, node)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            node = sha(b"\1", node, neighbour)
        at, last = at >> 1, last >> 1
    return last == 0 and node == wanted


def check_checkpoints(text, keys):
    last, all_of_them = None, {}
    for line in text.split("\n")[:-1]:
        raw, value = part(line, "checkpoint")
        this, message = value["checkpoint"], b"signalbox.checkpoint.v1\n" + raw.encode()
        if last and (this["cpSeq"] != last[0]["cpSeq"] + 1 or this["prevCpHash"] != last[1] or this["size"] < last[0]["size"]):
            raise Broken(f"checkpoint {this['cpSeq']} does not follow the one before")
        if ("keyId" in this) != ("signature" in value):
            raise Broken(f"WRONG_SIGNER: checkpoint {this['cpSeq']}")
        if "keyId" in this:
            if value["signature"].split(":")[1] != this["keyId"]:
                raise Broken(f"WRONG_SIGNER: checkpoint {this['cpSeq']}")
            check_signature(value["signature"], message, keys, f"checkpoint {this['cpSeq']}")
        last = (this, sha(message).hex(), "keyId" in this)
        all_of_them[this["cpSeq"]] = this
    if not last:
        raise Broken("MISSING: no checkpoint")
    return *last, all_of_them


def clock(entries):
    """Where time went back by more than five seconds between two entries that follow each other."""
    times = [(e["seq"], datetime.datetime.fromisoformat(e["entry"]["timestamp"].replace("Z", "+00:00"))) for e in entries]
    back = [b[0] for a, b in zip(times, times[1:]) if b[0] == a[0] + 1 and (a[1] - b[1]).total_seconds() > 5]
    return {"clockBack": back[:20]} if back else {}


def findings(entries):
    """Entries that say something about the chain itself: a verification that failed, a missing end that was accepted."""
    found = []
    for e in entries:
        entry, facts = e["entry"], e["entry"].get("metadata", {})
        if entry["event"] in ("AUDIT_VERIFY_FAILED", "AUDIT_CUT_ACCEPTED"):
            kind, at = facts.get("kind"), facts.get("seq")
            named = {"kind": kind} if isinstance(kind, str) and len(kind) <= 32 else {}
            found.append({"seq": e["seq"], "event": entry["event"], **named, **({"at": at} if isinstance(at, int) else {})})
    return {"findings": {"count": len(found), "first": found[:20]}} if found else {}


def said_missing(manifest):
    """Ends of the log that the exporter says were found missing."""
    ends = manifest.get("missing", [])
    for end in ends:
        if not {"expected", "found"} <= set(end) <= {"expected", "found", "accepted"} or not all(isinstance(n, int) and n >= 0 for n in end.values()):
            raise ValueError(f"{MANIFEST}: a missing end of another form")
    return {"missing": ends} if ends else {}


def check_pack(path, key_text):
    with zipfile.ZipFile(path) as pack:
        if sorted(pack.namelist()) not in (sorted(FILES), sorted([*FILES, MANIFEST])):
            raise ValueError(f"a pack holds {', '.join(FILES)} and {MANIFEST}")
        text = {name: pack.read(name).decode() for name in pack.namelist()}
    own = read_keys(text["key.pub"])
    keys = read_keys(key_text) if key_text else own
    checkpoint, _, is_signed, sealed = check_checkpoints(text["checkpoints.jsonl"], keys)
    entries = read_entries(text["entries.jsonl"], keys)
    proofs = [json.loads(line) for line in text["proofs.jsonl"].split("\n")[:-1]]
    wanted = bytes.fromhex(checkpoint["rootHash"])
    shown = sum(e["shown"] for e in entries)
    manifest = json.loads(text[MANIFEST]) if MANIFEST in text else {}
    if shown and not proofs:
        raise Broken("MISSING: entries are shown in part, and nothing proves their place")
    tombstone = retention(entries, keys)
    if any(e["entry"]["logId"] != checkpoint["logId"] for e in entries):
        raise Broken("INSERTED: an entry of another log")
    if proofs:
        if [p["seq"] for p in proofs] != [e["seq"] for e in entries]:
            raise Broken("MISSING: entries and proofs do not go together")
        for entry, proof in zip(entries, proofs):
            if proof["size"] != checkpoint["size"] or not proves(proof, entry["digest"], wanted):
                raise Broken(f"MODIFIED at seq {entry['seq']}: its proof does not lead to the root")
    else:
        first = entries[0]["seq"] if entries else 0
        if first:
            follows(entries, tombstone)
            cut = sealed.get(tombstone["cpSeq"], {})
            if (cut.get("size"), cut.get("rootHash"), cut.get("headHash")) != tuple(tombstone[k] for k in ("removed", "rootHash", "headHash")):
                raise Broken("MALFORMED: the record of the retention fits no checkpoint")
        trees = frontier(tombstone) if first else ()
        if [e["seq"] for e in entries] != list(range(first, checkpoint["size"])) or root((e["digest"] for e in entries), trees) != wanted:
            raise Broken("the entries do not give the root of the checkpoint")
    runs = dict(tombstone.get("cutRuns", {})) if tombstone else {}
    for item in entries:
        entry = item["entry"]
        runs[entry["runId"]] = count = runs.get(entry["runId"], 0) + 1
        said = None if item["shown"] else entry.get("metadata", {}).get("entryCount")
        # What a query chose may be a part of a run.
        few = said is not None and count < said and "query" in manifest
        if entry["event"] == "WORKFLOW_COMPLETED" and said is not None and said != count and not few:
            raise Broken(f"MISSING: run {entry['runId']} has {said} entries, {count} are here")
    if manifest and (manifest["version"], manifest["entries"], manifest["shown"]) != (1, len(entries), shown):
        raise ValueError(f"{MANIFEST} says something else than the entries")
    return {"entries": len(entries), "removed": tombstone["removed"] if tombstone else 0, **clock(entries), **findings(entries), **said_missing(manifest), **({"query": manifest["query"]} if "query" in manifest else {}), **({"shownInPart": shown, "profile": manifest.get("profile")} if shown else {}), "root": wanted.hex(), "signed": is_signed, "pinned": bool(key_text) and is_signed}


def check_jsonl(path, key_text):
    with open(path, encoding="utf-8", newline="") as file:
        entries = read_entries(file.read(), read_keys(key_text) if key_text else {})
    first = entries[0]["seq"] if entries else 0
    tombstone = retention(entries, read_keys(key_text) if key_text else {}) if first else None
    if first:
        follows(entries, tombstone)
    for seq, entry in enumerate(entries, first):
        if entry["seq"] != seq:
            raise Broken(f"MISSING at seq {seq}")
    head = entries[-1]["hash"] if entries else ZERO
    trees = frontier(tombstone) if tombstone else ()
    return {"entries": len(entries), "removed": first, **clock(entries), **findings(entries), "head": head, "root": root((e["digest"] for e in entries), trees).hex()}


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        key_text = open(sys.argv[2], encoding="utf-8").read() if len(sys.argv) == 3 else ""
        check = check_pack if sys.argv[1].endswith(".zip") else check_jsonl
        print(json.dumps({"intact": True, **check(sys.argv[1], key_text)}))
        return 0
    except Broken as error:
        print(json.dumps({"intact": False, "why": str(error)}))
        return 1
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        print(json.dumps({"error": str(error)}))
        return 2


if __name__ == "__main__":
    sys.exit(main())
