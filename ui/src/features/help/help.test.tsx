import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { lexer, walkTokens, type Token, type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { imageOf, PAGES, readPage, targetOf } from './contents.ts';
import { HelpView } from './help.tsx';
import { slug } from './markdown.tsx';
import { partsOf, search } from './search.ts';

const links = { hrefOf: (page: { id: string }, part: string | undefined) => `#/help/${page.id}${part ? `?part=${part}` : ''}` };

describe('the manual', () => {
  it('has every page that it lists, once, and lists every page of its folder', async () => {
    expect(new Set(PAGES.map(({ id }) => id)).size).toBe(PAGES.length);
    for (const page of PAGES) expect(await readPage(page)).toMatch(/^# /);
    const folder = readdirSync(resolve(import.meta.dirname, '../../../../docs/manual')).filter((name) => name.endsWith('.md'));
    expect(folder.filter((name) => !PAGES.some(({ file }) => file === `manual/${name}`))).toEqual([]);
  });

  it('has no link to a heading or a picture that is not there', async () => {
    const headings = new Map(await Promise.all(PAGES.map(async (page) => [page.id, lexer(await readPage(page)).filter((token): token is Tokens.Heading => token.type === 'heading').map(({ text }) => slug(text))] as const)));
    const wrong: string[] = [];
    for (const page of PAGES) {
      const see = (token: Token) => {
        if (token.type === 'link') {
          const target = targetOf(page, String(token['href']));
          if (target && 'page' in target && target.part && !headings.get(target.page.id)?.includes(target.part)) wrong.push(`${page.file}: ${String(token['href'])}`);
        }
        if (token.type === 'image' && imageOf(page, String(token['href'])) === undefined) wrong.push(`${page.file}: ${String(token['href'])}`);
      };
      walkTokens(lexer(await readPage(page)), see);
    }
    expect(wrong).toEqual([]);
  });

  it('shows a page with its tables, code and links to other pages', async () => {
    render(<HelpView page="errors" part={undefined} links={links} />);
    await screen.findByRole('heading', { level: 1, name: 'Errors and the policy' });
    expect(screen.getByRole('link', { name: 'inbox' }).getAttribute('href')).toBe('#/help/inbox');
    expect(screen.getAllByRole('table').length).toBeGreaterThan(1);
    expect(within(screen.getByRole('navigation')).getByRole('link', { current: 'page' }).textContent).toBe('Errors and the policy');
  });

  it('goes to a heading, and says when there is no such page', async () => {
    const { rerender } = render(<HelpView page="errors" part="coverage-and-proof" links={links} />);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Coverage and proof'));
    rerender(<HelpView page="gone" part={undefined} links={links} />);
    expect(screen.getByText('The manual has no such page')).toBeTruthy();
  });

  it('finds parts by words and leads to them', async () => {
    const user = userEvent.setup();
    render(<HelpView page={undefined} part={undefined} links={links} />);
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
});
