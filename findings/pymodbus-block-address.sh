#!/usr/bin/env bash
# A block of registers that pymodbus serves starts one before its address.
# Guess: `ModbusSequentialDataBlock(1, [10, 11, 12])` answers register address 1 with 10.
# Instead: the device context subtracts one (register numbers count from 1, addresses from 0): address 0 is
# answered with 10, address 1 with 11, and a block at 0 is refused.
# It matters: a simulator that a flow was tried against is off by one from the real device.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pymodbus==3.16.1'
"$folder/venv/bin/python" - <<'END'
import asyncio
import socket
import warnings
from importlib.metadata import version
from pymodbus.client import AsyncModbusTcpClient
from pymodbus.datastore import ModbusDeviceContext, ModbusSequentialDataBlock, ModbusServerContext
from pymodbus.server import ModbusTcpServer

warnings.simplefilter("ignore")
print("pymodbus", version("pymodbus"))
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    PORT = probe.getsockname()[1]


async def main():
    device = ModbusDeviceContext(hr=ModbusSequentialDataBlock(1, [10, 11, 12]))
    server = ModbusTcpServer(ModbusServerContext(device, single=True), address=("127.0.0.1", PORT))
    await server.serve_forever(background=True)
    client = AsyncModbusTcpClient("127.0.0.1", port=PORT)
    await client.connect()
    for address, wanted in [(0, [10]), (1, [11]), (2, [12])]:
        found = (await client.read_holding_registers(address, count=1)).registers
        print(f"address {address}: {found}")
        assert found == wanted, found
    client.close()
    await server.shutdown()
    try:
        context = ModbusDeviceContext(hr=ModbusSequentialDataBlock(0, [10]))
        ModbusTcpServer(ModbusServerContext(context, single=True), address=("127.0.0.1", PORT))
    except TypeError as error:
        print("a block at 0:", error)
    else:
        raise SystemExit("a block at 0 was taken")


asyncio.run(main())
END
