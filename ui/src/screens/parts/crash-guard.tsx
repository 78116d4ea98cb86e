import { Component, type ReactNode } from 'react';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState } from '../../kit/index.ts';

/** A part of the program that could not be read: the host is gone, or a newer one has other files. */
export class PartError extends Error {}

/** For `lazy`: a failed read is told as what it is. */
export const part = <T,>(read: Promise<T>): Promise<T> =>
  read.catch((cause: unknown) => { throw new PartError(cause instanceof Error ? cause.message : String(cause)); });

/** An error in one screen leaves the frame and the other screens alive. */
export class CrashGuard extends Component<{ children: ReactNode }, { cause: Error | null }> {
  override state: { cause: Error | null } = { cause: null };

  static getDerivedStateFromError(cause: unknown): { cause: Error } {
    return { cause: cause instanceof Error ? cause : new Error(String(cause)) };
  }

  override render(): ReactNode {
    const { cause } = this.state;
    if (cause === null) return this.props.children;
    const missing = cause instanceof PartError;
    // React keeps a failed read for as long as the page lives: only a fresh page asks again. Leaving it keeps the drafts.
    const again = () => (missing ? window.location.reload() : this.setState({ cause: null }));
    return (
      <main className="start">
        <EmptyState title={t(missing ? 'app.partMissing' : 'app.crashed')} text={t(missing ? 'app.partMissingText' : 'app.crashedText')}
          actions={<Button variant="primary" icon="retry" onClick={again}>{t(missing ? 'app.reloadPage' : 'app.reload')}</Button>} />
        <pre className="well s">{cause.message}</pre>
      </main>
    );
  }
}
