/** Pages about kinds of step: one that names them all, and one for each group. */
import type { NodeDescriptor } from '../../api/types.ts';
import { categoryTitle, groupKinds } from '../../shared/kind/groups.ts';
import { KindText } from '../../shared/kind/kind-text.tsx';
import { t, tn } from '../../i18n/index.ts';
import { ALL_STEPS, stepPages, type StepPage } from './contents.ts';
import type { Links } from './markdown.tsx';

export function StepsText({ page, links }: { page: StepPage; links: Links }) {
  return (
    <article>
      <h1>{page.title}</h1>
      {page.id === ALL_STEPS ? <Overview kinds={page.kinds} links={links} /> : page.kinds.map((kind) => (
        <section key={kind.type} className="help-kind">
          <h2 id={`help-${kind.type}`} tabIndex={-1}>{kind.title} <code>{kind.type}</code></h2>
          <KindText kind={kind} />
        </section>
      ))}
    </article>
  );
}

function Overview({ kinds, links }: { kinds: readonly NodeDescriptor[]; links: Links }) {
  const pages = stepPages(kinds).slice(1);
  return (
    <>
      <p>{t('help.stepsText', { kinds: tn('catalog.kinds', kinds.length) })}</p>
      {groupKinds([...kinds]).map(([group, list], n) => (
        <section key={group}>
          <h2>{categoryTitle(group)}</h2>
          <dl className="help-steps">
            {list.map((kind) => (
              <div key={kind.type}>
                <dt><a href={links.hrefOf(pages[n] ?? { id: ALL_STEPS }, kind.type)}>{kind.title}</a></dt>
                <dd>{kind.description}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
