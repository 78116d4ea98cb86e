/** Until when a sign-in holds: a time to come is said, one that is over is not said as if it came. */
import { formatDateTime, t } from '../i18n/index.ts';
import { useNow } from '../kit/use-now.ts';

/** Pace of the clock. */
const MINUTE_MS = 60_000;

export function SignInEnd({ expires, renews }: { expires: string; renews: boolean }) {
  const isOver = Date.parse(expires) <= useNow(MINUTE_MS);
  const time = formatDateTime(expires);
  return <span className={isOver && !renews ? 's c-err' : 's t3'}>{t(isOver ? (renews ? 'tools.renewsNext' : 'tools.ranOut') : renews ? 'tools.renews' : 'tools.runsOut', { time })}</span>;
}
