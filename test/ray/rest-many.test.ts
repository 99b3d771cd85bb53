/**
 * A hundred submits on a real head while answers are lost and doubled and the head restarts; the jobs
 * themselves record each start. Takes up to two minutes.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Engine, isTerminal } from '../../src/domain/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { callOverHttp, type Http, type HttpRequest } from '../../src/engines/shared/http.ts';
import { type Launched, launchOverRest } from '../support/launch-over-rest.ts';
import { createRandom } from '../support/random.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';

const SUBMITS = 100;
const TRIES_MAX = 20;
/** Each job starts as a Python process of 60 MB. */
const AT_ONCE_MAX = 6;
/** Attempts during which the head restarts, right after it accepted the job. */
const RESTARTS: ReadonlySet<number> = new Set([33, 66]);

describeWithRay('a hundred submits on a real head', () => {
  let head: RayHead;
  let directory: string;
  let ran: string;
  beforeAll(async () => {
    head = await startRayHead();
    directory = await mkdtemp(join(tmpdir(), 'ferrybot-many-'));
    ran = join(head.folder, 'ran');
    await writeFile(ran, '');
    // Records its start, then sleeps: a second start of the same attempt would be recorded too.
    await writeFile(join(directory, 'job.sh'), 'echo "$1" >> "$2"; sleep 1\n');
  });
  afterAll(async () => {
    await head.close();
    await rm(directory, { recursive: true });
  });

  it('start each attempt at most once, and each is adopted or reported as lost', async () => {
    const faulty = faultyHttp(() => head);
    const engine = createRestEngine({ address: head.address, token: head.token, http: faulty.http });
    const calm = createRestEngine({ address: head.address, token: head.token });
    const outcomes = new Map<string, Launched>();
    for (let attempt = 0; attempt < SUBMITS; attempt += 1) {
      const submissionId = `ferrybot-many-${attempt}-a1`;
      await untilQuiet(calm, [...outcomes.keys()]);
      const session = await calm.session();
      if (session.kind !== 'session') throw new Error(session.message);
      faulty.begin(RESTARTS.has(attempt));
      const spec = {
        submissionId,
        command: ['sh', 'job.sh', submissionId, ran],
        env: {},
        workingDirectory: directory,
        metadata: { run: submissionId, attempt: 1, manifest: 'sha256:aa' },
      };
      outcomes.set(submissionId, await launchOverRest(engine, spec, session.id, TRIES_MAX));
    }
    await untilQuiet(calm, [...outcomes.keys()], 0);
    const said = (await readFile(ran, 'utf8')).trim().split('\n');
    // The jobs' own record: none ran twice.
    expect(said.length).toBe(new Set(said).size);
    const kinds = Map.groupBy(outcomes.values(), ({ kind }) => kind);
    expect([...kinds.keys()].toSorted()).toEqual(['lost', 'started']);
    expect(kinds.get('lost')).toHaveLength(RESTARTS.size);
    const adopted = (kinds.get('started') ?? []).filter((one) => one.kind === 'started' && one.adopted);
    expect(adopted.length).toBeGreaterThan(10);
    // Each job that was started in the current session did run.
    const last = await calm.session();
    const standing = [...outcomes].filter(
      ([, one]) => one.kind === 'started' && last.kind === 'session' && one.session === last.id,
    );
    expect(standing.length).toBeGreaterThan(20);
    for (const [id] of standing) expect(said).toContain(id);
  }, 600_000);
});

/** Waits until few enough are running; one request lists them all. */
async function untilQuiet(engine: Engine, ids: readonly string[], runningMax = AT_ONCE_MAX): Promise<void> {
  for (let look = 0; look < 1_000; look += 1) {
    const seen = (await engine.observeMany?.(ids.map((jobId) => ({ jobId, lastSession: null })))) ?? [];
    const running = seen.filter((job) => job.kind === 'found' && !isTerminal(job.status));
    if (running.length <= runningMax) return;
    await sleep(200);
  }
  throw new Error('the head does not come to rest');
}

/** Loses answers before or after the head acted, doubles submits, and restarts the head on request. */
function faultyHttp(head: () => RayHead): { readonly http: Http; readonly begin: (restarts: boolean) => void } {
  const random = createRandom(20261121);
  let mustRestart = false;
  const lost = { kind: 'failed', sent: true, message: 'socket hang up' } as const;
  const act = async (request: HttpRequest): Promise<void> => {
    const result = await callOverHttp(request);
    if (result.kind === 'answer') result.answer.close();
  };
  const http: Http = async (request) => {
    const isSubmit = request.method === 'POST' && request.url.pathname === '/api/jobs/';
    if (isSubmit && mustRestart) {
      mustRestart = false;
      await act(request);
      await head().stop();
      await head().start();
      return lost;
    }
    const luck = random.below(100);
    if (luck < 3) return lost;
    if (luck < (isSubmit ? 25 : 5)) {
      await act(request);
      return lost;
    }
    if (isSubmit && luck < 40) await act(request);
    return callOverHttp(request);
  };
  return {
    http,
    begin: (restarts) => {
      mustRestart = restarts;
    },
  };
}
