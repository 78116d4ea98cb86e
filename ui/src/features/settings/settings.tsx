/** Theme, granted folders, shortcuts, and what this installation is. */
import './settings.css';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { AppInfo, Closing, Folder, AppSettings, ThemeChoice } from '../../api/types.ts';
import { t, type Language } from '../../i18n/index.ts';
import { NoLine, Section } from '../../shared/settings-section.tsx';
import { fits } from './search.ts';
import { Badge, Button, comboOf, EmptyState, Icon, Kbd, pushScope, Segmented, Switch, TextInput, type Action } from '../../kit/index.ts';

export interface SettingsProps {
  /** The part that was asked for. */
  part: SettingsPart | undefined;
  hrefOf(part: SettingsPart): string;
  settings: AppSettings;
  info: AppInfo | undefined;
  /** `null`: not to be seen. So are the parts below that may be `null`. */
  folders: Folder[] | null | undefined;
  /** Folders can be granted here (the system's dialog is there). */
  canGrant: boolean;
  actions: Action[];
  /** What belongs to the audit chain: places outside, and how long records are kept. */
  chain: ReactNode;
  /** Providers of language models. */
  models: ReactNode;
  /** Credentials of steps. */
  secrets: ReactNode;
  /** Servers of tools. */
  tools: ReactNode;
  /** Addresses outside that hear of tasks. */
  messages: ReactNode;
  /** Spans for a collector. */
  telemetry: ReactNode;
  network: ReactNode;
  backup: ReactNode;
  /** Who reaches the server; `null`: this is no server, or not to be seen. */
  access: ReactNode;
  /** Newer releases. */
  updates: ReactNode;
  /** Whether the system may say that a task has come. */
  notify: 'yes' | 'ask' | 'no' | 'none';
  notifyOn: boolean;
  failuresOn: boolean;
  onFailures(on: boolean): void;
  onNotify(on: boolean): void;
  onTheme(theme: ThemeChoice): void;
  onLanguage(language: Language | null): void;
  /** What closing the window does; only where there is one. */
  onClosing?: ((closing: Closing | null) => void) | undefined;
  onKeys(actionId: string, keys: string[] | null): void;
  onResetKeys(): void;
  onGrant(access: 'ro' | 'rw'): void;
  onRevoke(folder: Folder): void;
}

const PARTS = ['models', 'secrets', 'tools', 'folders', 'notify', 'access', 'audit', 'network', 'telemetry', 'backup', 'look', 'keys', 'about'] as const;
export type SettingsPart = (typeof PARTS)[number];
export const isSettingsPart = (name: string | undefined): name is SettingsPart => PARTS.some((part) => part === name);

/** What is set up first comes first; the list beside it leads to each part. */
export function SettingsView(props: SettingsProps) {
  const { part } = props;
  const parts = PARTS.filter((one) => slotOf(props, one) !== null);
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<SettingsPart>(part ?? PARTS[0]);
  const wanted = useRef<SettingsPart | undefined>(undefined);
  useEffect(() => {
    if (part === undefined) return undefined;
    const section = box.current?.querySelector<HTMLElement>(`[data-part="${part}"]`);
    if (!section) return undefined;
    const show = () => { if (wanted.current === part) section.scrollIntoView({ block: 'start' }); };
    wanted.current = part;
    setAt(part);
    show();
    section.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
    // What is still being read makes the parts above it longer, until somebody scrolls.
    const watch = new ResizeObserver(show);
    for (const one of box.current?.querySelectorAll('[data-part]') ?? []) watch.observe(one);
    return () => watch.disconnect();
  }, [part]);
  function onScroll() {
    const list = box.current;
    if (!list || wanted.current !== undefined) return;
    const top = list.getBoundingClientRect().top + 80;
    const passed = [...list.querySelectorAll<HTMLElement>('[data-part]')].findLast((one) => one.getBoundingClientRect().top <= top);
    const name = passed?.dataset['part'];
    if (isSettingsPart(name)) setAt(name);
  }
  const free = () => { wanted.current = undefined; };
  const [asked, setAsked] = useState('');
  const [left, setLeft] = useState<readonly string[]>(PARTS);
  /** Sections without the words are hidden; who looks for something has no use for the rest. */
  function find(text: string) {
    setAsked(text);
    free();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const parts = [...box.current?.querySelectorAll<HTMLElement>('[data-part]') ?? []];
    setLeft(parts.filter((one) => {
      const sections = [...one.querySelectorAll<HTMLElement>('section')];
      for (const section of sections) section.hidden = !fits(section, words);
      return sections.some((section) => !section.hidden);
    }).map((one) => one.dataset['part'] ?? ''));
  }
  return (
    <div className="set-mid">
      <nav className="set-nav" aria-label={t('settings.parts')}>
        <TextInput icon="search" type="search" value={asked} placeholder={t('settings.find')} aria-label={t('settings.find')} onChange={find} />
        {parts.filter((one) => left.includes(one)).map((one) => (
          <a key={one} href={props.hrefOf(one)} className={one === at ? 'on' : undefined} aria-current={one === at ? 'location' : undefined}>{t(`settings.part.${one}`)}</a>
        ))}
      </nav>
      <div className="set" ref={box} onScroll={onScroll} onWheel={free} onPointerDown={free} onKeyDown={free}>
        <div>{parts.map((one) => <div key={one} data-part={one} className="set-part" hidden={!left.includes(one)}><Part {...props} name={one} /></div>)}{left.length === 0 ? <EmptyState title={t('settings.none', { text: asked })} text={t('settings.noneHint')} /> : null}</div>
      </div>
    </div>
  );
}

