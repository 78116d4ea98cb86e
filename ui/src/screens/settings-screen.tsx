import { useState, type ReactNode } from 'react';
import { transport } from '../api/client.ts';
import { act, useCommand, usePermission, useWholeServer } from '../api/queries.ts';
import { resetKeys, setClosing, setKeys, setLanguage, setTheme, useSettings } from '../api/settings.ts';
import { mayNotify, useNotify, useNotifyFailures } from '../shared/notify.ts';
import { ModelsSection } from '../features/models/models-section.tsx';
import { KeyDialog } from '../shared/secrets/key-dialog.tsx';
import { SecretsSection } from '../features/secrets/secrets-section.tsx';
import { SettingsView, isSettingsPart } from '../features/settings/settings.tsx';
import { t, type Language } from '../i18n/index.ts';
import { keysOf, toast, useAllActions } from '../kit/index.ts';
import { AllowFolderDialog } from '../shared/allow-folder.tsx';
import { attempt } from './commands.ts';
import { Screen } from './frame.tsx';
import { AccessSection } from './parts/access.tsx';
import { AnchorsSection } from './parts/anchors.tsx';
import { SinksSection } from './parts/sinks.tsx';
import { BackupSection } from './parts/backup.tsx';
import { DataSection, OldRunsSection } from './parts/data.tsx';
import { AuditKeySection } from './parts/audit-key.tsx';
import { RetentionSection } from './parts/retention.tsx';
import { NetworkSection } from './parts/network.tsx';
import { TelemetrySection } from './parts/telemetry.tsx';
import { ToolsSection } from './parts/tools.tsx';
import { TaskDestinationsSection } from './parts/task-destinations.tsx';
import { UpdatesSection } from './parts/updates.tsx';
import { WebhooksSection } from './parts/webhooks.tsx';
import { hashOf, navigate } from './router.ts';
import { useKnownActions } from './known-actions.ts';

export function SettingsScreen({ part }: { part: string | undefined }) {
  const settings = useSettings((state) => state.settings);
  const info = useCommand('app_info', {});
  const may = usePermission();
  // Access that is limited to workspaces has settings for itself alone.
  const whole = useWholeServer();
  const ofServer = (sections: ReactNode) => (whole ? sections : null);
  const folders = useCommand('folder_list', {}, { enabled: whole });
  const actions = useKnownActions(useAllActions());
  const [allowing, setAllowing] = useState<'ro' | 'rw'>();
  function bind(actionId: string, keys: string[] | null) {
    setKeys(actionId, keys);
    const other = actions.find((action) => action.id !== actionId && keys?.some((combo) => keysOf(action).includes(combo)));
    if (other) toast({ signal: 'warn', text: t('settings.keysTaken', { name: other.title }) });
  }
  /** The screen is drawn anew: the person stays where they chose. */
  async function speak(language: Language | null) {
    navigate({ screen: 'settings', part: 'look' }, true);
    await attempt(() => setLanguage(language));
  }
  const [notifyOn, setNotifyOn] = useNotify();
  const [notify, setNotify] = useState(mayNotify);
  const [failuresOn, setFailuresOn] = useNotifyFailures();
  async function wantNotify(on: boolean, set: (on: boolean) => void) {
    if (on && notify === 'ask') {
      // Only a press of a person may ask.
      await Notification.requestPermission();
      setNotify(mayNotify());
    }
    set(on && mayNotify() === 'yes');
  }
  return (
    <Screen title={t('settings.title')}>
      <SettingsView part={isSettingsPart(part) ? part : undefined} hrefOf={(next) => hashOf({ screen: 'settings', part: next })} settings={settings} info={info.data} folders={whole ? folders.data : null} canGrant={may('folder_grant')} actions={actions} chain={ofServer(<><AuditKeySection /><AnchorsSection /><SinksSection /><RetentionSection /></>)} models={ofServer(<ModelsSection keyPlace={(status, onClose) => <KeyDialog status={status} onClose={onClose} />} />)} secrets={ofServer(<SecretsSection />)} tools={ofServer(<ToolsSection />)} messages={ofServer(<><TaskDestinationsSection /><WebhooksSection /></>)} network={ofServer(<NetworkSection />)} telemetry={ofServer(<TelemetrySection />)} backup={ofServer(<><DataSection /><OldRunsSection /><BackupSection /></>)} updates={ofServer(<UpdatesSection />)} access={transport().host === 'http' && may('token_list') ? <AccessSection /> : null} notify={notify} notifyOn={notifyOn} onNotify={(on) => void wantNotify(on, setNotifyOn)} failuresOn={failuresOn} onFailures={(on) => void wantNotify(on, setFailuresOn)}
        onTheme={setTheme} onLanguage={(language) => void speak(language)} onClosing={transport().onClosing ? (closing) => void setClosing(closing) : undefined} onKeys={bind} onResetKeys={resetKeys} onGrant={setAllowing}
        onRevoke={(folder) => void attempt(() => act('folder_revoke', { folder: folder.folder, ...(folder.workflowId ? { workflowId: folder.workflowId } : {}) }))
          .then((done) => { if (done) toast({ signal: 'ok', text: t('settings.revoked') }); })} />
      {allowing ? <AllowFolderDialog writes={allowing === 'rw'} onClose={() => setAllowing(undefined)} /> : null}
    </Screen>
  );
}
