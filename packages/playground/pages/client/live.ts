/** Follows the world: every change reloads the page and exchanges the differing parts in place. */
import { rememberParts, replaceParts } from './parts.ts';
import { showTimes } from './times.ts';

/** Several changes in a short time cause one update, and a busy world at most one per second. */
const settleMs = 120;
const checkIntervalMs = 1_000;
/** How often the page updates when there is no event stream. */
const pollPeriodMs = 3_000;

export type World = { readonly refresh: () => Promise<void> };

export function followWorld(): World {
  rememberParts(document);
  let looking = false;
  let again = false;
  const refresh = async (): Promise<void> => {
    again = true;
    if (looking) return;
    looking = true;
    try {
      while (again) {
        again = false;
        // Retry what could not be read, without waiting for another change.
        if (!(await hasChanged())) setTimeout(refresh, pollPeriodMs);
      }
    } finally {
      looking = false;
    }
    pollWhileRunning(refresh);
  };
  listenForEvents(debounceRefresh(refresh));
  pollWhileRunning(refresh);
  return { refresh };
}

/** Debounces calls, and never runs two updates at the same time. */
function debounceRefresh(refresh: () => Promise<void>): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    const waitMs = Math.max(settleMs, lastAt + checkIntervalMs - performance.now());
    setTimeout(() => {
      planned = false;
      lastAt = performance.now();
      void refresh();
    }, waitMs);
  };
}

/** False: not everything could be read, and the page stays unchanged. */
async function hasChanged(): Promise<boolean> {
  const response = await fetch(location.href, { headers: changeCheckHeaders() }).catch(reportConnectionLost);
  document.body.toggleAttribute('data-offline', response === null);
  if (response === null) return true;
  if (!response.ok) return response.status === 404;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  const news = await replaceParts(document, fresh);
  showTimes();
  if (news.length > 0) announceText(`New: ${news.join('; ')}`);
  return true;
}

/** For a long thread, requests only what follows the comments already on the page. */
function changeCheckHeaders(): Record<string, string> {
  const earlier = document.querySelector<HTMLElement>('[data-earlier]')?.dataset['earlier'];
  return { accept: 'text/html', 'x-playground-earlier': earlier ?? '0' };
}

/** The playground was stopped: show that. The event stream reconnects by itself. */
function reportConnectionLost(reason: unknown): null {
  if (reason instanceof TypeError) return null;
  throw reason;
}

function listenForEvents(onChange: () => void): void {
  const stream = new EventSource('/_playground/events');
  stream.addEventListener('message', onChange);
  // Changes may have been missed during an interruption.
  stream.addEventListener('open', onChange);
  stream.addEventListener('error', () => {
    // A closed stream (the server has none) never reopens and reports no further errors.
    if (stream.readyState === EventSource.CLOSED) setInterval(onChange, pollPeriodMs);
  });
}

let poll: ReturnType<typeof setTimeout> | null = null;

/** A part may request polling without an event (`data-poll-ms`), because a running job's log grows without events. */
function pollWhileRunning(refresh: () => Promise<void>): void {
  const asking = document.querySelector<HTMLElement>('[data-poll-ms]');
  if (poll !== null) clearTimeout(poll);
  poll = asking === null ? null : setTimeout(refresh, Number(asking.dataset['pollMs']));
}

function announceText(text: string): void {
  const place = document.getElementById('said');
  if (place !== null) place.textContent = text;
}
