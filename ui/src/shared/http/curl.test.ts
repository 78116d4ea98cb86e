import { expect, it } from 'vitest';
import { curlOf, shellWord } from './curl.ts';

it('writes the request of a step as a command line', () => {
  expect(curlOf({ url: 'https://shop.example/orders' })).toBe('curl https://shop.example/orders \\\n  --location');
  expect(curlOf({ method: 'POST', url: 'https://shop.example/orders?a=1#top', query: { q: 'a b', id: [1, 2], none: null }, headers: { 'X-Shop': "Ada's" }, body: { total: 5 }, redirects: 'no', timeoutMs: 2500, credential: 'secret://shop' })).toBe(
    [
      '# secret://shop is not part of this command',
      "curl 'https://shop.example/orders?a=1&q=a%20b&id=1&id=2#top' \\",
      "  --header 'X-Shop: Ada'\\''s' \\",
      "  --header 'Content-Type: application/json' \\",
      `  --data-raw '{"total":5}' \\`,
      '  --max-time 2.5',
    ].join('\n'),
  );
});

it('keeps forms, bytes and expressions', () => {
  expect(curlOf({ method: 'PUT', url: 'https://x.example/{{item.id}}', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: { a: 'b c', n: [1, null] }, redirects: 'no' })).toBe(
    ["curl 'https://x.example/{{item.id}}' \\", '  --request PUT \\', "  --header 'content-type: application/x-www-form-urlencoded' \\", "  --data-urlencode 'a=b c' \\", '  --data-urlencode n=1'].join('\n'),
  );
  expect(curlOf({ method: 'POST', url: 'https://x.example/', bodyBinary: 'photo', redirects: 'no' })).toBe('curl https://x.example/ \\\n  --data-binary @photo');
  expect(curlOf({ method: 'DELETE', url: 'https://x.example/', query: { id: '= item.id' }, redirects: 'no' })).toBe("curl 'https://x.example/?id== item.id' \\\n  --request DELETE");
});

it('lets no text out of its word', () => {
  expect(shellWord("a'; rm -rf ~ #")).toBe(`'a'\\''; rm -rf ~ #'`);
  expect(shellWord('$(id)`id`')).toBe("'$(id)`id`'");
});

it('sends what the step sends where cURL behaves differently', () => {
  const lines = (config: Parameters<typeof curlOf>[0]) => curlOf({ redirects: 'no', ...config }).split(' \\\n  ');
  // Text is no form, and an address is one address without spaces.
  expect(lines({ method: 'POST', url: 'https://x.example/', body: 'hello' })).toEqual(['curl https://x.example/', "--header 'Content-Type: text/plain; charset=utf-8'", '--data-raw hello']);
  expect(lines({ url: 'https://x.example/a b/ü?list[]=1' })).toEqual(["curl 'https://x.example/a%20b/%C3%BC?list[]=1'", '--globoff']);
  expect(lines({ url: 'https://x.example/{{item.full name}}' })[0]).toBe("curl 'https://x.example/{{item.full name}}'");
  expect(lines({ url: 'https://x.example/', headers: { 'X-A': '' } })[1]).toBe("--header 'X-A;'");
  const parts = { a: 'b c', n: [1, null], file: { binary: 'photo' }, meta: { value: { x: 1 }, type: 'application/json' } };
  expect(lines({ method: 'POST', url: 'https://x.example/', headers: { 'Content-Type': 'multipart/form-data' }, body: parts })).toEqual(
    ['curl https://x.example/', "--form-string 'a=b c'", '--form-string n=1', '--form file=@photo', `--form-string 'meta={"x":1}'`],
  );
});
