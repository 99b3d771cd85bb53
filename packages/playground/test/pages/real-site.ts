/** The page over the playground's own server and API, with a ferry created in the lab's repository. */
import type { Clock } from '../../clock.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import { listen } from '../../http/server.ts';
import { mintInstallationToken } from '../../identity/tokens.ts';
import { pagesOptionsFromWorld } from '../../pages/from-world.ts';
import { createPages } from '../../pages/pages.ts';
import { createWorld } from '../../world/create-world.ts';
import { seedWorld } from '../../world/seed.ts';
import type { World } from '../../world/world.ts';

const startMs = Date.parse('2026-11-21T06:00:00Z');

export type RealSite = {
  readonly baseUrl: string;
  /** The headers of a signed-in browser. */
  readonly headers: { readonly authorization: string };
  readonly world: World;
  /** Calls the REST API as a person, or as `ferrybot`, whose token may write checks and threads. */
  readonly call: (login: string, method: string, path: string, body: unknown) => Promise<Record<string, unknown>>;
  readonly close: () => Promise<void>;
};

export async function openRealSite(): Promise<RealSite> {
  const listening = await listen(0);
  if (!listening.ok) throw new Error(`no port: ${listening.reason}`);
  const baseUrl = listening.origin;
  const world = createWorld({ clock: tickingClock(), gitStores: () => createMemoryStore(), baseUrl });
  const permissions = { checks: 'write', issues: 'write', pull_requests: 'write', metadata: 'read' } as const;
  const app = { publicKeyPem: '', permissions, events: [], webhook: null };
  const seeded = seedWorld(world, { labels: { ferry: '0969da' }, app });
  const installation = Object.values(world.state.installations)[0];
  if (installation === undefined) throw new Error('the seed installed no App');
  const bot = mintInstallationToken(world, installation, permissions, null).token;
  const tokens: Readonly<Record<string, string>> = { ...seeded.tokens, ferrybot: bot };
  const call: RealSite['call'] = async (login, method, path, body) => {
    const headers = { authorization: `Bearer ${tokens[login] ?? ''}`, 'content-type': 'application/json' };
    const address = `${baseUrl}/api/v3${path}`;
    const response = await world.fetch(new Request(address, { method, headers, body: JSON.stringify(body) }));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const bugs: unknown[] = [];
  const pages = createPages(pagesOptionsFromWorld(world, 'lab/ferries'));
  listening.serve({ world, clock: null, pages, onBug: (error) => bugs.push(error) });
  await plantFerry(world, call);
  const close = async (): Promise<void> => {
    await listening.close();
    if (bugs.length > 0) throw new AggregateError(bugs, 'the playground broke');
  };
  return { baseUrl, headers: { authorization: `Bearer ${listening.secret}` }, world, call, close };
}

/** The clock advances by one second whenever it is read, so that the order of events is the order of their times. */
function tickingClock(): Clock {
  let nowMs = startMs;
  return {
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    sleep: async () => undefined,
  };
}

/** A file on main, a changed version on a branch, and a pull request between them. */
async function plantFerry(world: World, call: RealSite['call']): Promise<void> {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) throw new Error('the seed made no repository');
  const store = world.gitOf(repo);
  const signature = { name: 'lab', email: 'lab@lab.example', atMs: startMs };
  const tree = await store.writeTree([]);
  const first = { tree, parents: [], author: signature, committer: signature, message: 'Begin' };
  await store.updateRef({ ref: 'refs/heads/main', sha: await store.writeCommit(first) });
  const at = '/repos/lab/ferries/contents';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await call('mira', 'PUT', `${at}/README.md`, {
    message: 'Say what this is',
    content: base64('# The lab\n\nSails daily.'),
  });
  const file = await call('mira', 'PUT', `${at}/experiments/daily.py`, {
    message: 'Add the ferry',
    content: base64('rate = 3\n'),
  });
  const sha = String(Reflect.get(Object(file['commit']), 'sha'));
  const blob = String(Reflect.get(Object(file['content']), 'sha'));
  await call('ada', 'POST', '/repos/lab/ferries/git/refs', { ref: 'refs/heads/ferry/today', sha });
  await call('ada', 'PUT', `${at}/experiments/daily.py`, {
    message: 'Raise the rate',
    content: base64('rate = 4\n'),
    sha: blob,
    branch: 'ferry/today',
  });
  await call('ada', 'POST', '/repos/lab/ferries/pulls', {
    title: 'Daily ferry',
    head: 'ferry/today',
    base: 'main',
    body: '- [ ] human approval',
  });
}
