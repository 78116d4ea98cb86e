// What expressions of n8n give, by n8n's own package: writes tests/expressions/n8n.json. Not part of a quick run.
// npm install --prefix FOLDER n8n-workflow@2.41.0 --ignore-scripts; node tests/peers/n8n.mjs FOLDER
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const folder = resolve(process.argv[2] ?? '.');
const { Workflow } = createRequire(`${folder}/x.js`)('n8n-workflow');

const data = {
  n: 7, f: 2.5, zero: 0, neg: -3, big: 1234567.891, name: 'Ada Lovelace', empty: '', yes: true, no: false, nothing: null, num: '42', price: '19.90',
  text: '  Some text, with commas  ', email: 'ada@example.com', html: '<p>Hi <b>you</b></p>', json: '{"a":[1,2]}', at: '2026-01-31T09:30:15.250Z', day: '2026-02-28',
  tags: ['red', 'green', 'blue'], numbers: [3, 1, 2], none: [], user: { name: 'Ada', address: { city: 'Paris', zip: '75001' }, 'full name': 'Ada L' }, blank: {},
  rows: [{ id: 1, price: 10, ok: true }, { id: 2, price: 5.5, ok: false }, { id: 3, price: 4, ok: true }],
};
const numbers = ['$json.n', '$json.f', '$json.zero', '$json.neg', '$json.big'];
const texts = ['$json.name', '$json.text', '$json.email', '$json.empty', '$json.num'];
const anything = [...numbers, ...texts, '$json.yes', '$json.no', '$json.nothing', '$json.missing', '$json.user.missing', '$json.tags', '$json.user'];
const holes = [
  ...anything, '$json', '$json.user.address.city', "$json['user']['full name']", '$json.rows[1].price', '$json.tags[0]', '$json.tags[9]', '$json.user?.address?.zip', '$json.missing?.deep',
  '$json.missing.deep.deeper', '$json.user.missing.trim()', '$json.tags.length', '$json.name.length',
  ...numbers.flatMap((a) => [`${a} + 1`, `${a} - 2`, `${a} * 3`, `${a} / 2`, `${a} > 2`, `${a} <= 2.5`, `${a} === 7`, `-${a}`, `Math.round(${a})`, `Math.floor(${a})`, `Math.ceil(${a})`, `Math.abs(${a})`, `${a}.toFixed(2)`, `String(${a})`, `${a} + ' pieces'`]),
  ...texts.flatMap((a) => [`${a}.toUpperCase()`, `${a}.toLowerCase()`, `${a}.trim()`, `${a}.length`, `${a}.includes('a')`, `${a}.startsWith('A')`, `${a}.endsWith('e')`, `${a}.split(' ')`, `${a}.split(' ')[0]`, `${a}.replace('a', 'X')`, `${a}.replaceAll('a', 'X')`, `${a}.replace(/[aeiou]/g, '*')`, `${a}.replace(/(\\w)(\\w)/, '$2$1')`, `${a}.slice(0, 3)`, `${a}.slice(-2)`, `${a}.substring(1, 4)`, `${a}.charAt(0)`, `${a} + '!'`, `${a} === 'Ada Lovelace'`, `${a}.isEmpty()`, `${a}.isNotEmpty()`, `/ad/i.test(${a})`]),
  ...anything.flatMap((a) => [`${a} || 'other'`, `${a} ?? 'other'`, `${a} ? 'yes' : 'no'`, `!${a}`, `!!${a}`, `${a} === undefined`, `${a} == null`, `${a} != null`, `typeof ${a} === 'string'`, `typeof ${a} === 'number'`, `JSON.stringify({ v: ${a} })`, `[${a}]`, `$if(${a}, 1, 2)`, `$ifEmpty(${a}, 'none')`]),
  '$json.yes && $json.no', '$json.yes || $json.no', '$json.n > 1 && $json.f < 3', '$json.n > 1 ? $json.name : $json.email', '$json.yes && $json.name',
  "$json.tags.join(', ')", '$json.tags.join()', "$json.tags.includes('red')", "$json.tags.indexOf('green') !== -1", '$json.tags.map(t => t.toUpperCase())', "$json.tags.filter(t => t.includes('e'))", '$json.rows.map(r => r.id)', '$json.rows.filter(r => r.ok).length', '$json.rows.find(r => r.id === 2).price',
  '$json.rows.some(r => r.price > 9)', '$json.rows.every(r => r.price > 4)', '$json.rows.reduce((sum, r) => sum + r.price, 0)', '$json.numbers.first()', '$json.numbers.last()', '$json.numbers.sum()', '$json.numbers.max()', '$json.numbers.min()', '$json.numbers.average()', '$json.numbers.reverse()', '$json.none.isEmpty()', '$json.tags.isNotEmpty()', '$json.blank.isEmpty()',
  '$json.tags.slice(1)', '$json.tags.concat($json.numbers)', '[...$json.tags, 4]', '$json.tags.at(-1)', '[1, 1, 2].unique()', "$json.rows.pluck('id')", 'Math.max(1, $json.n, 3)', 'Math.min(...$json.numbers)', '$max(1, 5, 2)', '$min(4, 2)',
  'Object.keys($json.user)', 'Object.values($json.user.address)', 'Object.entries($json.user.address)', 'JSON.stringify($json.user)', 'JSON.stringify($json.tags)', 'JSON.stringify($json.name)', 'JSON.stringify($json.user, null, 2)', 'JSON.parse($json.json)', 'JSON.parse($json.json).a[1]', '$json.json.parseJson()', '$json.user.toJsonString()', "'name' in $json.user", "$json.user.hasField('name')", '$json.user.keys()', 'Array.isArray($json.tags)', 'Array.isArray($json.name)',
  'Number($json.num)', 'parseInt($json.num)', 'parseFloat($json.price)', '+$json.num', '$json.num.toNumber()', '$json.num.toInt()', '$json.f.round()', '$json.big.round(1)', '$json.f.floor()', '$json.f.ceil()', '$json.n.isEven()', '$json.n.isOdd()', 'Number($json.price) * 2', '$json.price * 2', '7 % 3', '0.1 + 0.2', '10 / 4', '6 / 3', '1 / 3',
  "$json.at.toDateTime().toISO()", "$json.at.toDateTime().toFormat('yyyy-MM-dd')", "$json.at.toDateTime().toFormat('dd.MM.yyyy HH:mm')", "DateTime.fromISO($json.at).toFormat('yyyy/LL/dd')", 'new Date($json.at).toISOString()', 'new Date($json.at).getTime()', 'new Date($json.at).getFullYear()', 'DateTime.fromISO($json.at).plus({ days: 1 }).toISO()', "$json.at.toDateTime().minus({ hours: 3, minutes: 30 }).toISO()", "$json.at.toDateTime().plus(2, 'weeks').toISODate()", "$json.at.toDateTime().startOf('day').toISO()", "$json.at.toDateTime().startOf('month').toISODate()", "$json.at.toDateTime().endOf('day').toISO()", '$json.at.toDateTime().year', '$json.at.toDateTime().month', '$json.at.toDateTime().day', '$json.at.toDateTime().hour', '$json.at.toDateTime().weekday', '$json.at.toDateTime().toMillis()', "$json.at.toDateTime().setZone('Europe/Berlin').toFormat('HH:mm')", "$json.at.toDateTime().setZone('America/New_York').toISO()", '$json.at.toDateTime().monthLong', '$json.at.toDateTime().weekdayShort', "new Date($json.at) > new Date('2026-01-01')", "$json.at > '2026'", '$json.day.toDateTime().toISODate()',
  "$json.email.split('@')[1]", "$json.email.match(/@(.+)$/)[1]", '$json.email.match(/zzz/)', "$json.html.removeTags()", "$json.text.trim().split(',')[1].trim()", "$json.name.replace(/\\s+/g, '-').toLowerCase()", "$json.name.split(' ').map(p => p[0]).join('')", '`${$json.name} (${$json.n})`', '`plain`', "`a${$json.n > 5 ? 'big' : 'small'}`", "'a' + 'b' + 1", "1 + 2 + 'x'", "'x' + 1 + 2", "encodeURIComponent('a b&c')", '$json.email.urlEncode()', "$json.name.toString()", '$json.n.toString()', "({ a: 1, b: $json.n })", "{ a: $json.name }", '[1, 2, 3]', 'null', 'undefined', 'true', "'text'", '42', '3.14', "'it\\'s'", '"dou\\"ble"', "'{' + '}'",
  '$workflow.name', '$runIndex', "$json.name.concat(' X')", "$json.rows.map(r => `${r.id}:${r.price}`).join(';')", "$json.rows.filter(r => r.price > 4).map(r => r.id).join('-')", '$json.rows.length > 2', '$json.rows[0].ok && $json.rows[1].ok', '$json["name"]', '$input.item.json.name', '$input.first().json.name', '$input.all().length', '$input.all().map(i => i.json.n)', "$('A').first().json.name", "$('A').all().length", "$('A').all()[0].json.n", "$node['A'].json.name", "$('A').first().json.rows.length", "$items('A')[0].json.n", "$json.n.toFixed()", '(2.5).toFixed(0)', '(0.125).toFixed(2)', '(1.005).toFixed(2)', "$json.price.toNumber().round(0)",
];
const whole = [...new Set(holes)].map((hole) => `={{ ${hole} }}`);
const around = ['$json.name', '$json.n', '$json.f', '$json.missing', '$json.nothing', '$json.yes', '$json.n / 2', '6 / 3', '$json.tags.length', '$json.user.name', '$json.empty', "$json.at.toDateTime().toFormat('HH')", '$json.n > 3', "$json.tags.join('/')"]
  .flatMap((hole) => [`=Value: {{ ${hole} }}!`, `={{ ${hole} }} {{ $json.n }}`]);
