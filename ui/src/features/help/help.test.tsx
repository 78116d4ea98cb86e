import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { lexer, walkTokens, type Token, type Tokens } from 'marked';
import { describe, expect, it, vi } from 'vitest';
import { setTheme } from '../../api/settings.ts';
import type { NodeDescriptor } from '../../api/types.ts';
import catalog from '../../test/catalog.gen.json';
import { renderOnce } from '../../test/render.tsx';
import { ALL_STEPS, imageOf, PAGES, readPage, stepPages, targetOf } from './contents.ts';
import { EXAMPLES, type Example } from './examples.tsx';
import { HelpView, type Steps } from './help.tsx';
import { slug } from './markdown.tsx';
import { partsOf, partsOfSteps, search } from './search.ts';

const KINDS = catalog as unknown as NodeDescriptor[];
const NO_STEPS: Steps = { kinds: undefined };
/** All that the manual says, as the search has it. */
const allParts = async () => [...(await Promise.all(PAGES.map(async (page) => partsOf(page, await readPage(page))))).flat(), ...stepPages(KINDS).slice(1).flatMap(partsOfSteps)];

const links = { hrefOf: (page: { id: string }, part: string | undefined) => `#/help/${page.id}${part ? `?part=${part}` : ''}` };

describe('the manual', () => {
  it('has every page that it lists, once, and lists every page of its folder', async () => {
    expect(new Set(PAGES.map(({ id }) => id)).size).toBe(PAGES.length);
    for (const page of PAGES) expect(await readPage(page)).toMatch(/^# /);
    const folder = readdirSync(resolve(import.meta.dirname, '../../../../docs/manual')).filter((name) => name.endsWith('.md'));
    expect(folder.filter((name) => !PAGES.some(({ file }) => file === `manual/${name}`))).toEqual([]);
  });

  it('has no link that leads nowhere, and none to a heading or a picture that is not there', async () => {
    const headings = new Map(await Promise.all(PAGES.map(async (page) => [page.id, lexer(await readPage(page)).filter((token): token is Tokens.Heading => token.type === 'heading').map(({ text }) => slug(text))] as const)));
    const wrong: string[] = [];
    for (const page of PAGES) {
      const see = (token: Token) => {
        if (token.type === 'link') {
          const target = targetOf(page, String(token['href']));
          if (!target) wrong.push(`${page.file}: ${String(token['href'])} is no page of Help`);
          if (target && 'page' in target && target.part && !headings.get(target.page.id)?.includes(target.part)) wrong.push(`${page.file}: ${String(token['href'])}`);
        }
        if (token.type === 'image' && imageOf(page, String(token['href'])) === undefined) wrong.push(`${page.file}: ${String(token['href'])}`);
      };
      walkTokens(lexer(await readPage(page)), see);
    }
    expect(wrong).toEqual([]);
  });

  it('shows a page with its tables, code and links to other pages', async () => {
    render(<HelpView page="errors" part={undefined} links={links} steps={NO_STEPS} />);
    await screen.findByRole('heading', { level: 1, name: 'Errors and the policy' });
    expect(screen.getByRole('link', { name: 'inbox' }).getAttribute('href')).toBe('#/help/inbox');
    expect(screen.getAllByRole('table').length).toBeGreaterThan(1);
    expect(within(screen.getByRole('navigation')).getByRole('link', { current: 'page' }).textContent).toBe('Errors and the policy');
  });

  it('goes to a heading, and says when there is no such page', async () => {
    const { rerender } = render(<HelpView page="errors" part="coverage-and-proof" links={links} steps={NO_STEPS} />);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Coverage and proof'));
    rerender(<HelpView page="gone" part={undefined} links={links} steps={NO_STEPS} />);
    expect(screen.getByText('The manual has no such page')).toBeTruthy();
  });

  it('finds parts by words and leads to them', async () => {
    const user = userEvent.setup();
    render(<HelpView page={undefined} part={undefined} links={links} steps={NO_STEPS} />);
    await user.type(screen.getByRole('searchbox'), 'breakpoints');
    const hits = within(await screen.findByRole('region', { name: 'Found in the manual' }));
    expect((await hits.findAllByRole('link'))[0]?.getAttribute('href')).toBe('#/help/runs?part=breakpoints');
    await user.type(screen.getByRole('searchbox'), ' zzz');
    expect(hits.getByText(/Nothing in the manual contains/)).toBeTruthy();
  });

  it('puts headings before texts', () => {
    const page = { id: 'a', file: 'a.md', title: 'A' };
    const parts = partsOf(page, '# A\n\nRetry is below.\n\n## Other\n\nA *retry* here.\n\n## Retry\n\nWords.\n');
    expect(search(parts, 'retry').map(({ part }) => part.heading)).toEqual(['Retry', 'A', 'Other']);
    expect(search(parts, ' ')).toEqual([]);
  });

  it('puts the page that is about a word before one that only mentions it', async () => {
    const parts = await allParts();
    const first = (words: string) => search(parts, words)[0]?.part;
    const order = search(parts, 'retry').map(({ part }) => part.page.id);
    expect(order.indexOf('errors')).toBeGreaterThanOrEqual(0);
    expect(order.includes('first-hour') ? order.indexOf('first-hour') : Infinity).toBeGreaterThan(order.indexOf('errors'));
    for (const words of ['upgrade', 'downgrade', 'going back']) expect(search(parts, words).slice(0, 3).map(({ part }) => part.page.id)).toContain('upgrading');
    expect(first('glossary')?.page.id).toBe('glossary');
    expect(first('object stores')?.page.id).toBe('object-stores');
  });

  it('says nothing of the machinery that it is made with', async () => {
    const wrong: string[] = [];
    for (const page of PAGES) {
      (await readPage(page)).replaceAll(/<!--[\s\S]*?-->/g, '').split('\n').forEach((line, n) => {
        if (/\bADRs? \d|cargo (xtask|nextest|run|check)|\btarget\/(debug|release|package)|src-tauri\/|\bdocs\/[a-z-]+\.md/.test(line)) wrong.push(`${page.file}:${String(n + 1)}: ${line}`);
      });
    }
    expect(wrong).toEqual([]);
  });

  it('shows pictures in the theme of the window', async () => {
    const pictures = (await Promise.all(PAGES.map(async (page) => [...(await readPage(page)).matchAll(/!\[[^\]]*\]\(([^)]+webp)\)/g)].map(([, src]) => ({ page, src: src ?? '' }))))).flat();
    expect(pictures.length).toBeGreaterThan(5);
    for (const { page, src } of pictures) expect(imageOf(page, src, true)).toContain('-dark');
    setTheme('dark');
    render(<HelpView page="inbox" part={undefined} links={links} steps={NO_STEPS} />);
    expect((await screen.findByRole<HTMLImageElement>('img')).src).toContain('inbox-dark');
    act(() => setTheme('light'));
    expect(screen.getByRole<HTMLImageElement>('img').src).toContain('inbox-light');
  });
});

