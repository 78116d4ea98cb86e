/** Numbers, times and people as they are shown everywhere. */
import { t } from './t.ts';

/** 12,345 */
export const formatNumber = (n: number): string => n.toLocaleString('en');

/** `user:ada` as `ada`. */
export const formatPerson = (id: string): string => id.replace(/^user:/, '');

export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(Math.floor(seconds % 60))} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${String(hours)} h ${String(minutes % 60)} min`;
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`;
}

/** 500 -> "0.5 s", 8000 -> "8 s", 90000 -> "1 min 30 s": a time that somebody chose, without digits that say nothing. */
export function formatPause(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000 && ms % 100 !== 0) return `${String(Math.round(ms))} ms`;
  if (ms === 0) return '0 s';
  if (ms < 60_000) return `${String(Math.round(ms / 100) / 10)} s`;
  return formatDuration(ms).replace(/ 0 (?:s|min|h)$/, '');
}

/** 14:02:11 */
export function formatTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toLocaleTimeString('en-GB', { hour12: false });
}

/** 2026-11-21 14:02 */
export function formatDateTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

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
  if (bytes < 1024) return `${String(bytes)} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
