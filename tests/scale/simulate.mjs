// Ten million runs a day by a hundred tenants, on paper: `node tests/scale/simulate.mjs` prints the tables of docs/scale.md.
// Everything random comes from one seed, so the same figures give the same tables.

/** Measured; docs/scale.md says how. */
const MEASURED = {
  /** Runs of 5 synced steps that one host completes in a second, 64 at once (P2). */
  runsPerSecond: 2107,
  /** Processor time of such a run, in ms (P2). */
  cpuMs: 0.7,
  /** Bytes that such a run writes to disk, with the log of writes (P2). */
  written: 60_600,
  /** Bytes that a run of 6 steps with 2 HTTP requests leaves in the database. */
  stored: { events: 5500, audit: 8200, auditIndexes: 820, rest: 3100 },
  auditEntries: 14,
  /** Seconds to verify 1,000,000 audit entries on one thread: the fastest and the slowest measurement. */
  verify: [5.1, 12.3],
};

/** Assumed; change them to see what they do. */
const ASSUMED = {
  runsPerDay: 10_000_000,
  tenants: 100,
  /** Share of all runs that schedules start, and how these are spread: at the full hour, every quarter, every minute. */
  scheduled: 0.3,
  schedules: { hour: 0.4, quarter: 0.3, minute: 0.3 },
  /** Weight of each hour of the day for runs that people and other programs start: an office day in one time zone. */
  hours: [1, 1, 1, 1, 1, 2, 4, 8, 12, 14, 14, 12, 10, 13, 14, 13, 11, 8, 5, 4, 3, 2, 2, 1],
  /** Example prices in dollars a month: a GB of a network disk, a processor. */
  prices: { gigabyte: 0.08, processor: 25 },
  /** A host is planned for this share of what it was measured with. */
  headroom: 0.6,
};

const DAY = 86_400;

/** mulberry32. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A Poisson number: exact below 30, from the normal distribution above. */
function poisson(mean, next) {
  if (mean <= 0) return 0;
  if (mean > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = next(); product > limit; product *= next()) count += 1;
  return count;
}

