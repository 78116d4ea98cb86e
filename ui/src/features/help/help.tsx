/** The manual: its pages by chapter, a search over all of them, and the page that is read. */
import './help.css';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { NodeDescriptor } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, EmptyState, Skeleton, TextInput } from '../../kit/index.ts';
import { ALL_STEPS, CHAPTERS, isStepPage, PAGES, readPage, stepPages, type Chapter, type Page, type StepPage } from './contents.ts';
import { TryExpression, type Example } from './examples.tsx';
import { Markdown, type Links } from './markdown.tsx';
import { partsOf, partsOfSteps, search, type Part } from './search.ts';
import { StepsText } from './step-page.tsx';

/** The kinds of step of the host, once they are known. */
export interface Steps {
  kinds: readonly NodeDescriptor[] | undefined;
  failed?: boolean;
  onRetry?(): void;
}

/** The chapter of the steps comes after that about data. */
const STEPS_AT = 2;
/** The page whose examples can be tried. */
const WITH_TRIES = 'expressions';

export function HelpView({ page: id, part, links, steps }: { page: string | undefined; part: string | undefined; links: Links; steps: Steps }) {
  const [asked, setAsked] = useState('');
  const about = useMemo(() => stepPages(steps.kinds ?? []), [steps.kinds]);
  const parts = useParts(asked.trim() !== '', about);
  const hits = useMemo(() => (parts ? search(parts, asked) : undefined), [parts, asked]);
  const chapters: readonly Chapter<Page | StepPage>[] = useMemo(() => [...CHAPTERS.slice(0, STEPS_AT), { title: t('help.steps'), pages: about }, ...CHAPTERS.slice(STEPS_AT)], [about]);
  const page = PAGES.find((one) => one.id === id) ?? (id === undefined ? PAGES[0] : undefined);
  const stepPage = about.find((one) => one.id === id);
  const open = page ?? stepPage;
  return (
    <div className="help">
      <div className="help-side">
        <div className="help-find"><TextInput icon="search" type="search" value={asked} placeholder={t('help.search')} aria-label={t('help.search')} onChange={setAsked} /></div>
        {asked.trim() === '' ? (
          <nav className="help-list" aria-label={t('help.contents')}>
            {chapters.map((chapter) => (
              <section key={chapter.title}>
                <h2 className="cap">{chapter.title}</h2>
                {chapter.pages.map((one) => <a key={one.id} className={one === open ? 'on' : ''} aria-current={one === open ? 'page' : undefined} href={links.hrefOf(one, undefined)}>{one.title}</a>)}
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
        : isStepPage(id) && (stepPage || !steps.kinds) ? <StepText key={id} page={stepPage} part={part} links={links} steps={steps} />
          : <div className="help-main"><EmptyState title={t('help.noPage')} text={t('help.noPageHint')} /></div>}
    </div>
  );
}

function Text({ page, part, links }: { page: Page; part: string | undefined; links: Links }) {
  const [text, setText] = useState<string>();
  const [failed, setFailed] = useState(false);
  const [tried, setTried] = useState<Example>();
  const main = useRef<HTMLDivElement>(null);
  const read = () => {
    setFailed(false);
    readPage(page).then(setText, () => setFailed(true));
  };
  useEffect(read, [page]);
  useHeading(main, text === undefined ? undefined : part);
  // A copy, so that the same example can be asked for again.
  const onTry = page.id === WITH_TRIES ? (example: Example) => setTried({ ...example }) : undefined;
  return (
    <div className="help-main" ref={main}>
      {failed ? <Banner signal="err" title={t('help.notRead')} actions={<Button small icon="retry" onClick={read}>{t('common.tryAgain')}</Button>} />
        : text === undefined ? <div aria-busy="true"><Skeleton rows={8} /></div> : <article><Markdown text={text} page={page} links={links} onTry={onTry} /></article>}
      {onTry && text !== undefined ? <TryExpression example={tried} /> : null}
    </div>
  );
}

function StepText({ page, part, links, steps }: { page: StepPage | undefined; part: string | undefined; links: Links; steps: Steps }) {
  const main = useRef<HTMLDivElement>(null);
  const known = page !== undefined && steps.kinds !== undefined;
  useHeading(main, known ? part : undefined);
  return (
    <div className="help-main" ref={main}>
      {known ? <StepsText page={page} links={links} />
        : steps.failed ? <Banner signal="err" title={t('help.stepsNotRead')} actions={<Button small icon="retry" onClick={() => steps.onRetry?.()}>{t('common.tryAgain')}</Button>} />
          : <div aria-busy="true"><Skeleton rows={8} /></div>}
    </div>
  );
}

/** Goes to a heading as soon as it is there. */
function useHeading(main: RefObject<HTMLDivElement | null>, part: string | undefined): void {
  useEffect(() => {
    if (part === undefined) return;
    const heading = [...main.current?.querySelectorAll<HTMLElement>('h1, h2, h3, h4') ?? []].find((one) => one.id === `help-${part}`);
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  }, [main, part]);
}

/** All pages, cut into parts, once something is looked for. */
function useParts(wanted: boolean, about: readonly StepPage[]): Part[] | undefined {
  const [parts, setParts] = useState<Part[]>();
  useEffect(() => {
    if (!wanted || parts) return;
    void Promise.all(PAGES.map(async (page) => partsOf(page, await readPage(page)))).then((all) => setParts(all.flat()));
  }, [wanted, parts]);
  return useMemo(() => parts && [...parts, ...about.filter((page) => page.id !== ALL_STEPS).flatMap(partsOfSteps)], [parts, about]);
}
