/** Rail, palette, shortcut sheet and the actions that work everywhere. */
import './screens.css';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { transport } from '../api/client.ts';
import { useCommand, usePermission } from '../api/queries.ts';
import { setTheme } from '../api/settings.ts';
import type { Command } from '../api/types.ts';
import { damageText } from '../features/audit/words.ts';
import { plain } from '../text/letters.ts';
import { useAlertAttention } from '../features/health/alert-attention.ts';
import { useFailureAttention } from '../features/automations/failure-attention.ts';
import { useAttention } from '../features/inbox/attention.ts';
import { calledTo } from '../features/inbox/called.tsx';
import { SendsStrip } from '../features/inbox/sends-strip.tsx';
import { useTaskChanges } from '../features/inbox/live.ts';
import { useCounts } from '../features/inbox/use-inbox.ts';
import { awake } from '../features/inbox/filter-model.ts';
import { Palette, type PaletteEntry } from '../features/palette/palette.tsx';
import { ShortcutSheet } from '../features/palette/shortcuts.tsx';
import { usePageName } from '../shared/page-title.ts';
import { stateText } from '../shared/run-status.tsx';
import { formatAgo, formatNumber, t, tn } from '../i18n/index.ts';
import { Banner, Button, Icon, Kbd, keysOf, openScope, showMessages, runAction, useActions, useAllActions, type Action, type IconName } from '../kit/index.ts';
import { createWorkflow, importFile, openFile, openFromOutside } from './commands.ts';
import { useOpenGraph } from './open-graph.ts';
import { Brand } from './parts/brand.tsx';
import { PersonMenu, SessionBanner } from './parts/sign-in.tsx';
import { showTemplates } from './parts/templates-dialog.tsx';
import { startTour } from './parts/tour-steps.ts';
import { hashOf, navigate, parseRoute, type Route } from './router.ts';

/** `asks`: what the screen is about; who may not ask for it is not led there. */
const RAIL: { route: Route; icon: IconName; asks: Command; title: 'nav.workflows' | 'nav.runs' | 'nav.automations' | 'nav.inbox' | 'nav.audit' | 'nav.catalog' | 'nav.settings'; screens: Route['screen'][] }[] = [
  { route: { screen: 'workflows' }, icon: 'flow', asks: 'workflow_list', title: 'nav.workflows', screens: ['workflows', 'workflow'] },
  { route: { screen: 'runs' }, icon: 'runs', asks: 'run_list', title: 'nav.runs', screens: ['runs', 'run', 'compare', 'failures', 'health'] },
  { route: { screen: 'automations' }, icon: 'clock', asks: 'activation_list', title: 'nav.automations', screens: ['automations'] },
  { route: { screen: 'inbox' }, icon: 'inbox', asks: 'task_list', title: 'nav.inbox', screens: ['inbox'] },
  { route: { screen: 'audit' }, icon: 'chain', asks: 'audit_list', title: 'nav.audit', screens: ['audit'] },
  { route: { screen: 'catalog' }, icon: 'grid', asks: 'catalog_list', title: 'nav.catalog', screens: ['catalog'] },
];