const odd = ['=plain text', '=', '={{ $json.n }} ', '= {{ $json.n }}', '={{ {a:{b:1}}.a }}', '={{ $json.n }}{{ $json.n }}', "={{ '}' }}", "={{ '}}' }}", '={{ $json.n', '={ "a": {{ $json.n }} }'];
const sources = [...whole, ...around, ...odd];

const node = (name) => ({ id: name, name, typeVersion: 1, type: 'test.set', position: [0, 0], parameters: {} });
const description = { displayName: 't', name: 't', group: [], version: 1, inputs: ['main'], outputs: ['main'], properties: [] };
const nodeTypes = { getByName: () => ({ description }), getByNameAndVersion: () => ({ description }), getKnownTypes: () => ({}) };
const workflow = new Workflow({ id: 'w1', name: 'Flow', nodes: [node('A'), node('B')], connections: { A: { main: [[{ node: 'B', type: 'main', index: 0 }]] } }, active: false, nodeTypes, settings: { timezone: 'UTC' } });
const items = [{ json: data }];
const run = { resultData: { runData: { A: [{ startTime: 1, executionTime: 1, executionStatus: 'success', data: { main: [items] }, source: [null] }] } } };
const cases = [];
for (const source of sources) {
  let result;
  try {
    const value = await workflow.expression.getParameterValue(source, run, 0, 0, 'B', structuredClone(items), 'manual', {}, { data: { main: [items] }, node: workflow.nodes.B, source: { main: [{ previousNode: 'A' }] } });
    result = { value: JSON.parse(JSON.stringify(value ?? null)) };
  } catch (error) {
    result = { error: error.constructor.name };
  }
  cases.push({ expression: source, ...result });
}
writeFileSync(new URL('../expressions/n8n.json', import.meta.url), `${JSON.stringify({ by: 'n8n-workflow 2.41.0', data, cases }).replaceAll('{"expression"', '\n{"expression"')}\n`);
console.log(`${cases.length} cases, ${cases.filter((one) => one.error).length} with an error`);
