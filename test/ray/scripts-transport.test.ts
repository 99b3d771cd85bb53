/**
 * The lab's scripts submit to a real head through uv, and the Jobs API observes, as in a lab with a
 * dashboard. Takes half a minute.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/domain/engine.ts';
import { isTerminal } from '../../src/domain/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { type RayHead, startRayHead } from '../support/ray-head.ts';
import { describeWithRay } from '../support/ray-tools.ts';
import { openScriptsLab, type ScriptsLab, UV_RUN } from '../support/scripts-lab.ts';

const SECRET = `it's "hush"\nand {more}`;
const SAYS =
  'import os\nprint("hello", os.environ.get("GREETING"), len(os.environ["HF_TOKEN"]), os.environ.get("GIT_COMMIT"), flush=True)\n';
const PROJECT = '[project]\nname = "job"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n';
const LOCK =
  'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n[[package]]\nname = "job"\nversion = "0.1.0"\nsource = { virtual = "." }\n';
const COMMIT = 'c0ffee00'.repeat(5);

describeWithRay("the lab's scripts on a real head", () => {
  let head: RayHead;
  let lab: ScriptsLab;
  let rest: Engine;
  let engine: Engine;

  beforeAll(async () => {
    head = await startRayHead();
    lab = await openScriptsLab();
    rest = createRestEngine({ address: head.address, token: head.token });
    const scripts = lab.settings(head.address, head.token);
    engine = createRayEngine({ rest, scripts, dashboard: head.address });
  });
  afterAll(async () => {
    await head?.close();
    await lab?.close();
  });

  it('submit a job with its identity and variables, and no repeated submit starts a second one', async () => {
    const spec = await lab.spec('says-1', SAYS, {
      env: { GREETING: '-e dear=all', HF_TOKEN: SECRET, GIT_COMMIT: COMMIT },
    });
    const outcome = await submitTo(engine, spec);
    expect(outcome).toMatchObject({
      kind: 'submitted',
      job: {
        jobId: 'says-1',
        session: expect.stringMatching(/^session_/),
        locator: { kind: 'dashboard', url: `${head.address}/#/jobs/says-1` },
      },
    });
    await expect
      .poll(async () => ended(await engine.observe('says-1', null)))
      .toMatchObject({ status: 'SUCCEEDED', exitCode: 0, metadata: spec.metadata });
    expect(JSON.stringify(await engine.observe('says-1', null))).not.toContain('hush');
    expect(await submitTo(engine, spec)).toMatchObject({ kind: 'adopted' });
    const other = { ...spec, metadata: { ...spec.metadata, attempt: 2 } };
    expect(await submitTo(engine, other)).toEqual({ kind: 'conflict', found: spec.metadata });
  });

  it('start one job for ten concurrent submits of one id, and each submitter learns the outcome', async () => {
    const spec = await lab.spec('ten-1', SAYS, { env: { HF_TOKEN: SECRET } });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => submitTo(engine, spec)));
    expect(outcomes.map(({ kind }) => kind).filter((kind) => kind === 'submitted')).toHaveLength(1);
    expect(outcomes.map(({ kind }) => kind).filter((kind) => kind === 'adopted')).toHaveLength(9);
  });

  it('bypass uv only if it is missing', async () => {
    const python = [UV_RUN.at(-1) ?? ''];
    const given = lab.settings(head.address, head.token, { python: ['/nowhere/uv', 'run'], pythonWithoutUv: python });
    const scripts = { ...given, env: { ...given.env, PATH: '/usr/bin:/bin' } };
    const without = createRayEngine({ rest, scripts, dashboard: head.address });
    const spec = await lab.spec('plain-1', SAYS, { env: { HF_TOKEN: SECRET } });
    // The script starts `uv export` by name, which exists only next to that Python.
    await writeFile(join(spec.workingDirectory, 'pyproject.toml'), PROJECT);
    await writeFile(join(spec.workingDirectory, 'uv.lock'), LOCK);
    expect(await submitTo(without, spec)).toMatchObject({ kind: 'submitted' });
  });

  it('start nothing and report unknown if the dashboard is out of reach', async () => {
    const address = 'http://127.0.0.1:9';
    const dead = createRayEngine({
      rest: createRestEngine({ address, token: head.token }),
      scripts: lab.settings(address, head.token),
      dashboard: address,
    });
    const spec = await lab.spec('dead-1', SAYS);
    expect(await submitTo(dead, spec)).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('nothing was submitted'),
    });
    expect(await dead.observe('says-1', 'session_1')).toMatchObject({ kind: 'unknown' });
    expect(await stopIn(dead, 'says-1')).toMatchObject({ kind: 'unknown' });
    expect(await engine.observe('dead-1', null)).toMatchObject({ kind: 'absent' });
  });
});

/** Null until the job has ended. */
function ended(seen: Awaited<ReturnType<Engine['observe']>>): object | null {
  return seen.kind === 'found' && isTerminal(seen.status) ? seen : null;
}