/** What a part shows that another part of the program makes; `undefined`: nothing, it is drawn here. */
function slotOf(props: SettingsProps, part: SettingsPart): unknown {
  switch (part) {
    case 'models': case 'secrets': case 'tools': case 'folders': case 'access': case 'network': case 'telemetry': case 'backup': return props[part];
    case 'audit': return props.chain;
    case 'notify': case 'look': case 'keys': case 'about': return undefined;
  }
}

function Part({ name, ...props }: SettingsProps & { name: SettingsPart }) {
  switch (name) {
    case 'models': return props.models;
    case 'secrets': return props.secrets;
    case 'tools': return props.tools;
    case 'folders': return <Folders {...props} />;
    case 'notify': return <><Notifications {...props} />{props.messages}</>;
    case 'access': return props.access;
    case 'audit': return props.chain;
    case 'network': return props.network;
    case 'telemetry': return props.telemetry;
    case 'backup': return props.backup;
    case 'look': return <><Appearance {...props} />{props.onClosing ? <OnClosing chosen={props.settings.closing} onClosing={props.onClosing} /> : null}</>;
    case 'keys': return <Keys {...props} />;
    case 'about': return <><About info={props.info} />{props.updates}</>;
  }
}

function Appearance({ settings, onTheme, onLanguage }: SettingsProps) {
  return (
    <Section id="look" title={t('settings.look')}>
      <div className="box">
        <div className="line">
          <div className="grow col"><span>{t('settings.theme')}</span><span className="s t3">{t('settings.themeHint')}</span></div>
          <Segmented label={t('settings.theme')} value={settings.theme} onChange={onTheme}
            options={(['system', 'light', 'dark'] as const).map((theme) => ({ value: theme, label: t(`settings.theme.${theme}`) }))} />
        </div>
        <div className="line">
          <div className="grow col"><span>{t('settings.language')}</span><span className="s t3">{t('settings.languageHint')}</span></div>
          <Segmented label={t('settings.language')} value={settings.language ?? 'system'} onChange={(language) => onLanguage(language === 'system' ? null : language)}
            options={(['system', 'en', 'zh'] as const).map((language) => ({ value: language, label: t(`settings.language.${language}`) }))} />
        </div>
      </div>
    </Section>
  );
}

function Notifications(props: SettingsProps) {
  const closed = props.notify === 'no' || props.notify === 'none';
  return (
    <Section id="notify" title={t('settings.notify')}>
      <div className="box">
        <div className="line">
          <div className="grow col"><span>{t('settings.notify.tasks')}</span><span className="s t3">{t(`settings.notify.${props.notify}`)}</span></div>
          <Switch checked={props.notifyOn && props.notify === 'yes'} disabled={closed} onChange={props.onNotify} label={t('settings.notify.tasks')} />
        </div>
        <div className="line">
          <div className="grow col"><span>{t('settings.notify.failures')}</span><span className="s t3">{t('settings.notify.failuresHint')}</span></div>
          <Switch checked={props.failuresOn && props.notify === 'yes'} disabled={closed} onChange={props.onFailures} label={t('settings.notify.failures')} />
        </div>
      </div>
    </Section>
  );
}

function OnClosing({ chosen, onClosing }: { chosen: Closing | undefined; onClosing(closing: Closing | null): void }) {
  return (
    <Section id="closing" title={t('settings.closing')}>
      <div className="box">
        <div className="line">
          <div className="grow col"><span>{t('settings.closingLabel')}</span><span className="s t3">{t('settings.closingHint')}</span></div>
          <Segmented label={t('settings.closing')} value={chosen ?? 'ask'} onChange={(value) => onClosing(value === 'ask' ? null : value)}
            options={(['ask', 'background', 'quit'] as const).map((value) => ({ value, label: t(`settings.closing.${value}`) }))} />
        </div>
      </div>
    </Section>
  );
}