/** The share of each tenant: the n-th has 1/n of the first (Zipf). */
function shares(tenants) {
  const weights = Array.from({ length: tenants }, (_, n) => 1 / (n + 1));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Runs that start in each second of a day, of a tenant with this share of all. Those of the full hour and of the quarters are spread
 * over so many seconds. */
function arrivals(share, spread, next) {
  const perDay = ASSUMED.runsPerDay * share;
  const asked = perDay * (1 - ASSUMED.scheduled);
  const hours = ASSUMED.hours.reduce((all, weight) => all + weight, 0);
  const { hour, quarter, minute } = ASSUMED.schedules;
  const at = (part, times) => (perDay * ASSUMED.scheduled * part) / times;
  const seconds = new Float64Array(DAY);
  for (let second = 0; second < DAY; second += 1) {
    let count = poisson((asked * ASSUMED.hours[Math.floor(second / 3600)]) / hours / 3600, next);
    if (second % 3600 < spread) count += at(hour, 24) / spread;
    if (second % 900 < spread) count += at(quarter, 96) / spread;
    if (second % 60 === 0) count += at(minute, 1440);
    seconds[second] = count;
  }
  return seconds;
}

/** What waits in front of a host that completes `capacity` runs a second, first come, first served. */
function queue(seconds, capacity) {
  const waits = [];
  let waiting = 0, longest = 0;
  for (const count of seconds) {
    // Who comes now waits for those before, and on average for half of those that come in the same second.
    if (count > 0) waits.push([(waiting + count / 2) / capacity, count]);
    waiting = Math.max(0, waiting + count - capacity);
    longest = Math.max(longest, waiting);
  }
  waits.sort((a, b) => a[0] - b[0]);
  const total = waits.reduce((all, [, count]) => all + count, 0);
  const quantile = (wanted) => {
    let seen = 0;
    for (const [wait, count] of waits) if ((seen += count) >= total * wanted) return wait;
    return 0;
  };
  return { longest, p50: quantile(0.5), p99: quantile(0.99), most: waits.at(-1)?.[0] ?? 0 };
}

/** Tenants to hosts: the largest first, each to the host that has least. */
function assign(tenantShares, hosts) {
  const load = Array.from({ length: hosts }, () => ({ share: 0, tenants: [] }));
  tenantShares.forEach((share, tenant) => {
    const least = load.reduce((a, b) => (b.share < a.share ? b : a));
    least.share += share;
    least.tenants.push(tenant);
  });
  return load;
}

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const whole = (value) => Math.round(value).toLocaleString('en-US');
const seconds = (value) => (value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(value < 10 ? 1 : 0)} s`);
const bytes = (value) => (value >= 1e12 ? `${(value / 1e12).toFixed(1)} TB` : `${whole(value / 1e9)} GB`);

const all = shares(ASSUMED.tenants);
const day = (spread) => {
  const next = random(20_261_130);
  return all.map((share) => arrivals(share, spread, next));
};
const sum = (byTenant, tenants) => {
  const out = new Float64Array(DAY);
  for (const tenant of tenants) byTenant[tenant].forEach((count, second) => { out[second] += count; });
  return out;
};

const sharp = day(1);
const load = [[sharp, 'none'], [day(300), '5 min']].flatMap(([byTenant, spread]) => [1, 2, 4, 8].map((hosts) => {
  const assigned = assign(all, hosts);
  const capacity = MEASURED.runsPerSecond * ASSUMED.headroom;
  const worst = assigned.map(({ tenants }) => queue(sum(byTenant, tenants), capacity)).sort((a, b) => b.most - a.most)[0];
  const fullest = Math.max(...assigned.map(({ share }) => share));
  const mean = (ASSUMED.runsPerDay * fullest) / DAY;
  return [spread, hosts, `${Math.round(fullest * 100)} %`, `${Math.round((mean / capacity) * 100)} %`, whole(worst.longest), seconds(worst.p50), seconds(worst.p99), seconds(worst.most)];
}));
console.log(table(['spread', 'hosts', 'runs on the fullest host', 'its load on average', 'longest queue', 'wait, p50', 'p99', 'longest'], load));

const { stored } = MEASURED;
const perRun = stored.events + stored.audit + stored.auditIndexes + stored.rest;
const history = stored.events + stored.rest;
const audit = stored.audit + stored.auditIndexes;
const keep = [[7, 7], [30, 30], [30, 365], [90, 365]].map(([runs, entries]) => {
  const size = ASSUMED.runsPerDay * (history * runs + audit * entries);
  const monthly = (size / 1e9) * ASSUMED.prices.gigabyte;
  return [`${runs} days`, `${entries} days`, bytes(size), bytes(size * all[0]), bytes(size * all.at(-1)), `$${whole(monthly)}`];
});
console.log(`\n${table(['runs are kept', 'audit entries are kept', 'all tenants', 'largest tenant', 'smallest tenant', 'disk, a month'], keep)}`);

const month = 2 * ASSUMED.prices.processor;
console.log(`\nTwo processors cost $${month} a month.`);

const entries = ASSUMED.runsPerDay * MEASURED.auditEntries;
const verify = MEASURED.verify.map((one) => (one * entries) / 1e6 / 60);
console.log(`\n${table(['each day', 'all tenants', 'largest tenant'], [
  ['runs', whole(ASSUMED.runsPerDay), whole(ASSUMED.runsPerDay * all[0])],
  ['runs in a second: average, most', ...[sum(sharp, all.keys()), sharp[0]].map((one) => `${whole(one.reduce((a, b) => a + b, 0) / DAY)}, ${whole(one.reduce((a, b) => Math.max(a, b), 0))}`)],
  ['processor time', ...[1, all[0]].map((share) => `${((ASSUMED.runsPerDay * share * MEASURED.cpuMs) / 3.6e6).toFixed(1)} h`)],
  ['written to disk', ...[1, all[0]].map((share) => bytes(ASSUMED.runsPerDay * share * MEASURED.written))],
  ['left in the database', ...[1, all[0]].map((share) => bytes(ASSUMED.runsPerDay * share * perRun))],
  ['audit entries', ...[1, all[0]].map((share) => whole(entries * share))],
  ['to verify them, one thread', ...[1, all[0]].map((share) => verify.map((one) => whole(one * share)).join(' to ') + ' min')],
])}`);
