/** Signing in to the service of a secret: begins it, and shows the dialog that waits for the person. */
import { useState, type ReactNode } from 'react';
import { act, useCommand } from '../../api/queries.ts';
import { t } from '../../i18n/index.ts';
import { toast } from '../../kit/index.ts';
import { useAsyncAction } from '../use-async-action.ts';
import { LOOK_MS, SignInDialog, type Begun } from '../sign-in-dialog.tsx';

type Waiting = Begun & { name: string };

/** `begin` starts a sign-in with a secret; `dialog` is rendered by whoever calls this. */
export function useSecretSignIn(onDone?: () => void): { busy: boolean; begin(name: string): Promise<void>; dialog: ReactNode } {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const { busy, run } = useAsyncAction();
  const begin = async (name: string) => {
    await run(async () => {
      const { address, opened, userCode } = await act('secret_sign_in', { name });
      if (address) setWaiting({ name, address, opened, ...(userCode ? { userCode } : {}) });
      else {
        toast({ signal: 'ok', text: t('tools.signedInNow', { name }) });
        onDone?.();
      }
    });
  };
  const close = () => {
    setWaiting(null);
    onDone?.();
  };
  return { busy, begin, dialog: waiting ? <SecretSignInDialog waiting={waiting} onClose={close} /> : null };
}

function SecretSignInDialog({ waiting, onClose }: { waiting: Waiting; onClose(): void }) {
  const { name } = waiting;
  const list = useCommand('secret_list', {}, { refetchInterval: LOOK_MS });
  const signIn = list.data?.find((one) => one.name === name)?.signIn;
  return (
    <SignInDialog name={name} begun={waiting} waits={signIn === undefined || signIn.state === 'waiting'} signedIn={signIn?.state === 'signedIn'} message={signIn?.message}
      finish={(address) => act('secret_sign_in_finish', { name, address })} onClose={onClose} />
  );
}
