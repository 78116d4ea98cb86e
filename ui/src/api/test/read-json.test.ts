import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, numberKept, placeOf, readJson } from '../../json/read-json.ts';

const kind = (text: string) => {
  const read = readJson(text);
  return 'problem' in read ? read.problem.kind : 'value';
};
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

describe('JSON that a person writes', () => {
  it.each([
    '0', '-0', '1.5e3', '"a\\u00e9\\n"', '"\\ud83d\\ude00 \u{1F600}"', 'true', ' null ', '[]', '{}', '[[],{}]', '{"a":[1,{"b":{}}],"c":"d"}', '{"__proto__":1}',
    '[{"a":1},{"a":1}]', '9007199254740991', '-9007199254740992', '9007199254740996', '1e30', '0.1', '100000000000000000000', '\n[ 1 ,\t2 ]\r\n',
  ])('takes %s as the browser does', (text) => {
    expect(readJson(text)).toEqual({ value: JSON.parse(text) as unknown });
  });

  it.each(['', ' ', '{', '[1', '"a', '"\\', '"\\x"', '"\\u12g4"', '"\n"', '01', '1.', '.5', '+1', '-', '1e', 'nul', 'nulll', 'NaN', "'a'", '[1,]', '{"a":1,}', '{"a"}', '{"a" 1}', '{a:1}', '{1:1}', '[1}', '{"a":1]', '1 2', ']', '[,1]', '{,}', '\u00a01'])(
    'says of %j that it is not JSON, as the browser does', (text) => {
      expect(() => JSON.parse(text) as unknown).toThrow();
      expect(kind(text)).toBe('syntax');
    });

  it('refuses what would become another value, with the place', () => {
    const at = (text: string) => (readJson(text) as { problem: unknown }).problem;
    expect(at('{"a": 1e400}')).toEqual({ kind: 'huge', at: 6, what: '1e400' });
    expect(at('[-1e309]')).toEqual({ kind: 'huge', at: 1, what: '-1e309' });
    expect(at('{"id": 99007199254740993000001}')).toEqual({ kind: 'inexact', at: 7, what: '99007199254740993000001' });
    expect(at('[18446744073709551617, 1]')).toEqual({ kind: 'inexact', at: 1, what: '18446744073709551617' });
    expect(readJson('[9007199254740993, -9223372036854775807]')).toEqual({ value: [9007199254740993n, -9223372036854775807n] });
    expect(at('{"a":1,"b":{"a":2},\n"\\u0061":3}')).toEqual({ kind: 'twice', at: 20, what: 'a' });
    expect(at('["ok", "\\ud800"]')).toEqual({ kind: 'surrogate', at: 7 });
    expect(at('{"\\udc00\\ud800": 1}')).toEqual({ kind: 'surrogate', at: 1 });
  });

  it('goes as deep as the host, and no deeper however deep the text is', () => {
    expect(kind(nested(MAX_DEPTH))).toBe('value');
    expect(readJson(nested(MAX_DEPTH + 1))).toEqual({ problem: { kind: 'depth', at: MAX_DEPTH } });
    expect(kind('['.repeat(1_000_000))).toBe('depth');
    expect(kind('{"a":'.repeat(200))).toBe('depth');
  });

  it('knows numbers that stay as they are', () => {
    const spelt = { '9007199254740993.0': 'inexact', '9007199254740993e0': 'inexact', '9.007199254740993e15': 'inexact', '900719925474099300e-2': 'inexact', '1e-400': 'tiny', '-0.0e5': 'kept', '0': 'kept', '1e23': 'kept', '1e300': 'kept', '9007199254740992.0': 'kept', '5e-324': 'kept' };
    expect(Object.fromEntries(Object.keys(spelt).map((written) => [written, numberKept(written)]))).toEqual(spelt);
    expect(['1', '9007199254740993', '1e400', '123456789012345680000', '9007199254740993.5'].map(numberKept)).toEqual(['kept', 'inexact', 'huge', 'kept', 'kept']);
  });
  it('keeps a decimal of 17 digits, and a longer one only where it is a double that was written with more', () => {
    const kept = ['13.377704000000001', '3.3333333333333333', '0.1000000000000000055511151231257827', '19.990000000000000000000000', '1.7976931348623157e308', '18446744073709552000'];
    const inexact = ['0.1234567890123456789', '-3.14159265358979323846', '12345678901234567890.12', '12345678901234567890123', '18446744073709551616', `0.${'7'.repeat(300)}`];
    expect(kept.map(numberKept)).toEqual(kept.map(() => 'kept'));
    expect(inexact.map(numberKept)).toEqual(inexact.map(() => 'inexact'));
  });
  it('counts lines and columns from 1', () => expect([placeOf('a\nbc', 3), placeOf('', 0)]).toEqual([{ line: 2, column: 2 }, { line: 1, column: 1 }]));
});
