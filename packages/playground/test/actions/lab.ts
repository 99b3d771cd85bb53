/** A small lab for tests of Actions: a world with one repository `lab/model`, an owner, and files that can be pushed. */

import { createRun } from '../../actions/queue/run-rows.ts';
import { plainSource } from '../../actions/queue/run-source.ts';
import type { Job, Run } from '../../actions/state-actions.ts';
import type { Clock } from '../../clock.ts';
import { recordPush } from '../../git/pushes.ts';
import type { GitStore } from '../../git/store/git-store.ts';
import { changeTree, type PathChange } from '../../git/store/git-trees.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import type { Caller, Token } from '../../identity/state-people.ts';
import { mintUserToken } from '../../identity/tokens.ts';
import { openPull } from '../../pulls/open-pull.ts';
import { type Act, addComment, createAuthored, putIssue, reloadThread, takeNumber } from '../../threads/threads.ts';
import { createWorld } from '../../world/create-world.ts';
import { emitChange } from '../../world/emit.ts';
import type { Json } from '../../world/json.ts';
import { actionsApp, findRepo, findUser, requireRow } from '../../world/lookup.ts';
import { seedWorld } from '../../world/seed.ts';
import type { Repo, State } from '../../world/state.ts';
import type { World } from '../../world/world.ts';

export const MORNING = Date.UTC(2026, 10, 20, 6, 0, 0);

export type Lab = {
  readonly world: World;
  readonly store: GitStore;
  readonly repo: () => Repo;
  /** Commits files on a branch (null = delete) and emits the push, by the owner or by a workflow's token. */
  readonly push: (
    files: Readonly<Record<string, string | null>>,
    options?: { readonly branch?: string; readonly by?: Caller['kind']; readonly message?: string },
  ) => Promise<string>;
  readonly comment: (title: string, body: string, by?: Caller['kind']) => Promise<void>;
  readonly pullRequest: (branch: string, by?: Caller['kind']) => Promise<void>;
  /** Creates a dispatch's run and emits its event, as the API does. */
  readonly dispatch: (file: string, inputs?: Readonly<Record<string, string>>, branch?: string) => Promise<number>;
  readonly runs: () => readonly Run[];
  readonly run: (id: number) => Run;
  readonly jobs: (runId: number) => readonly Job[];
  readonly log: (jobId: number) => string;
  /** Currently valid workflow tokens. */
  readonly workflowTokens: () => readonly Extract<Token, { kind: 'workflow' }>[];
  /** A request by the maintainer. */
  readonly api: (method: string, path: string, body?: Json) => Promise<{ status: number; body: Json }>;
};

