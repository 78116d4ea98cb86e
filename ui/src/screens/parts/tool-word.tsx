/** What a person says of a tool: whether it reads private data, can send data out, brings text from outside. Else it is guessed. What makes the
 * rules looser is said back by the program, and said again by the person. */
import { useState } from 'react';
import { act } from '../../api/queries.ts';
import type { Tool, ToolWord } from '../../api/types.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Switch } from '../../kit/index.ts';
import { useDoing } from '../../features/doing.ts';
import { Fault } from '../../features/fault.tsx';
import { FIELDS, wordWith } from './tool-words.ts';

/** `hash`: what was approved. Without it, or who may not change it, only looks. */
export function ToolWordBox({ tool, hash, mayChange }: { tool: Tool; hash: string; mayChange: boolean }) {
  const { busy, error, run } = useDoing({ inForm: true });
  const [looser, setLooser] = useState<ToolWord | null>(null);
  const asks = error?.code === 'LOOSENS' && looser !== null;
  async function say(word: ToolWord, understood: boolean) {
    setLooser(word);
    if (await run(() => act('tool_server_say', { name: tool.server, hash, tool: tool.name, word, understood }))) setLooser(null);
  }
  return (
    <div className="tool-word" role="group" aria-label={t('tools.word.title', { name: tool.name })}>
      <div className="row wrap">
        {FIELDS.map((field) => (
          <label key={field} className="row gap1 s" title={t(`tools.word.${field}.hint`)}>
            <Switch checked={tool[field]} label={t(`tools.word.${field}`)} disabled={!mayChange || busy} onChange={(on) => void say(wordWith(tool, field, on), false)} />
            <span>{t(`tools.word.${field}`)}</span>
            <span className="t3">{t(tool.said?.[field] === undefined ? 'tools.word.guessed' : 'tools.word.said')}</span>
          </label>
        ))}
      </div>
      {asks ? (
        <Banner signal="warn" title={t('tools.word.looser')} actions={<>
          <Button small onClick={() => setLooser(null)}>{t('tools.word.leave')}</Button>
          <Button small busy={busy} onClick={() => void say(looser, true)}>{t('tools.word.so')}</Button>
        </>}><span className="s t2">{error.message}</span></Banner>
      ) : error && error.code !== 'LOOSENS' ? <Fault error={error} /> : null}
    </div>
  );
}
