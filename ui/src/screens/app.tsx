import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { tokenOfPage, transport, whenTokenChanges } from '../api/client.ts';
import { toApiError, type ApiError, errorText } from '../api/error.ts';
import { loadRole, queryClient } from '../api/queries.ts';
import { loadSettings, whenSettingsFail } from '../api/settings.ts';
import { finishSignIn, loadSignIn } from '../api/sign-in.ts';
import { applyLanguage, formatTime, t, useLanguage } from '../i18n/index.ts';
import { Button, EmptyState, leaveScreen, listenForKeys, toast, Toaster } from '../kit/index.ts';
import { AutomationsScreen } from './automations-screen.tsx';
import { Frame } from './frame.tsx';
import { GalleryScreen } from './gallery-screen.tsx';
import { CloseQuestion } from './parts/close-question.tsx';
import { CrashGuard, part } from './parts/crash-guard.tsx';
import { ImportDialog } from './parts/import-dialog.tsx';
import { TemplatesDialog } from './parts/templates-dialog.tsx';
import { SignInPage, useSignIn } from './parts/sign-in.tsx';
import { Tour } from './parts/tour.tsx';
import { useRoute } from './router.ts';
import { SettingsScreen } from './settings-screen.tsx';

// Canvas and code fields are the larger half of the bundle: lists are shown before they are read.
const BuilderScreen = lazy(() => part(import('./builder/builder-screen.tsx')).then((module) => ({ default: module.BuilderScreen })));
// The manual is read by few, and seldom.
const HelpScreen = lazy(() => part(import('./help-screen.tsx')).then((module) => ({ default: module.HelpScreen })));
const InboxScreen = lazy(() => part(import('./inbox-screen.tsx')).then((module) => ({ default: module.InboxScreen })));
const AuditScreen = lazy(() => part(import('./audit-screen.tsx')).then((module) => ({ default: module.AuditScreen })));
const CatalogScreen = lazy(() => part(import('./catalog-screen.tsx')).then((module) => ({ default: module.CatalogScreen })));
const FailuresScreen = lazy(() => part(import('./failures-screen.tsx')).then((module) => ({ default: module.FailuresScreen })));
const RunsScreen = lazy(() => part(import('./runs-screen.tsx')).then((module) => ({ default: module.RunsScreen })));
const HealthScreen = lazy(() => part(import('./health-screen.tsx')).then((module) => ({ default: module.HealthScreen })));
const CompareScreen = lazy(() => part(import('./run/compare-screen.tsx')).then((module) => ({ default: module.CompareScreen })));
const RunScreen = lazy(() => part(import('./run/run-screen.tsx')).then((module) => ({ default: module.RunScreen })));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Start />
      <Toaster label={t('common.messages')} closeLabel={t('common.close')} more={(n) => t('common.messagesMore', { n })} none={t('common.messagesNone')} at={(ms) => formatTime(new Date(ms).toISOString())} />
    </QueryClientProvider>
  );
}

/** The session of a sign-in that has just ended, and who it is. Why there is none is said by a page that knows who signs people in. */
async function startSignedIn(): Promise<void> {
  const failed = await finishSignIn().then(() => undefined, (cause: unknown) => toApiError(cause));
  await loadSignIn(tokenOfPage());
  if (failed) throw failed;
}

/** Settings first: they hold the theme and the keys. And the role: nothing is drawn that goes away again. */
function Start() {
  const [state, setState] = useState<'wait' | 'ready' | ApiError>('wait');
  const language = useLanguage((one) => one.language);
  const load = () => {
    setState('wait');
    // In the window nobody signs in.
    const signedIn = transport().host === 'http' ? startSignedIn() : Promise.resolve();
    signedIn.then(() => Promise.all([loadSettings(), loadRole()])).then(() => setState('ready'), async (cause: unknown) => {
      // The settings of the person are not known: it is said in the language of the browser.
      await applyLanguage(undefined).catch(() => undefined);
      setState(toApiError(cause));
    });
  };
  useEffect(() => {
    whenSettingsFail((cause) => toast({ signal: 'err', text: t('settings.notSaved'), detail: toApiError(cause).message, background: true }));
    load();
    return listenForKeys();
  }, []);
  const ready = state === 'ready';
  const { info } = useSignIn();
  useEffect(() => whenTokenChanges(() => {
    // With another token one may be another person.
    void queryClient.invalidateQueries();
    if (!ready) load();
  }), [ready]);
  // All words are drawn again; settings that are still being kept are not read again.
  if (ready) return <Screens key={language} />;
  if (state === 'wait') return <div aria-busy="true" aria-label={t('app.starting')} />;
  if (info.provider !== null && (state.code === 'AUTH' || state.code.startsWith('SIGN_IN') || state.code === 'NAME_TAKEN' || state.code === 'PROVIDER_UNREACHABLE')) return <SignInPage provider={info.provider} error={state} />;
  return (
    <main className="start">
      <EmptyState title={t(state.code === 'AUTH' ? 'auth.title' : 'app.cannotStart')} text={errorText(state)} actions={<Button variant="primary" icon="retry" onClick={load}>{t('app.tryAgain')}</Button>} />
    </main>
  );
}

function Screens() {
  const route = useRoute();
  const key = route.screen === 'workflow' ? `workflow/${route.ref}` : route.screen === 'run' ? `run/${route.runId}` : route.screen === 'compare' ? `compare/${route.runId}/${route.with}` : route.screen;
  // A message belongs to what was looked at: a file, a run, a task.
  const about = route.screen === 'inbox' ? `inbox/${route.taskId ?? ''}` : key;
  useEffect(() => leaveScreen, [about]);
  return (
    <Frame route={route}>
      <CrashGuard key={key}>
        <Suspense fallback={<main className="screen" aria-busy="true"><header className="bar" /></main>}>
        {route.screen === 'workflows' ? <GalleryScreen /> : null}
        {route.screen === 'workflow' ? <BuilderScreen key={key} fileRef={route.ref} /> : null}
        {route.screen === 'health' ? <HealthScreen workflow={route.workflow} /> : null}
        {route.screen === 'runs' ? <RunsScreen workflow={route.workflow} queued={route.queued} /> : null}
        {route.screen === 'failures' ? <FailuresScreen group={route.group} /> : null}
        {route.screen === 'run' ? <RunScreen key={key} runId={route.runId} step={route.step} at={route.at} /> : null}
        {route.screen === 'compare' ? <CompareScreen key={key} runId={route.runId} with={route.with} /> : null}
        {route.screen === 'automations' ? <AutomationsScreen ask={route.ask} /> : null}
        {route.screen === 'inbox' ? <InboxScreen taskId={route.taskId} /> : null}
        {route.screen === 'audit' ? <AuditScreen query={route.query} seq={route.seq} /> : null}
        {route.screen === 'catalog' ? <CatalogScreen kind={route.kind} /> : null}
        {route.screen === 'help' ? <HelpScreen page={route.page} part={route.part} /> : null}
        {route.screen === 'settings' ? <SettingsScreen part={route.part} /> : null}
        </Suspense>
      </CrashGuard>
      <ImportDialog />
      <TemplatesDialog />
      <Tour />
      <CloseQuestion />
    </Frame>
  );
}
