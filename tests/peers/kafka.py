"""The client of Kafka's own protocol library (librdkafka) for kafka.mjs.

    kafka.py mock COUNT TOPIC      a cluster of mock brokers; prints their addresses, ends with its standard input
    kafka.py create BROKERS TOPIC PARTITIONS
    kafka.py read BROKERS TOPIC    all records as lines of JSON
    kafka.py produce BROKERS TOPIC FIRST COUNT CODEC    orders with these numbers, compressed so
    kafka.py waiting BROKERS TOPIC GROUP    how many messages a group has not committed
"""

import json
import os
import sys
import uuid

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic


# An authority in KAFKA_CA means TLS.
BY_TLS = {"security.protocol": "ssl", "ssl.ca.location": os.environ["KAFKA_CA"]} if "KAFKA_CA" in os.environ else {}
# KAFKA_SASL is "MECHANISM USER PASSWORD".
if "KAFKA_SASL" in os.environ:
    names = ("sasl.mechanism", "sasl.username", "sasl.password")
    BY_TLS = {"security.protocol": "sasl_plaintext", **dict(zip(names, os.environ["KAFKA_SASL"].split(" ")))}


def mock(count, topic):
    cluster = Producer({"bootstrap.servers": "x", "test.mock.num.brokers": int(count), "allow.auto.create.topics": True})
    cluster.list_topics(topic, timeout=10)
    known = cluster.list_topics(topic, timeout=10)
    brokers = sorted(f"{one.host}:{one.port}" for one in known.brokers.values())
    print(json.dumps({"brokers": brokers, "partitions": len(known.topics[topic].partitions)}), flush=True)
    sys.stdin.read()


def create(brokers, topic, partitions):
    client = AdminClient({"bootstrap.servers": brokers, **BY_TLS})
    for done in client.create_topics([NewTopic(topic, int(partitions), 1)]).values():
        done.result(timeout=10)


def read(brokers, topic):
    # To the end that the broker tells, and not to the offset that it calls the last: Tansu 0.6 counts a batch as one there.
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": str(uuid.uuid4()), "enable.auto.commit": False, "enable.partition.eof": True, **BY_TLS})
    for number in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING)])
        while True:
            message = consumer.poll(20)
            if message is None:
                sys.exit(f"partition {number} does not end")
            if message.error():
                if message.error().code() == KafkaError._PARTITION_EOF:
                    break
                sys.exit(str(message.error()))
            headers = {name: value.decode() for name, value in message.headers() or []}
            print(json.dumps({"partition": number, "offset": message.offset(), "key": (message.key() or b"").decode(), "headers": headers, "line": message.value().decode()}))
    consumer.close()


def produce(brokers, topic, first, count, codec):
    producer = Producer({"bootstrap.servers": brokers, "compression.type": codec, "linger.ms": 50, "acks": "all", **BY_TLS})
    for number in range(int(first), int(first) + int(count)):
        producer.produce(topic, json.dumps({"order": number}), key=f"customer-{number % 5}", headers={"source": "peer"})
    sys.exit("not delivered" if producer.flush(20) else 0)


def waiting(brokers, topic, group):
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": group, "enable.auto.commit": False, **BY_TLS})
    parts = [TopicPartition(topic, number) for number in consumer.list_topics(topic, timeout=10).topics[topic].partitions]
    ends = {part.partition: consumer.get_watermark_offsets(part, timeout=10)[1] for part in parts}
    print(sum(ends[part.partition] - max(part.offset, 0) for part in consumer.committed(parts, timeout=10)))


{"produce": produce, "waiting": waiting, "mock": mock, "create": create, "read": read}[sys.argv[1]](*sys.argv[2:])
