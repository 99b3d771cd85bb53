/** A simulated Vast.ai on a loopback port: its API over one account, with real processes as instances. */

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setInterval as every } from 'node:timers';
import type { Clock } from '../clock.ts';
import { vast } from '../limits/limits.ts';
import { type Account, createAccount, type Timing } from './account.ts';
import { processContainers } from './container.ts';
import { createFaults, type Faults, type VastFault } from './faults.ts';
import type { Offer } from './offers.ts';
import { createResults, type ResultStore } from './results.ts';
import { type Answer, answerForError, DEPRECATED, failure, findRoute } from './routes.ts';

export type VastOptions = {
  readonly clock: Clock;
  /** Folder for the instances' containers. */
  readonly folder: string;
  readonly offers: readonly Offer[];
  readonly credit?: number;
  readonly timing?: Partial<Timing>;
  /** How many reads find a log not ready yet. */
  readonly resultPolls?: number;
};

export type VastServer = {
  readonly url: string;
  readonly key: string;
  readonly account: Account;
  readonly faults: Faults;
  /** Method, path and body of every served request. */
  readonly asked: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
};

export type RecordedRequest = { readonly route: string; readonly body: string };

const TIMING: Timing = { provisionMs: 20_000, createMs: 10_000, loadMs: 60_000, destroyMs: 2_000 };

/** Starts the server. */
export async function openVast(options: VastOptions): Promise<VastServer> {
  const { clock } = options;
  const key = randomBytes(32).toString('hex');
  const faults = createFaults();
  const results = createResults(options.resultPolls ?? 1);
  const asked: RecordedRequest[] = [];
  const late = new AbortController();
  const pending = new Set<Promise<void>>();
  let serve = async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.destroy();
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const account = createAccount({
    now: clock.now,
    offers: options.offers,
    credit: options.credit ?? vast.credit,
    timing: { ...TIMING, ...options.timing },
    start: processContainers(options.folder),
    secret: () => randomBytes(32).toString('hex'),
  });
  const host: Host = { clock, url, key, account, faults, results, asked, late: late.signal, pending };
  serve = (request, response) => handle(host, request, response);
  // States change without requests: a container must start by itself.
  const timer = every(() => account.advance(), vast.advanceEveryMs).unref();
  return {
    url,
    key,
    account,
    faults,
    asked,
    close: async () => {
      clearInterval(timer);
      late.abort();
      await Promise.allSettled(pending);
      for (const instance of account.list()) await instance.container?.remove();
      await account.settled();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

type Host = Omit<VastServer, 'close' | 'asked'> & {
  readonly clock: Clock;
  readonly asked: RecordedRequest[];
  readonly results: ResultStore;
  readonly late: AbortSignal;
  readonly pending: Set<Promise<void>>;
};

async function handle(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', host.url);
  const method = request.method ?? 'GET';
  const text = await readBody(request);
  if (url.pathname.startsWith('/results/')) {
    const result = await host.results.read(url.pathname.slice('/results/'.length));
    return sendAnswer(response, { status: result === null ? 404 : 200, body: result ?? 'not ready' });
  }
  const route = `${method} ${url.pathname}`;
  host.asked.push({ route, body: text });
  const fault = host.faults.strike(route);
  const perform = (): Answer => buildAnswer(host, method, url, request.headers.authorization, text);
  const answer = fault === null ? perform() : applyFault(host, fault, perform);
  if (answer === null) response.destroy();
  else sendAnswer(response, answer);
}

/** Null: the connection breaks. */
function applyFault(host: Host, fault: VastFault, perform: () => Answer): Answer | null {
  switch (fault.kind) {
    case 'too-many':
      return { status: 429, body: 'API requests too frequent: endpoint threshold=2.0' };
    case 'server-error':
      return { status: 500, body: 'Internal Server Error' };
    case 'empty':
      return { status: 200, body: '' };
    case 'deprecated':
      return DEPRECATED;
    case 'said-but-not-done':
      return { status: 200, body: { success: true } };
    case 'lost-request':
      return null;
    case 'lost-answer':
      perform();
      return null;
    case 'late': {
      const later = host.clock.sleep(fault.delayMs ?? 0, host.late).then(
        () => void perform(),
        (error: unknown) => {
          if (!host.late.aborted) throw error;
        },
      );
      host.pending.add(later);
      return null;
    }
    case 'failed-but-done': {
      const done = perform();
      const made = typeof done.body === 'object' && done.body !== null ? done.body : {};
      return { status: 400, body: { ...made, success: false, error: 'internal', msg: 'the host did not answer' } };
    }
  }
}

function buildAnswer(
  { account, results, clock, key }: Host,
  method: string,
  url: URL,
  authorization: string | undefined,
  text: string,
): Answer {
  const given = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
  const owner = given === key ? null : (account.list().find(({ apiKey }) => apiKey === given)?.id ?? 0);
  if (owner === 0) return failure(401, 'auth_error', 'Invalid user key');
  const found = findRoute(method, url.pathname);
  // The real server answers unknown addresses with HTML pages.
  if (found === null) return { status: 404, body: '<html><body>404 Not Found</body></html>' };
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text);
    const call = { account, results, nowMs: clock.now(), url, body, onlyInstance: owner, ids: found.ids };
    return found.route.answer(call);
  } catch (error) {
    const complaint = answerForError(error);
    if (complaint === null) throw error;
    return complaint;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

function sendAnswer(response: ServerResponse, { status, body }: Answer): void {
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}
