/** Follows the world: at every change the page is fetched again, and the parts that differ are exchanged in place. */
import { exchangeParts, rememberParts } from './parts.ts';
import { showTimes } from './times.ts';

/** Several changes in one moment make one look, and a busy world is not looked at more than once a second. */
const settleMs = 120;
const looksApartMs = 1_000;
/** Where there is no event stream, the page looks this often. */
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
        // What cannot be read now is asked for again, without waiting for another change.
        if (!(await lookOnce())) setTimeout(refresh, pollPeriodMs);
      }
    } finally {
      looking = false;
    }
    pollWhileRunning(refresh);
  };
  listen(gather(refresh));
  pollWhileRunning(refresh);
  return { refresh };
}

/** Turns a burst of calls into one, soon, and keeps the looks apart. */
function gather(refresh: () => Promise<void>): () => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    const waitMs = Math.max(settleMs, lastAt + looksApartMs - performance.now());
    setTimeout(() => {
      planned = false;
      lastAt = performance.now();
      void refresh();
    }, waitMs);
  };
}

/** False: not everything could be read, and the page stays as it is. */
async function lookOnce(): Promise<boolean> {
  const response = await fetch(location.href, { headers: lookHeaders() }).catch(connectionLost);
  document.body.toggleAttribute('data-offline', response === null);
  if (response === null) return true;
  if (!response.ok) return response.status === 404;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  const news = await exchangeParts(document, fresh);
  showTimes();
  if (news.length > 0) say(`New: ${news.join('; ')}`);
  return true;
}

/** Of a long thread only what follows the comments that stand here already. */
function lookHeaders(): Record<string, string> {
  const earlier = document.querySelector<HTMLElement>('[data-earlier]')?.dataset['earlier'];
  return { accept: 'text/html', 'x-playground-earlier': earlier ?? '0' };
}

/** The playground was stopped: that is shown, and the event stream tries again by itself. */
function connectionLost(reason: unknown): null {
  if (reason instanceof TypeError) return null;
  throw reason;
}

function listen(onChange: () => void): void {
  const stream = new EventSource('/_playground/events');
  stream.addEventListener('message', onChange);
  // After an interruption something may have been missed.
  stream.addEventListener('open', onChange);
  stream.addEventListener('error', () => {
    // A closed stream (there is none at the other end) never opens again and never errs again.
    if (stream.readyState === EventSource.CLOSED) setInterval(onChange, pollPeriodMs);
  });
}

let poll: ReturnType<typeof setTimeout> | null = null;

/** A part may ask to be looked at without an event (`data-poll-ms`): a running job's log grows silently. */
function pollWhileRunning(refresh: () => Promise<void>): void {
  const asking = document.querySelector<HTMLElement>('[data-poll-ms]');
  if (poll !== null) clearTimeout(poll);
  poll = asking === null ? null : setTimeout(refresh, Number(asking.dataset['pollMs']));
}

function say(text: string): void {
  const place = document.getElementById('said');
  if (place !== null) place.textContent = text;
}
