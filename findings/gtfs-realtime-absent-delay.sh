#!/usr/bin/env bash
# A field that a GTFS-realtime feed leaves out reads as 0 or as a state.
# Guess: `departure.delay` of an entry that gives a time only is undefined, and so is the state of a vehicle
# that tells none.
# Instead: it is 0, that is "on time"; the state is 2, IN_TRANSIT_TO; a missing timestamp is the year 1970. Only
# `hasOwnProperty` tells.
# It matters: trains without a forecast are shown as on time.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund 'gtfs-realtime-bindings@1.1.1'
cat >main.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import bindings from 'gtfs-realtime-bindings';

console.log('gtfs-realtime-bindings', JSON.parse(readFileSync('node_modules/gtfs-realtime-bindings/package.json')).version);
const { FeedMessage } = bindings.transit_realtime;
const bytes = FeedMessage.encode({
  header: { gtfsRealtimeVersion: '2.0' },
  entity: [
    { id: '1', tripUpdate: { trip: { tripId: 't' }, stopTimeUpdate: [{ stopId: 's', departure: { time: 1_700_000_000 } }] } },
    { id: '2', vehicle: { position: { latitude: 1, longitude: 2 } } },
  ],
}).finish();
const { header, entity } = FeedMessage.decode(bytes);
const { departure } = entity[0].tripUpdate.stopTimeUpdate[0];
const { vehicle } = entity[1];
console.log('delay:', departure.delay, 'state:', vehicle.currentStatus, 'timestamp:', Number(header.timestamp), 'bearing:', vehicle.position.bearing);
console.log('own delay:', Object.hasOwn(departure, 'delay'), 'own state:', Object.hasOwn(vehicle, 'currentStatus'));
assert.equal(departure.delay, 0);
assert.equal(vehicle.currentStatus, 2);
assert.equal(Number(header.timestamp), 0);
assert.ok(!Object.hasOwn(departure, 'delay') && !Object.hasOwn(vehicle, 'currentStatus'));
END
node main.mjs
