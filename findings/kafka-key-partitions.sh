#!/usr/bin/env bash
# Two Kafka clients put the same key into different partitions.
# Guess: records with the same key land in the same partition whichever client writes them: that is what keys
# are for.
# Instead: librdkafka hashes keys with CRC32, kafka-python (as the Java client) with murmur2. The broker here is
# the mock of librdkafka, which also gives a new topic four partitions, not one.
# It matters: the order per key is lost as soon as two services in different languages write to a topic.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'confluent-kafka==2.16.1' 'kafka-python==3.0.12'
"$folder/venv/bin/python" - <<'END'
from importlib.metadata import version
from confluent_kafka import Producer
from kafka.partitioner.default import murmur2

print("confluent-kafka", version("confluent-kafka"), "kafka-python", version("kafka-python"))
producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "", "log_level": 0})
KEYS = [b"order-1", b"order-2", b"order-3", b"order-4"]
seen = {}


def delivered(error, message):
    assert error is None, error
    seen[message.key()] = message.partition()


for key in KEYS:
    producer.produce("orders", key=key, value=b"x", on_delivery=delivered)
assert producer.flush(60) == 0
count = len(producer.list_topics("orders", timeout=60).topics["orders"].partitions)
assert count == 4, count
other = {key: (murmur2(key) & 0x7FFFFFFF) % count for key in KEYS}
for key in KEYS:
    print(f"{key.decode()}: librdkafka {seen[key]}, murmur2 {other[key]} of {count}")
assert seen != other
assert seen[b"order-1"] == 3 and other[b"order-1"] == 2
END
