/** The pages of the manual: the same Markdown files that the site is made of, read when they are opened, and the kinds of step. */
import contents from '../../../../docs/manual/contents.json';
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { categoryTitle, groupKinds } from '../../shared/kind/groups.ts';

export interface Page {
  id: string;
  /** Below `docs/`. */
  file: string;
  title: string;
}
/** Pages about kinds of step have no file: what they say comes from the catalog of the host. */
export interface StepPage {
  id: string;
  title: string;
  kinds: readonly NodeDescriptor[];
}
export interface Chapter<P = Page> {
  title: string;
  pages: readonly P[];
}

export const CHAPTERS: readonly Chapter[] = contents;
export const PAGES: readonly Page[] = CHAPTERS.flatMap((chapter) => chapter.pages);

/** The page that names all kinds of step. */
export const ALL_STEPS = 'steps';
const PREFIX = `${ALL_STEPS}-`;
export const isStepPage = (id: string | undefined): boolean => id === ALL_STEPS || id?.startsWith(PREFIX) === true;

/** One page that names all kinds, and one for each group that describes them. */
export function stepPages(kinds: readonly NodeDescriptor[]): StepPage[] {
  const groups = groupKinds([...kinds]).map(([group, list]) => ({ id: `${PREFIX}${group}`, title: t('help.stepsOf', { group: categoryTitle(group) }), kinds: list }));
  return [{ id: ALL_STEPS, title: t('help.allSteps'), kinds }, ...groups];
}

const texts = import.meta.glob<string>(['../../../../docs/*.md', '../../../../docs/manual/*.md', '!../../../../docs/{status,benchmarks,conformance,faults,states,dependencies,translation,restate,scale,findings}.md'], { query: '?raw', import: 'default' });
const images = import.meta.glob<string>('../../../../docs/screenshots/{gallery,builder,error-handling,run,runs,inbox,audit,automations,catalog,settings}-{light,dark}.webp', { query: '?url', import: 'default', eager: true });

export async function readPage(page: Page): Promise<string> {
  const read = texts[`../../../../docs/${page.file}`];
  if (!read) throw new Error(`The manual has no file ${page.file}.`);
  return await read();
}

/** The address of a picture, by its path as it stands in the text, which names the light one. */
export function imageOf(page: Page, src: string, dark = false): string | undefined {
  const light = `../../../../docs/${resolve(page.file, src)}`;
  return (dark ? images[light.replace(/-light\.webp$/, '-dark.webp')] : undefined) ?? images[light];
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