/** `state`: restarts with the state of an earlier lab. */
export function createLab(options: {
  readonly clock: Clock;
  readonly store?: GitStore;
  readonly state?: State;
  readonly baseUrl?: string;
}): Lab {
  const store = options.store ?? createMemoryStore();
  const world = createWorld({
    clock: options.clock,
    gitStores: () => store,
    baseUrl: options.baseUrl ?? 'http://127.0.0.1:9',
    ...(options.state === undefined ? {} : { state: options.state }),
  });
  if (options.state === undefined) seedWorld(world, SEED);
  const repo = (): Repo => requireRow(findRepo(world, 'lab', 'model'), 'repository lab/model');
  const maintainer = mintUserToken(world, requireRow(findUser(world, 'mira'), 'mira').id);
  const ada = requireRow(findUser(world, 'ada'), 'ada');
  const actBy = (by: Caller['kind']): Act => ({
    world,
    repo: repo(),
    actor: ada,
    caller: callerOf(by, ada.id, repo().id),
  });
  const tipOf = async (branch: string): Promise<string | null> =>
    (await store.refs(`refs/heads/${branch}`)).get(`refs/heads/${branch}`) ?? null;

  return {
    world,
    store,
    repo,
    push: async (files, { branch = 'main', by = 'user', message = 'Change' } = {}) => {
      const before = await tipOf(branch);
      const parent = before ?? (await tipOf('main'));
      const tree = parent === null ? null : ((await store.readCommit(parent))?.tree ?? null);
      const changes = new Map<string, PathChange>();
      for (const [path, text] of Object.entries(files)) {
        const sha = text === null ? null : await store.writeBlob(new TextEncoder().encode(text));
        changes.set(path, sha === null ? null : { mode: '100644', sha });
      }
      const who = { name: 'Ada', email: 'ada@example.org', atMs: world.clock.now() };
      const after = await store.writeCommit({
        tree: await changeTree(store, tree, changes),
        parents: parent === null ? [] : [parent],
        author: who,
        committer: who,
        message,
      });
      await store.updateRef({ ref: `refs/heads/${branch}`, sha: after });
      const caller = callerOf(by, ada.id, repo().id);
      await recordPush({ world, repo: repo(), actor: ada, caller }, [{ ref: `refs/heads/${branch}`, before, after }]);
      return after;
    },
    comment: async (title, body, by = 'user') => {
      const act = actBy(by);
      const issue = putIssue(world, {
        ...createAuthored(act, 'issues', ''),
        ...reloadThread,
        pull: null,
        repoId: repo().id,
        number: takeNumber(act),
        title,
      });
      await addComment(act, issue, body);
    },
    pullRequest: async (branch, by = 'user') => {
      const headSha = requireRow(await tipOf(branch), `branch ${branch}`);
      const baseSha = requireRow(await tipOf('main'), 'branch main');
      const title = `From ${branch}`;
      await openPull(actBy(by), { title, body: '', headRef: branch, headSha, baseRef: 'main', baseSha, draft: false });
    },
    dispatch: async (file, inputs = {}, branch = 'main') => {
      const workflow = Object.values(world.state.workflows).find((row) => row.path.endsWith(`/${file}`));
      const sha = await tipOf(branch);
      if (workflow === undefined || sha === null) throw new Error(`no workflow ${file} or no branch ${branch}`);
      const source = { ...plainSource(`refs/heads/${branch}`, sha), title: null, trigger: NO_TRIGGER };
      const payload = { ref: `refs/heads/${branch}`, inputs, workflow: workflow.path };
      const run = createRun(world, {
        repo: repo(),
        workflow,
        event: 'workflow_dispatch',
        payload,
        actorId: ada.id,
        source,
        title: workflow.name,
      });
      world.state.runs[run.id] = { ...run, inputs };
      await emitChange(world, {
        type: 'workflow_dispatch',
        action: null,
        repo: repo(),
        sender: ada,
        byTokenKind: 'user',
        runId: run.id,
        payload,
      });
      return run.id;
    },
    runs: () => Object.values(world.state.runs),
    run: (id) => requireRow(world.state.runs[id], `run ${id}`),
    jobs: (runId) =>
      requireRow(world.state.runs[runId], `run ${runId}`).jobIds.map((id) =>
        requireRow(world.state.jobs[id], `job ${id}`),
      ),
    log: (jobId) => world.state.logs[jobId] ?? '',
    workflowTokens: () =>
      Object.values(world.state.tokens).flatMap((token) => (token.kind === 'workflow' ? [token] : [])),
    api: async (method, path, body) => {
      const answer = await world.fetch(
        new Request(`${world.baseUrl}/api/v3/repos/lab/model${path}`, {
          method,
          headers: { authorization: `Bearer ${maintainer}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
    },
  };
}

const NO_TRIGGER = { name: 'workflow_dispatch', action: null, ref: null, changedPaths: null, workflowName: null };

const SEED = {
  owner: 'lab',
  repo: 'model',
  secrets: { WEBHOOK: 'hush-hush-42' },
  variables: { CLUSTER: 'local' },
  environments: [
    { name: 'cluster', secrets: { CREDENTIALS: 'cluster-key-9' }, variables: {}, defaultBranchOnly: true },
  ],
  actionsMayCreatePulls: true,
};

function callerOf(kind: Caller['kind'], userId: number, repoId: number): Caller {
  if (kind === 'workflow') {
    return { kind, appId: actionsApp.appId, userId: actionsApp.userId, repoId, runId: 0, permissions: {} };
  }
  return { kind: 'user', userId };
}
