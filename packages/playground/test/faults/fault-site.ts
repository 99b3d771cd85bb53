/** A playground on its own port with an App that receives webhooks, for tests that switch faults over HTTP. */

import { createMemoryStore } from '../../git/store/memory-store.ts';
import { createOffsetClock } from '../../http/offset-clock.ts';
import { listen } from '../../http/server.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { startWebhooks } from '../../webhooks/webhooks.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';
import type { State } from '../../world/state.ts';

export type FaultSite = {
  /** Status of one request over HTTP; `broken` when the connection broke. */
  readonly ask: (who: 'bot' | 'ada', method: string, path: string, body?: object) => Promise<number | 'broken'>;
  /** A series of equal reads: `x` for a failed one, `.` for a successful one. */
  readonly marks: (count: number, path?: string) => Promise<string>;
  readonly control: (
    method: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly answer: Record<string, unknown> }>;
  /** GUID and issue title of every received webhook, in order of arrival. */
  readonly heard: { readonly guid: string; readonly title: string }[];
  readonly settled: () => Promise<void>;
  /** The state that a file would store. */
  readonly kept: () => State;
  readonly close: () => Promise<void>;
};

/** Opens the site, or continues from a stored state. */
export async function openFaultSite(state?: State): Promise<FaultSite> {
  const bound = await listen(0);
  if (!bound.ok) throw new Error(`no port: ${bound.reason}`);
  const clock = createOffsetClock();
  const world = createWorld({
    clock,
    gitStores: () => createMemoryStore(),
    baseUrl: bound.origin,
    ...(state === undefined ? {} : { state }),
  });
  const permissions = { issues: 'write', metadata: 'read' } as const;
  const webhook = { url: `${bound.origin}/hook`, secret: 'a secret of the tests' };
  if (state === undefined)
    seedWorld(world, { labels: {}, app: { publicKeyPem: '', permissions, events: ['issues'], webhook } });
  const row = Object.values(world.state.installations)[0];
  const ada = Object.entries(world.state.tokens).find(([, { kind }]) => kind === 'user')?.[0] ?? '';
  if (row === undefined) throw new Error('the seed installed no App');
  const tokens = { ada, bot: mintInstallationToken(world, row, permissions, null).token };
  const received: { readonly guid: string; readonly title: string }[] = [];
  const hooks = startWebhooks(world, async (request) => {
    const payload: { readonly issue: { readonly title: string } } = JSON.parse(await request.text());
    received.push({ guid: request.headers.get('x-github-delivery') ?? '', title: payload.issue.title });
    return new Response('ok');
  });
  const bugs: unknown[] = [];
  bound.serve({ world, clock, onBug: (error) => bugs.push(error) });
  const ask: FaultSite['ask'] = async (who, method, path, body) => {
    const init = { method, headers: { authorization: `Bearer ${tokens[who]}` } };
    const address = `${bound.origin}/api/v3/repos/lab/ferries${path}`;
    try {
      const answer = await fetch(address, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    } catch (error) {
      if (error instanceof TypeError) return 'broken';
      throw error;
    }
  };
  return {
    ask,
    marks: async (count, path = '/labels') => {
      let marks = '';
      for (let index = 0; index < count; index += 1) marks += (await ask('bot', 'GET', path)) === 200 ? '.' : 'x';
      return marks;
    },
    control: async (method, body) => {
      const headers = { authorization: `Bearer ${bound.secret}` };
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(`${bound.origin}/_playground/faults`, init);
      return { status: answer.status, answer: await answer.json() };
    },
    heard: received,
    settled: hooks.settled,
    kept: () => structuredClone(world.state),
    close: async () => {
      await hooks.close();
      await bound.close();
      if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
    },
  };
}
