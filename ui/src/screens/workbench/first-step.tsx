/** An empty workflow asks one thing: what starts it? Or it begins as a copy of a small whole. */
import type { NodeDescriptor } from '../../api/types.ts';
import { STARTERS, starterEdits, type CanvasHandle, type StarterId } from '../../features/canvas/index.ts';
import type { EditorStore } from '../../features/canvas/editor.ts';
import { t } from '../../i18n/index.ts';
import { Tile } from '../../kit/index.ts';
import './first-step.css';

/** What most people begin with comes first, then whole templates; the rest follows. */
const USUAL = ['trigger.manual', 'trigger.schedule', 'trigger.form', 'trigger.webhook', 'trigger.file_watch'];
/** The rest of what the catalog says is about running. */
const firstSentence = (text: string) => text.split(/(?<=[.;]) /)[0]?.replace(/;$/, '.') ?? text;

export function FirstStep({ editor, catalog, handle }: { editor: EditorStore; catalog: readonly NodeDescriptor[]; handle: CanvasHandle }) {
  const place = ({ type }: NodeDescriptor) => (USUAL.includes(type) ? USUAL.indexOf(type) : USUAL.length);
  const triggers = catalog.filter((kind) => kind.role === 'trigger').toSorted((a, b) => place(a) - place(b));
  const begin = (id: StarterId) => {
    const { edits, first } = starterEdits(editor.getState().document, catalog, id);
    if (editor.apply(edits, { label: t('start.template', { name: t(`start.${id}`) }), select: [first] })) requestAnimationFrame(() => { handle.fit(true); handle.focusChosen(); });
  };
  const start = (kind: NodeDescriptor) => (
    <button key={kind.type} type="button" className="first-row" data-kind={kind.type} onClick={() => handle.addKind(kind.type)}>
      <Tile icon={kind.icon} tone={kind.category} size={24} />
      <span className="col"><span>{kind.title}</span><span className="s t2">{firstSentence(kind.description)}</span></span>
    </button>
  );
  return (
    <>
      <section className="first-step" aria-label={t('start.title')}>
        <b>{t('start.title')}</b>
        {triggers.filter((kind) => USUAL.includes(kind.type)).map(start)}
      </section>
      <section className="first-step" aria-label={t('start.templates')}>
        <b>{t('start.templates')}</b>
        {STARTERS.map((id) => (
          <button key={id} type="button" className="first-row" data-starter={id} onClick={() => begin(id)}>
            <Tile icon="workflow" tone="start" size={24} />
            <span className="col"><span>{t(`start.${id}`)}</span><span className="s t2">{t(`start.${id}.text`)}</span></span>
          </button>
        ))}
      </section>
      <section className="first-step" aria-label={t('start.more')}>
        <b>{t('start.more')}</b>
        {triggers.filter((kind) => !USUAL.includes(kind.type)).map(start)}
      </section>
    </>
  );
}
