import { Component, type ReactNode } from 'react';
import { t } from '../../i18n/index.ts';
import { Button, EmptyState } from '../../kit/index.ts';

/** An error in one screen leaves the frame and the other screens alive. */
export class CrashGuard extends Component<{ children: ReactNode }, { message: string | null }> {
  override state: { message: string | null } = { message: null };

  static getDerivedStateFromError(cause: unknown): { message: string } {
    return { message: cause instanceof Error ? cause.message : String(cause) };
  }

  override render(): ReactNode {
    if (this.state.message === null) return this.props.children;
    return (
      <main className="start">
        <EmptyState title={t('app.crashed')} text={t('app.crashedText')}
          actions={<Button variant="primary" icon="retry" onClick={() => this.setState({ message: null })}>{t('app.reload')}</Button>} />
        <pre className="well s">{this.state.message}</pre>
      </main>
    );
  }
}
