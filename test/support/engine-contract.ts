/** The contract that every engine must satisfy. */

import { mkdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EngineAbilities } from '../../scripts/engines/abilities.ts';
import { CapabilityError, type Permit } from '../../src/domain/actions/capability.ts';
import {
  CANNOT_DESCRIBE,
  type Engine,
  type FoundJob,
  isTerminal,
  type JobSpec,
  stopStep,
  submitStep,
} from '../../src/domain/engine.ts';
import type { ExportedFile } from '../../src/domain/git.ts';
import { brandAs, isInstant } from '../../src/domain/values.ts';
import { permitFor, stopIn, submitTo } from './capabilities.ts';
import { readText } from './log-text.ts';

/** An engine for a test: jobs of three kinds, and a way to let some time pass. */
export type EngineBench = {
  readonly engine: Engine;
  /** An unused id on this engine. */
  readonly jobId: string;
  /** The program that the engine starts, followed by the command; absent if it starts the command itself. */
  readonly program?: string;
  readonly command: (kind: 'quick' | 'failing' | 'endless') => readonly string[];
  readonly directory: string;
  /** The whole log of a quick job: its output and the engine's own lines. */
  readonly log: RegExp;
  readonly pass: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The two lines that a job of this contract prints. */
export const SAID = 'up 🚀 käse\nprogress\n';

/**
 * Tests the contract and that the engine has exactly these abilities; `open` returns a new bench for each
 * test.
 */
export function engineContract(abilities: EngineAbilities, open: () => Promise<EngineBench>): void {
  let bench: EngineBench;
  beforeEach(async () => {
    bench = await open();
  });
  afterEach(() => bench.close());

  const spec = (kind: 'quick' | 'failing' | 'endless', changes: Partial<JobSpec> = {}): JobSpec => ({
    submissionId: bench.jobId,
    command: bench.command(kind),
    env: {},
    workingDirectory: bench.directory,
    metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: 'sha256:aa' },
    ...changes,
  });
  const when = async (accept: (job: FoundJob) => boolean): Promise<FoundJob> => {
    for (let look = 0; look < 600; look += 1) {
      const seen = await bench.engine.observe(bench.jobId, null);
      if (seen.kind === 'found' && accept(seen)) return seen;
      await bench.pass();
    }
    throw new Error('the job never got there');
  };
  const saidAll = async (): Promise<void> => {
    for (let look = 0; look < 600; look += 1) {
      const read = await readText(bench.engine, bench.jobId, 0);
      if (read.kind === 'chunk' && read.text.includes(SAID)) return;
      await bench.pass();
    }
    throw new Error('the job never said it all');
  };

  it('has a session with an id', async () => {
    expect(await bench.engine.session()).toMatchObject({ kind: 'session', id: expect.stringMatching(/./) });
  });

  it('starts and stops nothing without a capability for exactly that call', async () => {
    const job = spec('endless');
    const { capability, now } = permitFor(submitStep(job));
    const wrong: readonly Permit[] = [
      permitFor(),
      permitFor(stopStep(bench.jobId)),
      permitFor(submitStep({ ...job, submissionId: `${bench.jobId}-b` })),
      permitFor(submitStep({ ...job, command: ['true'] })),
      permitFor(submitStep({ ...job, metadata: { ...job.metadata, manifest: 'sha256:bb' } })),
      { capability, now: brandAs(now + 3_600_000, isInstant) },
      { capability: Object.freeze({ ...capability }), now },
    ];
    for (const permit of wrong) await expect(bench.engine.submit(job, permit)).rejects.toThrow(CapabilityError);
    expect((await bench.engine.observe(bench.jobId, null)).kind).toBe('absent');
    await bench.engine.submit(job, { capability, now });
    await expect(bench.engine.submit(job, { capability, now })).rejects.toThrow(/used up/);
    await when(({ status }) => status === 'RUNNING');
    const stops = [permitFor(), permitFor(submitStep(job)), permitFor(stopStep(`${bench.jobId}-b`))];
    for (const permit of stops) await expect(bench.engine.stop(bench.jobId, permit)).rejects.toThrow(CapabilityError);
    expect(await bench.engine.observe(bench.jobId, null)).toMatchObject({ status: 'RUNNING' });
    await stopIn(bench.engine, bench.jobId);
  });

  it('reports an unknown id as absent', async () => {
    for (const id of [bench.jobId, '../job-1', '']) {
      expect(await bench.engine.observe(id, null)).toMatchObject({ kind: 'absent' });
      expect(await readText(bench.engine, id, 0)).toEqual({ kind: 'absent' });
      expect(await stopIn(bench.engine, id)).toEqual({ kind: 'absent' });
    }
  });

  it('rejects an id that could be a path, and an empty command', async () => {
    for (const submissionId of ['', '../x', 'a/b', '.hidden', 'x'.repeat(129)])
      expect(await submitTo(bench.engine, spec('quick', { submissionId }))).toMatchObject({
        kind: 'rejected',
        code: 'bad-submission-id',
      });
    expect(await submitTo(bench.engine, spec('quick', { command: [] }))).toMatchObject({ code: 'empty-command' });
  });

  it('starts an id once, adopts it for the same metadata, and reports a conflict for other metadata', async () => {
    const first = await submitTo(bench.engine, spec('quick'));
    const again = await submitTo(bench.engine, spec('quick'));
    expect(first).toMatchObject({ kind: 'submitted', job: { engine: bench.engine.name, jobId: bench.jobId } });
    expect(again).toEqual({ ...first, kind: 'adopted' });
    for (const change of [{ run: 'other' }, { attempt: 2 }, { manifest: 'sha256:bb' }]) {
      const metadata = { ...spec('quick').metadata, ...change };
      const outcome = await submitTo(bench.engine, spec('quick', { metadata }));
      expect(outcome).toEqual({ kind: 'conflict', found: spec('quick').metadata });
    }
  });

  it('starts nothing with adoptOnly, and returns an existing job', async () => {
    const taken = spec('quick', { adoptOnly: true });
    expect(await submitTo(bench.engine, taken)).toEqual({ kind: 'absent' });
    expect((await bench.engine.observe(bench.jobId, null)).kind).toBe('absent');
    const first = await submitTo(bench.engine, spec('quick'));
    expect(await submitTo(bench.engine, taken)).toEqual({ ...first, kind: 'adopted' });
  });

  it('runs a job to a successful end, and the end does not change', async () => {
    await submitTo(bench.engine, spec('quick'));
    const end = await when((job) => isTerminal(job.status));
    expect(end).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, errorType: null });
    expect(end.metadata).toEqual(spec('quick').metadata);
    expect(end.endedAtMs ?? 0).toBeGreaterThanOrEqual(end.startedAtMs ?? Number.NaN);
    await bench.pass();
    expect(await bench.engine.observe(bench.jobId, null)).toEqual(end);
    expect(await stopIn(bench.engine, bench.jobId)).toEqual({ kind: 'already-ended', status: 'SUCCEEDED' });
    expect(await bench.engine.observe(bench.jobId, null)).toEqual(end);
  });

  it('describes submitter and command of a job without secrets, also after its end, or cannot describe jobs', async () => {
    const none = await bench.engine.describe(bench.jobId);
    expect(none).toMatchObject(abilities.describesJobs ? { kind: 'absent' } : CANNOT_DESCRIBE);
    if (!abilities.describesJobs) return;
    const commit = '5'.repeat(40);
    await submitTo(bench.engine, spec('quick', { env: { GIT_COMMIT: commit, API_TOKEN: 'hf-very-secret-1234' } }));
    await when((job) => isTerminal(job.status));
    const told = await bench.engine.describe(bench.jobId);
    if (told.kind !== 'described') throw new Error(`it is ${told.kind}`);
    expect(told.job).toMatchObject({ status: 'SUCCEEDED', metadata: spec('quick').metadata });
    expect(told.origin.entrypoint).toContain(bench.program ?? bench.command('quick')[0]);
    expect([commit, null]).toContain(told.origin.gitCommit);
    expect(JSON.stringify(told)).not.toContain('very-secret');
  });

  it('reports status, exit code and error type of a failed job', async () => {
    await submitTo(bench.engine, spec('failing'));
    expect(await when((job) => isTerminal(job.status))).toMatchObject({
      status: 'FAILED',
      exitCode: 3,
      errorType: 'JOB_ENTRYPOINT_COMMAND_ERROR',
    });
  });

  it('stops a job on request, without an exit code', async () => {
    await submitTo(bench.engine, spec('endless'));
    await saidAll();
    expect(await when((job) => job.status === 'RUNNING')).toMatchObject({ exitCode: null, endedAtMs: null });
    expect(['stopped', 'stopping']).toContain((await stopIn(bench.engine, bench.jobId)).kind);
    expect(await when((job) => isTerminal(job.status))).toMatchObject({ status: 'STOPPED', exitCode: null });
    expect(await stopIn(bench.engine, bench.jobId)).toEqual({ kind: 'already-ended', status: 'STOPPED' });
  });

  it('returns the log from any offset, and reports a log that became shorter', async () => {
    await submitTo(bench.engine, spec('quick'));
    await when((job) => isTerminal(job.status));
    const whole = await readText(bench.engine, bench.jobId, 0);
    if (whole.kind !== 'chunk') throw new Error(`the log is ${whole.kind}`);
    expect(whole.text).toMatch(bench.log);
    const bytes = Buffer.from(whole.text);
    const size = bytes.length;
    expect(whole).toEqual({ kind: 'chunk', text: whole.text, offset: 0, nextOffset: size, atEnd: true });
    expect(whole.text).toContain(SAID);
    const rest = { text: bytes.subarray(3).toString('utf8'), nextOffset: size };
    expect(await readText(bench.engine, bench.jobId, 3)).toMatchObject(rest);
    expect(await readText(bench.engine, bench.jobId, size)).toMatchObject({ text: '', nextOffset: size, atEnd: true });
    expect(await readText(bench.engine, bench.jobId, size + 1)).toEqual({ kind: 'rewound', sizeBytes: size });
  });

  it('observes many jobs in one call, exactly if it declares that ability', async () => {
    const { engine, jobId } = bench;
    expect(engine.observeMany !== undefined).toBe(abilities.looksAtMany);
    expect(engine.live !== undefined).toBe(abilities.listsJobs);
    await submitTo(engine, spec('quick'));
    const end = await when((job) => isTerminal(job.status));
    const asked = [jobId, `${jobId}-none`].map((id) => ({ jobId: id, lastSession: null }));
    const seen = (await engine.observeMany?.(asked)) ?? [end, { kind: 'absent' }];
    expect(seen).toEqual([end, expect.objectContaining({ kind: 'absent' })]);
  });

  it('declares whether a new session forgets jobs, and whether it removes old folders of jobs', () => {
    expect(bench.engine.forgetsWithSession === true).toBe(abilities.forgetsWithSession);
    expect(bench.engine.removeOldTrees !== undefined).toBe(abilities.clearsOldTrees);
  });

  it('lists files that would not reach the job, exactly if it declares that ability', async () => {
    const { engine, directory } = bench;
    const link = join(directory, 'linked');
    await mkdir(join(directory, 'folder'), { recursive: true });
    await symlink('folder', link);
    const files: readonly ExportedFile[] = [
      { path: 'linked', mode: '120000', blob: '0'.repeat(40), bytes: 6, target: 'folder' },
    ];
    const told = (await engine.leftOut?.({ workingDirectory: directory, files })) ?? null;
    await unlink(link);
    const expected = [{ path: 'linked', why: expect.stringContaining('a link to a folder') }];
    expect(told).toEqual(abilities.tellsWhatStaysBehind ? expected : null);
  });

  it.each([
    ['dollarInValue', { env: { NOTE: 'a $NAME' } }],
    ['secretVariable', { env: { LAB_SECRET: 'a-value-of-a-secret' }, secretNames: ['LAB_SECRET'] }],
    ['githubToken', { env: { NOTE: `ghp_${'a1B2'.repeat(9)}` } }],
  ] as const)(
    'passes a variable to the job unchanged, or rejects the job before anything is sent: %s',
    async (ability, changes) => {
      const outcome = await submitTo(bench.engine, spec('quick', changes));
      if (abilities[ability] === 'taken') expect(outcome).toMatchObject({ kind: 'submitted' });
      else {
        expect(outcome).toMatchObject({ kind: 'rejected', code: 'refused' });
        expect(await bench.engine.observe(bench.jobId, null)).toMatchObject({ kind: 'absent' });
      }
    },
  );
}
