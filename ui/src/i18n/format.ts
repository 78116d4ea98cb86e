/** Numbers, times and people as they are shown everywhere. */
import { formatNumber } from './number.ts';
import { t } from './t.ts';

export { formatNumber };

/** Where there is room for a few letters: 9,999, 10k, 12.3k, 1.2M. Never more than it is. */
export function formatCount(n: number): string {
  if (n < 10_000) return formatNumber(n);
  const [unit, sign] = n < 1_000_000 ? [1000, 'k'] : [1_000_000, 'M'];
  return `${formatNumber(Math.floor(n / unit * 10) / 10)}${sign}`;
}

/** Millionths as an amount, whole: 2 000 000 -> "2.00", 6 100 -> "0.0061". */
export function formatMoney(micros: number): string {
  const places = String(micros % 1_000_000).padStart(6, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${formatNumber(Math.floor(micros / 1_000_000))}.${places}`;
}

/** Four digits that say something, and always hundredths: 1 234 567 891 -> "1,234.57", 6 123 -> "0.006123". Whole is `formatMoney`. */
export function formatMoneyShort(micros: number): string {
  const digits = String(Math.floor(micros)).length;
  const unit = Math.min(10_000, 10 ** Math.max(0, digits - 4));
  return formatMoney(Math.round(micros / unit) * unit);
}

/** `user:ada` as `ada`; `reported:Jira/Ada` with who says so. */
export const formatPerson = (id: string): string => {
  const [, service, name] = /^reported:([^/]*)\/(.*)$/u.exec(id) ?? [];
  return service !== undefined && name !== undefined ? t('dest.reported', { name, service }) : id.replace(/^user:/, '');
};

/** `secret://desk` as `desk`. */
export const formatSecret = (ref: string): string => ref.replace(/^secret:\/\//, '');

export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  // A clock that was put back in between.
  if (ms < 0) return t('unit.ms', { n: 0 });
  if (ms < 1000) return t('unit.ms', { n: Math.round(ms) });
  const seconds = ms / 1000;
  if (seconds < 10) return t('unit.s', { n: seconds.toFixed(2) });
  if (seconds < 60) return t('unit.s', { n: seconds.toFixed(1) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('unit.minS', { n: minutes, m: Math.floor(seconds % 60) });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t('unit.hMin', { n: hours, m: minutes % 60 });
  return t('unit.dH', { n: Math.floor(hours / 24), m: hours % 24 });
}

/** 500 -> "0.5 s", 8000 -> "8 s", 90000 -> "1 min 30 s": a time that somebody chose, without digits that say nothing. */
export function formatPause(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000 && ms % 100 !== 0) return t('unit.ms', { n: Math.round(ms) });
  if (ms < 60_000) return t('unit.s', { n: Math.round(ms / 100) / 10 });
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  // The smaller unit only where it says something.
  if (hours < 1 && Math.floor(ms / 1000) % 60 === 0) return t('unit.min', { n: minutes });
  if (hours >= 1 && hours < 48 && minutes % 60 === 0) return t('unit.h', { n: hours });
  if (hours >= 48 && hours % 24 === 0) return t('unit.d', { n: hours / 24 });
  return formatDuration(ms);
}

const two = (n: number) => String(n).padStart(2, '0');

/** 14:02:11 */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** 2026-11-21 14:02 */
export function formatDateTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** 2026-11-21 14:02:11 */
export const formatMoment = (iso: string): string => (Number.isNaN(new Date(iso).getTime()) ? iso : `${formatDateTime(iso).slice(0, 10)} ${formatTime(iso)}`);

/** "4 min ago", "yesterday", else the date. */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const then = new Date(iso).getTime();
  if (Number.isNaN(then)) return iso;
  const seconds = Math.max(0, Math.round((now - then) / 1000));
  if (seconds < 10) return t('common.ago.now');
  if (seconds < 60) return t('common.ago.s', { n: seconds });
  if (seconds < 3600) return t('common.ago.min', { n: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t('common.ago.h', { n: Math.floor(seconds / 3600) });
  if (seconds < 172_800) return t('common.ago.yesterday');
  return formatDateTime(iso).slice(0, 10);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return t('unit.b', { n: bytes });
  if (bytes < 1024 * 1024) return t('unit.kb', { n: (bytes / 1024).toFixed(1) });
  return t('unit.mb', { n: (bytes / 1024 / 1024).toFixed(1) });
}