describe('the steps in the manual', () => {
  it('names every kind of the catalog by group, and describes it', () => {
    const { rerender } = render(<HelpView page={ALL_STEPS} part={undefined} links={links} steps={{ kinds: KINDS }} />);
    const main = () => within(document.querySelector<HTMLElement>('.help-main') ?? document.body);
    const named = main().getAllByRole('link');
    expect(named.map((link) => link.textContent)).toEqual(expect.arrayContaining(KINDS.map((kind) => kind.title)));
    expect(named).toHaveLength(KINDS.length);
    expect(within(screen.getByRole('navigation')).getByRole('link', { name: 'All steps' }).getAttribute('aria-current')).toBe('page');
    for (const page of stepPages(KINDS).slice(1)) {
      expect(named.filter((link) => link.getAttribute('href')?.startsWith(`#/help/${page.id}?part=`))).toHaveLength(page.kinds.length);
    }
    rerender(<HelpView page="steps-data" part="archive.pack" links={links} steps={{ kinds: KINDS }} />);
    const packed = KINDS.find((kind) => kind.type === 'archive.pack');
    expect(document.activeElement?.textContent).toContain(packed?.title);
    const shown = document.activeElement?.closest('section');
    expect(shown?.textContent).toContain(packed?.description);
    for (const part of ['Ports', 'Settings', 'Errors', ...(packed?.examples.length ? ['Examples'] : [])]) expect(within(shown as HTMLElement).getByRole('heading', { name: part })).toBeTruthy();
  });

  it('finds them by what they are called and by what they are for', async () => {
    const parts = await allParts();
    const kinds = (words: string) => search(parts, words).map(({ part }) => part.slug);
    expect(kinds('archive').slice(0, 8)).toEqual(expect.arrayContaining(['archive.pack', 'archive.unpack']));
    expect(search(parts, 'read object')[0]?.part).toMatchObject({ slug: 'object.read', page: { id: 'steps-data' } });
    expect(kinds('object store')).toEqual(expect.arrayContaining(['object.read', 'object.write']));
    for (const kind of KINDS) expect(search(parts, kind.title).map(({ part }) => part.slug), kind.title).toContain(kind.type);
  });

  it('says when the host did not give them, and asks again', async () => {
    const onRetry = vi.fn();
    const { rerender } = render(<HelpView page="steps-data" part={undefined} links={links} steps={{ kinds: undefined }} />);
    expect(document.querySelector('.help-main [aria-busy]')).toBeTruthy();
    rerender(<HelpView page="steps-data" part={undefined} links={links} steps={{ kinds: undefined, failed: true, onRetry }} />);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(onRetry).toHaveBeenCalledOnce();
    rerender(<HelpView page="steps-none" part={undefined} links={links} steps={{ kinds: KINDS }} />);
    expect(screen.getByText('The manual has no such page')).toBeTruthy();
  });
});

