/** Shows relative times by the world's clock, which may differ from the browser's. */

const units = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const refreshMs = 5_000;
let receivedAt = performance.now();
let receivedNow = '';

export function keepTimesFresh(): void {
  showTimes();
  setInterval(showTimes, refreshMs);
}

/** Rewrites every `<time data-relative>`; the exact time stays in its title. */
export function showTimes(): void {
  const now = worldNow();
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-relative]')) {
    element.title ||= element.textContent ?? '';
    const text = relativeTime(Date.parse(element.dateTime), now);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** The server's newest `data-now` plus the time that has passed since. */
function worldNow(): number {
  const serverNow = document.querySelector<HTMLElement>('[data-now]')?.dataset['now'] ?? '';
  if (serverNow !== receivedNow) {
    receivedNow = serverNow;
    receivedAt = performance.now();
  }
  const base = Date.parse(serverNow);
  return Number.isNaN(base) ? Date.now() : base + (performance.now() - receivedAt);
}

function relativeTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  if (Math.abs(seconds) < 5) return 'just now';
  const fitting = units.find((one) => Math.abs(seconds) >= one.seconds) ?? units[3];
  return words.format(Math.trunc(seconds / fitting.seconds), fitting.unit);
}
