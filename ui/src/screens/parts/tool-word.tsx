/** What a person says of a tool: whether it reads private data, can send data out, brings text from outside. Else it is guessed. What makes the
 * rules looser is said back by the program, and said again by the person. */
import { Fragment, useRef, useState } from 'react';
import { act } from '../../api/queries.ts';
import type { Tool, ToolWord } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Switch } from '../../kit/index.ts';
import { useAsyncAction } from '../../shared/use-async-action.ts';
import { plain } from '../../text/letters.ts';
import { Fault } from '../../shared/form-error.tsx';
import { FIELDS, wordWith } from './tool-words.ts';

type Field = (typeof FIELDS)[number];

/** What the three mean, once for all tools. `id`: what their ids begin with. */
export function ToolWordLegend({ id }: { id: string }) {
  return (
    <dl className="kv tool-legend">
      {FIELDS.map((field) => <Fragment key={field}><dt>{t(`tools.word.${field}`)}</dt><dd id={`${id}-${field}`}>{t(`tools.word.${field}.hint`)}</dd></Fragment>)}
    </dl>
  );
}

/** `hash`: what was approved. `legend`: the id of a `ToolWordLegend`. Who may not change it only looks. */
export function ToolWordBox({ tool, hash, mayChange, legend }: { tool: Tool; hash: string; mayChange: boolean; legend: string }) {
  const { busy, error, run } = useAsyncAction({ inForm: true });
  const [looser, setLooser] = useState<{ field: Field; word: ToolWord } | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const asks = error?.code === 'LOOSENS' && looser !== null;
  async function say(field: Field, word: ToolWord, understood: boolean): Promise<boolean> {
    if (busy) return false;
    setLooser({ field, word });
    const said = await run(() => act('tool_server_say', { name: tool.server, hash, tool: tool.name, word, understood }));
    if (said) setLooser(null);
    return said;
  }
  // The question goes with the button that was pressed: the keys go on from what it was about.
  const backTo = (field: Field) => box.current?.querySelectorAll<HTMLElement>('[role=switch]')[FIELDS.indexOf(field)]?.focus();
  return (
    <div ref={box} className="tool-word" role="group" aria-label={t('tools.word.title', { name: plain(tool.name) })}>
      <div className="row wrap">
        {FIELDS.map((field) => (
          <label key={field} className="row gap1 s" title={t(`tools.word.${field}.hint`)}>
            <Switch checked={tool[field]} label={t(`tools.word.${field}`)} describedBy={`${legend}-${field}`} disabled={!mayChange} onChange={(on) => void say(field, wordWith(tool, field, on), false)} />
            <span>{t(`tools.word.${field}`)}</span>
            <span className="t3">{t(tool.said?.[field] === undefined ? 'tools.word.guessed' : 'tools.word.said')}</span>
          </label>
        ))}
      </div>
      {asks ? (
        <Banner signal="warn" title={t('tools.word.looser')} actions={<>
          <Button small onClick={() => { setLooser(null); backTo(looser.field); }}>{t('tools.word.leave')}</Button>
          <Button small onClick={() => void say(looser.field, looser.word, true).then((said) => { if (said) backTo(looser.field); })}>{t('tools.word.so')}</Button>
        </>}><span className="s t2">{error.message}</span></Banner>
      ) : error && error.code !== 'LOOSENS' ? <Fault error={error} /> : null}
    </div>
  );
}