describe('expressions that can be tried', () => {
  const shown = (answer: unknown) => renderOnce(<HelpView page="expressions" part={undefined} links={links} steps={NO_STEPS} />, { expression_try: () => answer } as never);

  it('fills in an example and shows what it gives', async () => {
    const { fake } = shown({ state: 'value', value: { large: true } });
    const page = PAGES.find((one) => one.id === 'expressions');
    const blocks = page ? lexer(await readPage(page)).filter((token): token is Tokens.Code => token.type === 'code' && token['lang'] === EXAMPLES) : [];
    const examples = blocks.flatMap((block) => JSON.parse(block.text) as Example[]);
    const buttons = await screen.findAllByRole('button', { name: /^Try it: / });
    expect(buttons).toHaveLength(examples.length);
    const example = examples.find((one) => one.expression.includes('nodes.orders'));
    await userEvent.click(screen.getByRole('button', { name: `Try it: ${example?.expression ?? ''}` }));
    expect(screen.getByLabelText<HTMLTextAreaElement>('Expression').value).toBe(example?.expression);
    expect(JSON.parse(screen.getByLabelText<HTMLTextAreaElement>('Data (JSON)').value)).toEqual(example?.data);
    expect((await screen.findByText('{"large":true}')).tagName).toBe('CODE');
    expect(fake.calls.filter(({ command }) => command === 'expression_try').map(({ payload }) => payload)).toEqual([{ text: example?.expression, data: example?.data }]);
  });

  it('shows what is wrong with an expression and with the data, and keeps what was written', async () => {
    const { fake } = shown({ state: 'error', message: 'The field `nope` does not exist' });
    const text = await screen.findByLabelText<HTMLTextAreaElement>('Expression');
    await userEvent.clear(text);
    await userEvent.type(text, 'item.nope');
    await userEvent.click(screen.getByRole('button', { name: 'Evaluate' }));
    expect((await screen.findByRole('alert')).textContent).toBe('The field `nope` does not exist');
    const data = screen.getByLabelText<HTMLTextAreaElement>('Data (JSON)');
    for (const written of ['{{"a"', '[[1]']) {
      await userEvent.clear(data);
      await userEvent.type(data, written);
      await userEvent.click(screen.getByRole('button', { name: 'Evaluate' }));
      expect(screen.getByText(/^The data is not a JSON object: /)).toBeTruthy();
    }
    expect(data.value).toBe('[1]');
    expect(fake.calls.filter(({ command }) => command === 'expression_try')).toHaveLength(1);
  });
});