export function Frame({ route, children }: { route: Route; children: ReactNode }) {
  const [palette, setPalette] = useState(false);
  const [sheet, setSheet] = useState(false);
  const may = usePermission();
  const actions = useMemo(() => frameActions(() => setPalette(true), () => setSheet(true), may), [may]);
  useActions(actions);
  useTaskChanges();
  const on = RAIL.find((entry) => entry.screens.includes(route.screen));
  // A workflow and a run are called by their own names.
  usePageName(route.screen === 'workflow' || route.screen === 'run' ? undefined : t(on?.title ?? (route.screen === 'help' ? 'nav.help' : 'nav.settings')));
  // The native menu names actions; what cannot be done now does nothing.
  useEffect(() => transport().onMenu?.((id) => { if (openScope() === undefined) runAction(id); }), []);
  useEffect(() => transport().onFile?.((file) => void openFromOutside(file)), []);
  return (
    <div className="app">
      <a className="btn skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById('content')?.focus(); }}>{t('nav.skip')}</a>
      <nav className="rail" aria-label={t('nav.main')}>
        <div className="brand"><Brand /></div>
        {RAIL.filter((entry) => may(entry.asks)).map((entry) => <RailLink key={entry.title} on={entry.screens.includes(route.screen)} href={hashOf(entry.route)} icon={entry.icon} title={t(entry.title)} mark={entry.title === 'nav.inbox' ? <OpenTasks /> : entry.title === 'nav.audit' ? <BrokenChain /> : undefined} />)}
        <span className="sp" />
        <PersonMenu />
        <RailLink on={route.screen === 'help'} href="#/help" icon="book" title={t('nav.help')} />
        <RailLink on={route.screen === 'settings'} href="#/settings" icon="sliders" title={t('nav.settings')} />
      </nav>
      <div id="content" tabIndex={-1}><SessionBanner />{route.screen === 'audit' ? null : <BrokenBanner />}{children}</div>
      <SendsStrip onOpen={(taskId) => navigate({ screen: 'inbox', taskId })} />
      <PaletteHost open={palette} onClose={() => setPalette(false)} />
      <ShortcutSheet open={sheet} onClose={() => setSheet(false)} />
    </div>
  );
}

function RailLink({ on, href, icon, title, mark }: { on: boolean; href: string; icon: IconName; title: string; mark?: ReactNode }) {
  return (
    <a className={on ? 'on' : ''} aria-current={on ? 'page' : undefined} href={href} title={title}><Icon name={icon} size={20} /><span>{title}</span>{mark}</a>
  );
}

/** A link or a message of the system leads to a task, from every screen. */
const openTask = (taskId?: string) => {
  calledTo(taskId);
  navigate({ screen: 'inbox', ...(taskId ? { taskId } : {}) });
};

/** A message about a failed run leads to it, one about a source to the automations. */
const openFailure = (runId?: string) => navigate(runId === undefined ? { screen: 'automations' } : { screen: 'run', runId });

/** How many tasks wait; nothing when none does. */
function OpenTasks() {
  const { data: counts, dataUpdatedAt } = useCounts(5_000);
  const open = counts && awake(counts);
  useAttention(open, dataUpdatedAt, openTask);
  useFailureAttention(openFailure);
  useAlertAttention((workflow) => navigate({ screen: 'health', workflow }));
  return open ? <em className="n" aria-label={tn('inbox.open', open)}>{open > 999 ? '999+' : open}</em> : null;
}
/** Seen from every screen: the chain of records does not fit any more. */
function BrokenChain() {
  return useChain()?.state === 'broken' ? <em className="n broken" aria-label={t('audit.brokenRail')}>!</em> : null;
}
/** What the last verification said: asked often while one goes on, so that nobody works on for half a minute without knowing. */
function useChain() {
  const may = usePermission();
  return useCommand('audit_status', {}, { enabled: may('audit_status'), refetchInterval: (query) => (query.state.data?.running ? 1_000 : 5_000) }).data;
}
/** On every screen, until the chain is whole again; the audit screen says it in its own bar (E2). */
function BrokenBanner() {
  const chain = useChain();
  if (chain?.state !== 'broken' || !chain.broken) return null;
  const { seq, kind } = chain.broken;
  return (
    <div className="app-banner">
      <Banner signal="err" title={t('audit.broken', { seq: formatNumber(seq) })} actions={<Button small onClick={() => navigate({ screen: 'audit', seq })}>{t('audit.goRecord')}</Button>}>
        <span className="s t2">{damageText(kind)} {seq > 0 ? t('audit.brokenBefore', { seq: formatNumber(seq - 1) }) : ''}</span>
      </Banner>
    </div>
  );
}

/** "Find anything" in every title bar. */
export function FindButton() {
  const action = useAllActions().find((candidate) => candidate.id === 'app.palette');
  if (!action) return null;
  const keys = keysOf(action)[0];
  return (
    <button type="button" className="btn ghost findbtn" title={t('common.find')} onClick={action.run}>
      <Icon name="search" size={12} /><span className="findbtn-word">{t('common.find')}</span>{keys ? <Kbd keys={keys} /> : null}
    </button>
  );
}

