/** The manual: its pages by chapter, a search over all of them, and the page that is read. */
import './help.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Skeleton, TextInput } from '../../kit/index.ts';
import { CHAPTERS, PAGES, readPage, type Page } from './contents.ts';
import { Markdown, type Links } from './markdown.tsx';
import { partsOf, search, type Part } from './search.ts';

export function HelpView({ page: id, part, links }: { page: string | undefined; part: string | undefined; links: Links }) {
  const [asked, setAsked] = useState('');
  const parts = useParts(asked.trim() !== '');
  const hits = useMemo(() => (parts ? search(parts, asked) : undefined), [parts, asked]);
  const page = PAGES.find((one) => one.id === id) ?? (id === undefined ? PAGES[0] : undefined);
  return (
    <div className="help">
      <div className="help-side">
        <div className="help-find"><TextInput icon="search" type="search" value={asked} placeholder={t('help.search')} aria-label={t('help.search')} onChange={setAsked} /></div>
        {asked.trim() === '' ? (
          <nav className="help-list" aria-label={t('help.contents')}>
            {CHAPTERS.map((chapter) => (
              <section key={chapter.title}>
                <h2 className="cap">{chapter.title}</h2>
                {chapter.pages.map((one) => <a key={one.id} className={one === page ? 'on' : ''} aria-current={one === page ? 'page' : undefined} href={links.hrefOf(one, undefined)}>{one.title}</a>)}
              </section>
            ))}
          </nav>
        ) : (
          <div className="help-list" role="region" aria-label={t('help.results')} aria-live="polite">
            {hits?.map(({ part: found, excerpt }) => (
              <a key={`${found.page.id}#${found.slug ?? ''}`} className="help-hit" href={links.hrefOf(found.page, found.slug)}>
                <strong>{found.heading}</strong><span className="s t2">{found.heading === found.page.title ? null : `${found.page.title} · `}{excerpt}</span>
              </a>
            ))}
            {hits?.length === 0 ? <EmptyState title={t('help.none', { text: asked })} text={t('help.noneHint')} /> : null}
          </div>
        )}
      </div>
      {page ? <Text key={page.id} page={page} part={part} links={links} />
        : <div className="help-main"><EmptyState title={t('help.noPage')} text={t('help.noPageHint')} /></div>}
    </div>
  );
}

function Text({ page, part, links }: { page: Page; part: string | undefined; links: Links }) {
  const [text, setText] = useState<string>();
  const [failed, setFailed] = useState(false);
  const main = useRef<HTMLDivElement>(null);
  const read = () => {
    setFailed(false);
    readPage(page).then(setText, () => setFailed(true));
  };
  useEffect(read, [page]);
  useEffect(() => {
    if (text === undefined || part === undefined) return;
    const heading = [...main.current?.querySelectorAll<HTMLElement>('h1, h2, h3, h4') ?? []].find((one) => one.id === `help-${part}`);
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  }, [text, part]);
  return (
    <div className="help-main" ref={main}>
      {failed ? <Banner signal="err" title={t('help.notRead')} actions={<Button small icon="retry" onClick={read}>{t('common.tryAgain')}</Button>} />
        : text === undefined ? <div aria-busy="true"><Skeleton rows={8} /></div> : <article><Markdown text={text} page={page} links={links} /></article>}
    </div>
  );
}

/** All pages, cut into parts, once something is looked for. */
function useParts(wanted: boolean): Part[] | undefined {
  const [parts, setParts] = useState<Part[]>();
  useEffect(() => {
    if (!wanted || parts) return;
    void Promise.all(PAGES.map(async (page) => partsOf(page, await readPage(page)))).then((all) => setParts(all.flat()));
  }, [wanted, parts]);
  return parts;
}
