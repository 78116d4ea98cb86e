import { afterEach, expect, it, vi } from 'vitest';
import { isLarge, parseExact, writeExact } from '../../json/exact-json.ts';
import { httpTransport } from '../transport/http.ts';

const LARGE = '{"id":9007199254740993,"list":[-9223372036854775808,18446744073709551615],"text":"9007199254740993 \\" 9007199254740995","n":1.5}';

it('keeps whole numbers that a number here would change, and leaves texts alone', () => {
  expect(parseExact(LARGE)).toEqual({ id: 9007199254740993n, list: [-9223372036854775808n, 18446744073709551615n], text: '9007199254740993 " 9007199254740995', n: 1.5 });
  expect(writeExact(parseExact(LARGE))).toBe(LARGE);
  expect(writeExact({ id: 9007199254740993n }, 2)).toBe('{\n  "id": 9007199254740993\n}');
});

it('finds them between texts that have digits, quotes and backslashes', () => {
  const text = '{"a\\\\":[9007199254740993,"\\",9007199254740993,\\"",{"9007199254740993":-9007199254740993}],"b":"\\\\\\"","__proto__":9007199254740995,"c":[[9007199254740997]]}';
  const value = parseExact(text) as Record<string, unknown>;
  expect(value['a\\']).toEqual([9007199254740993n, '",9007199254740993,"', { '9007199254740993': -9007199254740993n }]);
  expect([value['b'], Object.getOwnPropertyDescriptor(value, '__proto__')?.value, value['c']]).toEqual(['\\"', 9007199254740995n, [[9007199254740997n]]]);
  expect(writeExact(value)).toBe(text);
  const many = Array.from({ length: 50_000 }, () => 9007199254740993n);
  expect(parseExact(writeExact(many))).toEqual(many);
});

it('reads the rest as the browser does', () => {
  for (const text of ['{"a":1732000000000000}', '[9007199254740992, 9007199254740996]', '[123456789012345678901234567890, 1e400]', '"1234567890123456789"', '1234567890123456.5', '[0.1234567890123456789]', '{"1234567890123456789": 1}']) {
    expect(parseExact(text)).toEqual(JSON.parse(text) as unknown);
  }
  for (const broken of ['{"a": 9007199254740993', '["a, 9007199254740993', '9007199254740993"']) expect(() => parseExact(broken)).toThrow(SyntaxError);
  expect(['9007199254740993', '-9007199254740993', '9007199254740992', '18446744073709551616', '1e20'].map(isLarge)).toEqual([true, true, false, false, false]);
});

it('reads a text of some megabytes without a number of its stack', () => {
  const long = 'x\\"'.repeat(1_000_000);
  expect((parseExact(`{"t":"${long}","n":9007199254740993}`) as { n: bigint }).n).toBe(9007199254740993n);
});

it('whatever is written as JSON does not fail over one, and says its digits', () => {
  expect(JSON.stringify({ n: 9007199254740993n })).toContain('9007199254740993');
});

afterEach(() => { vi.unstubAllGlobals(); });

it('an answer, an event and a request keep them', async () => {
  const sent: string[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    if (typeof init.body === 'string') sent.push(init.body);
    return new Response(url.includes('/rpc/') ? LARGE : `id: 1\nevent: x\ndata: ${LARGE}\n\n`, { status: 200 });
  });
  const transport = httpTransport('http://h', () => 't');
  const answer = await transport.call('run_get', { runId: 'r' });
  expect(answer).toMatchObject({ id: 9007199254740993n });
  await transport.call('run_start', { params: answer as never });
  expect(sent[1]).toBe(`{"params":${LARGE}}`);
  const batch = await new Promise((done) => { transport.subscribe('r', 0, done, () => undefined); });
  expect(batch).toMatchObject([{ id: 9007199254740993n }]);
});
