/** The pages of the manual: the same Markdown files that the site is made of, read when they are opened. */
import contents from '../../../../docs/manual/contents.json';

export interface Page {
  id: string;
  /** Below `docs/`. */
  file: string;
  title: string;
}
export interface Chapter {
  title: string;
  pages: Page[];
}

export const CHAPTERS: readonly Chapter[] = contents;
export const PAGES: readonly Page[] = CHAPTERS.flatMap((chapter) => chapter.pages);

const texts = import.meta.glob<string>(['../../../../docs/*.md', '../../../../docs/manual/*.md', '!../../../../docs/{status,benchmarks,conformance,faults,glossary,states,dependencies,translation,findings}.md'], { query: '?raw', import: 'default' });
const images = import.meta.glob<string>('../../../../docs/screenshots/{gallery,builder,error-handling,run,runs,inbox,audit,automations,catalog,settings}-light.webp', { query: '?url', import: 'default', eager: true });

export async function readPage(page: Page): Promise<string> {
  const read = texts[`../../../../docs/${page.file}`];
  if (!read) throw new Error(`The manual has no file ${page.file}.`);
  return await read();
}

/** The address of a picture, by its path as it stands in the text. */
export function imageOf(page: Page, src: string): string | undefined {
  return images[`../../../../docs/${resolve(page.file, src)}`];
}

/** Where a link of a page leads: to another page, to a place on the web, or nowhere that the reader has. */
export type Target = { page: Page; part: string | undefined } | { url: string };
export function targetOf(page: Page, href: string): Target | undefined {
  if (/^https?:/.test(href)) return { url: href };
  const [path = '', part] = href.split('#');
  if (path === '') return { page, part };
  const file = resolve(page.file, path);
  const found = PAGES.find((one) => one.file === file);
  return found ? { page: found, part } : undefined;
}

/** A relative path, seen from a file below `docs/`. */
function resolve(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
