/** What a media type is called, and how its files end. */
import { t } from '../i18n/index.ts';

const KNOWN: Record<string, { words: () => string; ending: string }> = {
  'application/pdf': { words: () => t('bytes.pdf'), ending: 'pdf' },
  'application/zip': { words: () => t('bytes.zip'), ending: 'zip' },
  'application/gzip': { words: () => t('bytes.zip'), ending: 'gz' },
  'application/json': { words: () => t('bytes.json'), ending: 'json' },
  'application/xml': { words: () => t('bytes.xml'), ending: 'xml' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': { words: () => t('bytes.letter'), ending: 'docx' },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { words: () => t('bytes.sheet'), ending: 'xlsx' },
  'text/html': { words: () => t('bytes.page'), ending: 'html' },
  'text/csv': { words: () => t('bytes.csv'), ending: 'csv' },
  'text/plain': { words: () => t('bytes.text'), ending: 'txt' },
  'image/png': { words: () => t('bytes.picture', { kind: 'PNG' }), ending: 'png' },
  'image/jpeg': { words: () => t('bytes.picture', { kind: 'JPEG' }), ending: 'jpg' },
  'image/gif': { words: () => t('bytes.picture', { kind: 'GIF' }), ending: 'gif' },
  'image/webp': { words: () => t('bytes.picture', { kind: 'WebP' }), ending: 'webp' },
  'image/svg+xml': { words: () => t('bytes.picture', { kind: 'SVG' }), ending: 'svg' },
  'audio/mpeg': { words: () => t('bytes.sound', { kind: 'MP3' }), ending: 'mp3' },
  'video/mp4': { words: () => t('bytes.film', { kind: 'MP4' }), ending: 'mp4' },
  'application/octet-stream': { words: () => t('bytes.unknown'), ending: 'bin' },
};

const known = (mime: string) => (Object.hasOwn(KNOWN, mime) ? KNOWN[mime] : undefined);

/** In plain words, or the type itself when nobody has a word for it. */
export const kindOf = (mime: string): string => known(mime)?.words() ?? mime;

/** An ending that names the type; nothing of a type from outside gets into a name. */
export const endingOf = (mime: string): string => known(mime)?.ending ?? 'bin';