export function Screen({ title, children, bar }: { title: string; children: ReactNode; bar?: ReactNode }) {
  return (
    <main className="screen">
      <header className="bar"><h1>{title}</h1><span className="grow" /><FindButton />{bar}</header>
      <div className="screen-body">{children}</div>
    </main>
  );
}

export function frameActions(showPalette: () => void, showSheet: () => void, may: (command: Command) => boolean): Action[] {
  const group = t('group.app');
  const makes = () => may('workflow_create');
  return [
    { id: 'app.palette', title: t('action.palette'), keys: ['Mod+K'], run: showPalette, group, icon: 'search', inFields: true, hidden: true },
    { id: 'app.shortcuts', title: t('action.shortcuts'), keys: ['?'], run: showSheet, group, icon: 'rows' },
    { id: 'app.new', title: t('action.newWorkflow'), keys: ['Mod+Alt+N'], run: () => void createWorkflow(), when: makes, group, icon: 'plus', inFields: true },
    { id: 'app.templates', title: t('templates.action'), keys: [], run: showTemplates, when: makes, group, icon: 'grid' },
    { id: 'app.open', title: t('action.openFile'), keys: ['Mod+O'], run: () => void openFile(), when: makes, group, icon: 'folder', inFields: true },
    { id: 'app.import', title: t('import.command'), keys: [], run: () => void importFile(), when: makes, group, icon: 'folder' },
    { id: 'go.workflows', title: t('action.goWorkflows'), keys: ['Mod+Alt+1'], run: () => navigate({ screen: 'workflows' }), group, icon: 'flow', inFields: true },
    { id: 'go.runs', title: t('action.goRuns'), keys: ['Mod+Alt+2'], run: () => navigate({ screen: 'runs' }), group, icon: 'runs', inFields: true },
    { id: 'go.failures', title: t('failures.title'), keys: [], run: () => navigate({ screen: 'failures' }), when: () => may('failure_groups'), group, icon: 'errd' },
    { id: 'go.inbox', title: t('action.goInbox'), keys: ['Mod+Alt+3'], run: () => navigate({ screen: 'inbox' }), group, icon: 'inbox', inFields: true },
    { id: 'go.audit', title: t('action.goAudit'), keys: ['Mod+Alt+4'], run: () => navigate({ screen: 'audit' }), group, icon: 'chain', inFields: true },
    { id: 'go.catalog', title: t('action.goCatalog'), keys: ['Mod+Alt+5'], run: () => navigate({ screen: 'catalog' }), group, icon: 'grid', inFields: true },
    { id: 'go.automations', title: t('action.goAutomations'), keys: ['Mod+Alt+6'], run: () => navigate({ screen: 'automations' }), when: () => may('activation_list'), group, icon: 'clock', inFields: true },
    { id: 'automations.pauseAll', title: t('automations.pauseAllAction'), keys: [], run: () => navigate({ screen: 'automations', ask: 'deactivate' }), when: () => may('workflow_deactivate'), group, icon: 'pause' },
    { id: 'go.settings', title: t('action.goSettings'), keys: ['Mod+,'], run: () => navigate({ screen: 'settings' }), group, icon: 'sliders', inFields: true },
    { id: 'go.help', title: t('action.goHelp'), keys: ['F1'], run: openHelp, group, icon: 'book', inFields: true },
    { id: 'app.tour', title: t('action.tour'), keys: [], run: startTour, group, icon: 'flag' },
    { id: 'app.messages', title: t('action.messages'), keys: [], run: () => showMessages(true), group, icon: 'chat' },
    { id: 'theme.light', title: t('action.themeLight'), keys: [], run: () => setTheme('light'), group, icon: 'eye' },
    { id: 'theme.dark', title: t('action.themeDark'), keys: [], run: () => setTheme('dark'), group, icon: 'eye' },
    { id: 'theme.system', title: t('action.themeSystem'), keys: [], run: () => setTheme('system'), group, icon: 'eye' },
  ];
}

