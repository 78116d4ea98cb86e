"""Users in front of a Kafka broker that has none: SASL as Kafka says, SCRAM by `scramp`, TLS by OpenSSL.

    kafka_sasl.py PORT BROKER_PORT USER PASSWORD [CERTIFICATE KEY]

A connection that has signed in is passed on byte for byte. Before, only the questions of signing in are answered; `kafka.mjs` lets
librdkafka sign in, too, so that this is not only what our own client expects.
"""

import asyncio
import ssl
import struct
import sys

from scramp import ScramException, ScramMechanism

SCRAM = {name: ScramMechanism(mechanism=name) for name in ("SCRAM-SHA-256", "SCRAM-SHA-512")}
WAYS = ["PLAIN", *SCRAM]
API_VERSIONS, HANDSHAKE, AUTHENTICATE = 18, 17, 36
UNSUPPORTED, REFUSED = 33, 58


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


async def frame(reader):
    return await reader.readexactly(struct.unpack(">i", await reader.readexactly(4))[0])


def send(writer, body):
    writer.write(struct.pack(">i", len(body)) + body)


class SignIn:
    """One connection until its user is known."""

    def __init__(self, user, password):
        self.user, self.password = user, password
        self.way = self.exchange = None
        self.known = False

    def begin(self, way):
        self.way = way
        if way in SCRAM:
            kept = {self.user: SCRAM[way].make_auth_info(self.password)}
            self.exchange = SCRAM[way].make_server(lambda user: kept[user])
        return way in WAYS

    def plain(self, sent):
        _, user, password = sent.split("\0")
        self.known = (user, password) == (self.user, self.password)
        return "" if self.known else None

    def scram(self, sent):
        try:
            if self.exchange.stage is None:
                self.exchange.set_client_first(sent)
                return self.exchange.get_server_first()
            self.exchange.set_client_final(sent)
            self.known = True
            return self.exchange.get_server_final()
        except (ScramException, KeyError):
            return None

    def answer(self, sent):
        return (self.scram if self.way in SCRAM else self.plain)(sent.decode())


async def pump(reader, writer):
    while part := await reader.read(65536):
        writer.write(part)
        await writer.drain()


async def connection(reader, writer, broker, user, password):
    far, near = await asyncio.open_connection("127.0.0.1", broker)
    state = SignIn(user, password)
    try:
        while not state.known:
            request = await frame(reader)
            api, version, number, client = struct.unpack(">hhih", request[:10])
            body, head = request[10 + max(client, 0):], struct.pack(">i", number)
            if api == API_VERSIONS:
                send(near, request)
                send(writer, await frame(far))
            elif api == HANDSHAKE:
                good = state.begin(body[2:].decode())
                send(writer, head + struct.pack(">hi", 0 if good else UNSUPPORTED, len(WAYS)) + b"".join(map(text, WAYS)))
            elif api == AUTHENTICATE and version < 2 and state.way:
                said = state.answer(body[4:])
                code, why = (0, struct.pack(">h", -1)) if said is not None else (REFUSED, text("Authentication failed"))
                told = (said or "").encode()
                send(writer, head + struct.pack(">h", code) + why + struct.pack(">i", len(told)) + told + (struct.pack(">q", 0) if version else b""))
                if said is None:
                    return await writer.drain()
            else:
                return
            await writer.drain()
        done, rest = await asyncio.wait([asyncio.create_task(pump(*pair)) for pair in ((reader, near), (far, writer))], return_when=asyncio.FIRST_COMPLETED)
        for task in [*done, *rest]:
            task.cancel()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        near.close()
        writer.close()


async def main(port, broker, user, password, certificate=None, key=None):
    secure = None
    if certificate:
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(certificate, key)
    server = await asyncio.start_server(lambda *ends: connection(*ends, int(broker), user, password), "127.0.0.1", int(port), ssl=secure)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
