/** A time as static text; the client script turns it into `3 minutes ago` and keeps that current. */
import { type Html, html } from '../html.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Takes RFC 3339, returns `<time>` with the absolute time in UTC; an invalid one is shown unchanged. */
export function renderMoment(at: string | null | undefined): Html | null {
  if (at === null || at === undefined) return null;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return html`<span>${at}</span>`;
  return html`<time datetime="${date.toISOString()}" data-relative>${formatAbsolute(date)}</time>`;
}

/** Seconds between two moments as `1m 12s`; null while one is missing. */
export function formatDuration(start: string | null | undefined, end: string | null | undefined): string | null {
  if (start === null || start === undefined || end === null || end === undefined) return null;
  const seconds = Math.max(0, Math.round((Date.parse(end) - Date.parse(start)) / 1000));
  if (Number.isNaN(seconds)) return null;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

function formatAbsolute(date: Date): string {
  const time = date.toISOString().slice(11, 16);
  return `${months[date.getUTCMonth()] ?? ''} ${date.getUTCDate()}, ${date.getUTCFullYear()}, ${time} UTC`;
}