/** What the manual says of the screen that is open. */
const PAGE_OF: Partial<Record<Route['screen'], string>> = {
  workflow: 'drawing', runs: 'runs', run: 'runs', compare: 'runs', automations: 'triggers', inbox: 'inbox', audit: 'audit-chain', settings: 'settings',
  failures: 'failures', health: 'health', catalog: 'steps',
};
function openHelp(): void {
  const { screen } = parseRoute(window.location.hash);
  const page = PAGE_OF[screen];
  if (screen !== 'help') navigate({ screen: 'help', ...(page ? { page } : {}) });
}

/** What belongs to the open workflow comes first; groups that are not named here come before them. */
const groupOrder = () => [t('group.run'), t('group.workflow'), t('group.app'), t('group.view'), t('canvas.group'), t('canvas.group.add')];

function PaletteHost({ open, onClose }: { open: boolean; onClose(): void }) {
  const actions = useAllActions();
  const graph = useOpenGraph();
  const may = usePermission();
  const workflows = useCommand('workflow_list', {}, { enabled: open });
  const runs = useCommand('run_list', { limit: 100 }, { enabled: open });
  const tasks = useCommand('task_list', { limit: 100 }, { enabled: open });
  const samples = useCommand('sample_list', {}, { enabled: open && may('sample_list'), staleTime: Infinity });
  // A sample is opened as a file of one's own.
  const offered = may('workflow_create') ? samples.data : undefined;
  const entries = useMemo<PaletteEntry[]>(() => {
    if (!open) return [];
    const list: PaletteEntry[] = [];
    for (const action of actions) {
      if (action.hidden || (action.when && !action.when())) continue;
      list.push({
        id: `action/${action.id}`, title: action.title, what: action.group ?? t('palette.action'), icon: action.icon ?? 'bolt',
        keys: keysOf(action)[0], order: groupOrder().indexOf(action.group ?? '') + 1, run: action.run,
      });
    }
    for (const [id, node] of Object.entries(graph?.document.nodes ?? {})) {
      list.push({
        id: `node/${id}`, title: plain(graph?.titleOf(id) ?? id), what: t('palette.node', { name: plain(graph?.document.name ?? '') }), words: `${id} ${node.type}`,
        icon: 'octa', order: 10, run: () => graph?.select(id),
      });
    }
    for (const entry of workflows.data ?? []) {
      list.push({
        id: `workflow/${entry.ref}`, title: plain(entry.name), what: t('palette.workflow'), words: `${entry.id} ${entry.description ?? ''}`, icon: 'flow', order: 11,
        run: () => navigate({ screen: 'workflow', ref: entry.ref }),
      });
    }
    for (const sample of offered ?? []) {
      list.push({
        id: `sample/${sample.id}`, title: plain(sample.title), what: t('palette.sample'), words: `${sample.id} ${sample.description}`, icon: 'doc', order: 11,
        run: () => void createWorkflow({ sampleId: sample.id }),
      });
    }
    for (const task of tasks.data?.tasks ?? []) {
      list.push({
        id: `task/${task.id}`, title: plain(task.title), what: t('palette.task', { step: plain(task.nodeTitle), ago: formatAgo(task.createdAt) }), words: `${task.workflowName} ${task.errorMessage ?? ''}`, icon: 'inbox', order: 12,
        run: () => navigate({ screen: 'inbox', taskId: task.id }),
      });
    }
    for (const run of runs.data?.runs ?? []) {
      list.push({
        id: `run/${run.runId}`, title: plain(run.workflowName), what: t('palette.run', { status: stateText(run).toLowerCase(), ago: formatAgo(run.startedAt) }),
        words: `${run.runId} ${run.errorMessage ?? ''}`, icon: 'runs', order: 12, run: () => navigate({ screen: 'run', runId: run.runId }),
      });
    }
    return list;
  }, [open, actions, graph, workflows.data, runs.data, tasks.data, offered]);
  return <Palette open={open} onClose={onClose} entries={entries} />;
}
