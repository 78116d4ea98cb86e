// One line to ask with: qualifiers are coloured as they are typed, and completed from what is there.

import { Fragment, useId, useRef, useState, type KeyboardEvent, type Ref } from 'react';
import { t } from '../../i18n/index.ts';
import { Icon, Kbd } from '../../kit/index.ts';
import { SafeText } from '../../shared/evidence/safe-text.tsx';
import { complete, tokensOf, type Completion, type Qualifier } from './query.ts';

export function QueryBox({ value, onChange, values, found, keys, ref }: {
  value: string; onChange(query: string): void; values: { [Q in Qualifier]?: readonly { value: string; hint?: string }[] }; found: string; keys: string | undefined; ref: Ref<HTMLInputElement>;
}) {
  const id = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(-1);
  const [scroll, setScroll] = useState(0);
  const input = useRef<HTMLInputElement | null>(null);
  const options = caret === null ? [] : complete(value, caret, values);
  const take = (option: Completion) => {
    const next = value.slice(0, option.from) + option.insert + value.slice(option.to).replace(/^\s+/, '');
    const place = option.from + option.insert.length;
    onChange(next);
    setActive(-1);
    setCaret(place);
    requestAnimationFrame(() => { input.current?.focus(); input.current?.setSelectionRange(place, place); });
  };
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Escape') {
      if (options.length && caret !== null) { event.stopPropagation(); setCaret(null); } else event.currentTarget.blur();
      return;
    }
    if (!options.length) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const by = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + by + options.length + (active < 0 && by < 0 ? 1 : 0)) % options.length);
      return;
    }
    const chosen = options[active] ?? (event.key === 'Tab' && value.slice(0, caret ?? 0).trim() !== '' && !/\s$/.test(value.slice(0, caret ?? 0)) ? options[0] : undefined);
    if (chosen && (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      event.preventDefault();
      take(chosen);
    }
  }
  const place = (target: HTMLInputElement) => { setCaret(target.selectionStart ?? 0); setScroll(target.scrollLeft); setActive(-1); };
  return (
    <div className="au-q">
      <span className="input">
        <Icon name="search" className="t3" />
        <span className="au-q-text">
          {/* The same letters below the field, coloured. */}
          <span className="au-q-paint" aria-hidden="true"><span style={{ transform: `translateX(${String(-scroll)}px)` }}><Painted query={value} /></span></span>
          <input ref={(element) => { input.current = element; if (typeof ref === 'function') ref(element); else if (ref) ref.current = element; }} className="mono" value={value} spellCheck={false} autoComplete="off" placeholder={t('audit.query')} aria-label={t('audit.query')} role="combobox" aria-expanded={options.length > 0} aria-controls={`${id}-list`}
            aria-autocomplete="list" aria-activedescendant={active >= 0 ? `${id}-${String(active)}` : undefined} maxLength={2000}
            onChange={(event) => { onChange(event.target.value); place(event.target); }} onKeyDown={onKeyDown} onSelect={(event) => place(event.currentTarget)} onScroll={(event) => setScroll(event.currentTarget.scrollLeft)} onBlur={() => { setCaret(null); setActive(-1); }} />
        </span>
        <span className="s t2 nw" role="status">{found}</span>
        {value ? <button type="button" className="btn icon sm ghost" aria-label={t('audit.clear')} title={t('audit.clear')} onClick={() => onChange('')}><Icon name="x" size={12} /></button> : keys ? <Kbd keys={keys} /> : null}
      </span>
      {options.length ? (
        <div className="pop menu au-q-list" role="listbox" id={`${id}-list`} aria-label={t('audit.completions')}>
          {options.map((option, index) => (
            <div key={option.insert} id={`${id}-${String(index)}`} role="option" aria-selected={index === active} className={`menu-item ${index === active ? 'is-on' : ''}`}
              onMouseDown={(event) => { event.preventDefault(); take(option); }}>
              <span className="mono grow"><SafeText line text={option.text} /></span>{option.hint ? <span className="s t3 ell"><SafeText line text={option.hint} /></span> : null}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Every letter of the query, those of qualifiers marked. */
function Painted({ query }: { query: string }) {
  const tokens = tokensOf(query);
  return (
    <>
      {tokens.map((token, index) => {
        const cut = token.qualifier ? token.qualifier.length + 1 + (token.not ? 1 : 0) : 0;
        const before = query.slice(tokens[index - 1]?.to ?? 0, token.from);
        return <Fragment key={token.from}>{before}{cut ? <span className={token.not ? 'qt not' : 'qt'}><i>{token.text.slice(0, cut)}</i>{token.text.slice(cut)}</span> : token.text}</Fragment>;
      })}
      {query.slice(tokens.at(-1)?.to ?? 0)}
    </>
  );
}