function About({ info }: { info: AppInfo | undefined }) {
  return (
    <Section id="about" title={t('settings.about')}>
      {info ? (
        <dl className="kv box" style={{ padding: 12 }}>
          <dt>{t('settings.version')}</dt><dd>{info.version}</dd>
          <dt>{t('settings.host')}</dt><dd>{t(`settings.host.${info.host}`)}</dd>
          <dt>{t('settings.data')}</dt><dd className="mono" title={info.dataDir}>{info.dataDir}</dd>
          <dt>{t('settings.platform')}</dt><dd>{info.platform}</dd>
          <dt>{t('settings.thanks')}</dt><dd>{t('settings.thanksText')}</dd>
          <dt>{t('settings.licences')}</dt><dd>{t('settings.licencesText')}</dd>
        </dl>
      ) : null}
    </Section>
  );
}

function Folders({ folders, canGrant, onGrant, onRevoke }: SettingsProps) {
  return (
    <Section id="folders" title={t('settings.folders')} hint={t('settings.foldersHint')}>
      <div className="box">
        {folders?.length === 0 ? <NoLine icon="folder" title={t('settings.noFolders')} text={t('settings.noFoldersText')} /> : null}
        {folders?.map((folder) => (
          <div key={`${folder.folder}|${folder.workflowId ?? ''}`} className="line">
            <Icon name="folder" className="t2" />
            <div className="grow col">
              <span className="mono ell" title={folder.folder}>{folder.folder}</span>
              <span className="s t3">{folder.workflowId ? t('settings.forWorkflow', { id: folder.workflowId }) : t('settings.forAll')}</span>
            </div>
            {folder.library ? <Badge>{t('settings.library')}</Badge> : null}
            <Badge>{t(`settings.${folder.access}`)}</Badge>
            {canGrant ? <Button small onClick={() => onRevoke(folder)}>{t('settings.revoke')}</Button> : null}
          </div>
        ))}
      </div>
      {canGrant ? (
        <div className="row wrap">
          <Button icon="folder" onClick={() => onGrant('ro')}>{t('settings.grantRead')}</Button>
          <Button onClick={() => onGrant('rw')}>{t('settings.grantWrite')}</Button>
        </div>
      ) : <span className="s t3">{t('settings.noFoldersHttp')}</span>}
    </Section>
  );
}

function Keys({ settings, actions, onKeys, onResetKeys }: SettingsProps) {
  const [text, setText] = useState('');
  const [asking, setAsking] = useState<string | null>(null);
  const words = text.trim().toLowerCase();
  const groups = new Map<string, Action[]>();
  for (const action of actions) {
    if (words && !`${action.title} ${(settings.keymap[action.id] ?? action.keys).join(' ')}`.toLowerCase().includes(words)) continue;
    const group = action.group ?? t('group.app');
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  return (
    <Section id="keys" title={t('settings.keys')} hint={t('settings.keysHint')} end={<>
      {Object.keys(settings.keymap).length ? <Button small onClick={onResetKeys}>{t('settings.resetAll')}</Button> : null}
      <TextInput icon="search" type="search" value={text} placeholder={t('settings.keysFind')} aria-label={t('settings.keysFind')} onChange={setText} />
    </>}>
      <div className="box">
        {[...groups].map(([group, list]) => (
          <div key={group}>
            <h3 className="cap grp">{group}</h3>
            {list.map((action) => (
              <KeyRow key={action.id} action={action} own={settings.keymap[action.id]} asking={asking === action.id}
                onAsk={() => setAsking(action.id)} onDone={() => setAsking(null)} onKeys={(keys) => onKeys(action.id, keys)} />
            ))}
          </div>
        ))}
      </div>
    </Section>
  );
}

const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock', 'Dead']);

function KeyRow({ action, own, asking, onAsk, onDone, onKeys }: {
  action: Action; own: string[] | undefined; asking: boolean; onAsk(): void; onDone(): void; onKeys(keys: string[] | null): void;
}) {
  useEffect(() => {
    if (!asking) return undefined;
    const leave = pushScope('keys');
    const onKey = (event: KeyboardEvent) => {
      if (MODIFIERS.has(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== 'Escape') onKeys([comboOf(event)]);
      onDone();
    };
    window.addEventListener('keydown', onKey, true);
    return () => {
      leave();
      window.removeEventListener('keydown', onKey, true);
    };
  }, [asking, onDone, onKeys]);
  const keys = own ?? action.keys;
  return (
    <div className="keys">
      <span className="ell">{action.title}</span>
      <span className="row gap1">
        {asking ? <span className="s c-sel" role="status">{t('settings.pressKeys')}</span>
          : keys.length ? keys.map((combo) => <Kbd key={combo} keys={combo} />) : <span className="s t3">{t('keys.off')}</span>}
      </span>
      <span className="row gap1">
        <Button small aria-label={t('settings.changeOf', { name: action.title })} onClick={onAsk}>{t('settings.change')}</Button>
        {keys.length ? <Button small variant="ghost" aria-label={t('settings.offOf', { name: action.title })} onClick={() => onKeys([])}>{t('settings.off')}</Button> : null}
        {own ? <Button small variant="ghost" aria-label={t('settings.defaultOf', { name: action.title })} onClick={() => onKeys(null)}>{t('settings.default')}</Button> : null}
      </span>
    </div>
  );
}
