/** Faults on a real Slurm cluster: each attempt starts at most once, and each end is reported correctly. */

import { access, mkdir, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askCluster, startDaemon } from '../../demo/slurm/cluster.ts';
import type { FoundJob, JobObservation, JobSpec, SubmitOutcome } from '../../src/domain/engine.ts';
import { isTerminal } from '../../src/domain/engine.ts';
import { jobPaths } from '../../src/engines/slurm/job-folder.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { createLossyPrograms, createStandIn } from '../support/lost-answers.ts';
import { describeWithSlurm, startTestCluster, type TestCluster } from '../support/slurm-cluster.ts';

describeWithSlurm('a real Slurm cluster with faults', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
    await mkdir(join(cluster.record.folder, 'tree'));
  });
  afterAll(() => cluster.close());

  const spec = (submissionId: string, command: readonly string[], env: JobSpec['env'] = {}): JobSpec => ({
    submissionId,
    command,
    env,
    workingDirectory: join(cluster.record.folder, 'tree'),
    metadata: { run: `run-${submissionId}`, attempt: 1, manifest: 'sha256:aa' },
  });
  const paths = (jobId: string) => jobPaths(cluster.jobs, jobId);
  const log = (jobId: string): Promise<string> => readFile(paths(jobId).log, 'utf8');
  const until = async (
    jobId: string,
    accept: (seen: JobObservation) => boolean,
    tries = 300,
  ): Promise<JobObservation> => {
    let seen: JobObservation = { kind: 'unknown', message: 'nobody has looked' };
    for (let look = 0; look < tries; look += 1) {
      seen = await cluster.engine().observe(jobId, null);
      if (accept(seen)) return seen;
      await sleep(300);
    }
    throw new Error(`the job never got there: ${JSON.stringify(seen)}`);
  };
  const ended = async (jobId: string): Promise<FoundJob> => {
    const seen = await until(jobId, (now) => now.kind === 'found' && isTerminal(now.status));
    if (seen.kind !== 'found') throw new Error(seen.kind);
    return seen;
  };
  /** Slurm reports RUNNING a moment before the command starts. */
  const begun = (jobId: string): Promise<JobObservation> =>
    until(jobId, (seen) => seen.kind === 'found' && seen.startedAtMs !== null);
  /** As a person with the account's permissions, in ways that the adapter never uses. */
  const byHand = async (command: string, ...args: readonly string[]): Promise<string> =>
    (await askCluster(cluster.record, command, args)) ?? '';
  const queuedIds = async (name: string): Promise<readonly string[]> =>
    (await byHand('squeue', '--noheader', '--states=all', `--name=${name}`, '--format=%i %T'))
      .split('\n')
      .filter(Boolean);
  const SAY_ONCE = (file: string): readonly string[] => ['bash', '-c', 'echo started >> "$1"', 'x', file];

  it('gives the job only its own environment, and leaves none of its values behind', async () => {
    process.env['CALLERS_SECRET'] = 'of-the-runner';
    const value = 'a,b $(id) `id`\n\'quoted\' "twice" \\ ünï';
    const env = { JOB_SECRET: value, command: 'x', folder: 'y', entry: 'z' };
    const job = spec('environment', [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'], env);
    expect((await submitTo(cluster.engine(), job)).kind).toBe('submitted');
    const end = await ended('environment');
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    const seen: Readonly<Record<string, string>> = JSON.parse(await log('environment'));
    expect(seen).toMatchObject({ ...env, FERRYBOT_SUBMISSION_ID: 'environment', LANG: 'C.UTF-8' });
    expect(Object.keys(seen).filter((name) => /CALLERS|PYENV|EXPORT|GITHUB|BASH/.test(name))).toEqual([]);
    expect(seen['HOME']).toBe(join(paths('environment').folder, 'home'));
    await rm(paths('environment').log);
    expect(await filesWith(cluster.record.folder, 'quoted')).toEqual([]);
  });

  it('starts an attempt once when the answer to sbatch is lost, and adopts it', async () => {
    const file = join(cluster.record.folder, 'lost');
    const lost = await createLossyPrograms(cluster);
    expect((await submitTo(cluster.engine(lost), spec('lost', SAY_ONCE(file)))).kind).toBe('submitted');
    expect((await submitTo(cluster.engine(), spec('lost', SAY_ONCE(file)))).kind).toBe('adopted');
    await ended('lost');
    expect(await readFile(file, 'utf8')).toBe('started\n');
    expect(await queuedIds('lost')).toHaveLength(1);
  });

  let round = 0;
  it('cancels a doubled submit while it is pending, and the wrapper does not start an unnoticed one', async () => {
    // A retry uses new names, because jobs under the old names would be adopted.
    round += 1;
    const [doubled, late] = [`doubled-${round}`, `late-${round}`];
    const file = join(cluster.record.folder, doubled);
    const twice = await createStandIn(cluster, 'sbatch', 'REAL "$@" > /dev/null; REAL "$@" > /dev/null; REAL "$@"');
    const job = spec(doubled, ['bash', '-c', 'echo started >> "$1"; sleep 3', 'x', file]);
    expect((await submitTo(cluster.engine(twice), job)).kind).toBe('submitted');
    expect(await ended(doubled)).toMatchObject({ status: 'SUCCEEDED' });
    const all = await queuedIds(doubled);
    expect(all).toHaveLength(3);
    expect(all.filter((line) => line.endsWith('CANCELLED'))).toHaveLength(2);
    // Nothing cancels these: the second one finds the start already taken.
    const lateFile = join(cluster.record.folder, late);
    await submitTo(cluster.engine(), spec(late, SAY_ONCE(lateFile)));
    await ended(late);
    const { folder, wrapper } = paths(late);
    const comment = await byHand('squeue', '--noheader', '--states=all', `--name=${late}`, '--format=%k');
    const id = await byHand(
      'sbatch',
      '--parsable',
      `--job-name=${late}`,
      `--comment=${comment.trim()}`,
      '--export=NIL',
      `--output=${folder}/slurm-%j.out`,
      wrapper,
      folder,
      'once',
    );
    const said = join(folder, `slurm-${id.trim()}.out`);
    // Slurm creates the file before it writes to it.
    const isSaid = async (): Promise<boolean> =>
      (await isThere(said)) && (await readFile(said, 'utf8')).includes('nothing is started');
    for (let look = 0; look < 100 && !(await isSaid()); look += 1) await sleep(200);
    expect(await readFile(said, 'utf8')).toMatch(/has this run: nothing is started/);
    expect(await readFile(lateFile, 'utf8')).toBe('started\n');
    expect(await ended(late)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('reports a time limit, a cancel by a person, and a signal as such', async () => {
    const sleeping = ['sleep', '600'];
    await submitTo(cluster.engine(), spec('cancelled', sleeping));
    await begun('cancelled');
    await byHand('scancel', '--name=cancelled');
    expect(await ended('cancelled')).toMatchObject({
      status: 'STOPPED',
      exitCode: null,
      details: { slurmState: 'CANCELLED' },
      message: expect.stringMatching(/CANCELLED AT/),
    });
    await submitTo(cluster.engine(), spec('killed', ['bash', '-c', 'kill -SEGV $$']));
    expect(await ended('killed')).toMatchObject({ status: 'FAILED', exitCode: null, details: { signal: '11' } });
    await submitTo(cluster.engine({ timeLimit: '1' }), spec('limited', sleeping));
    await begun('limited');
    expect(await ended('limited')).toMatchObject({
      status: 'FAILED',
      errorType: 'TIMEOUT',
      message: expect.stringMatching(/DUE TO TIME LIMIT/),
    });
  });

  it('waits for a drained node, names it with its reason, and stops a job that never started', async () => {
    await byHand('scontrol', 'update', 'nodename=localhost', 'state=drain', 'reason=bad gpu');
    try {
      expect((await submitTo(cluster.engine(), spec('waits', ['true']))).kind).toBe('submitted');
      const seen = await until('waits', (now) => now.kind === 'found' && /drained/.test(now.message));
      expect(seen).toMatchObject({
        status: 'PENDING',
        details: { reason: expect.stringMatching(/ReqNodeNotAvail|Resources/) },
        message: expect.stringMatching(/localhost is drained \(bad gpu\)/),
      });
      expect((await stat(paths('waits').environment)).mode & 0o777).toBe(0o600);
      expect(await stopIn(cluster.engine(), 'waits')).toEqual({ kind: 'stopped' });
      await expect(stat(paths('waits').environment)).rejects.toThrow(/ENOENT/);
    } finally {
      await byHand('scontrol', 'update', 'nodename=localhost', 'state=resume');
    }
  });

  it('reports unknown while the controller is down, and continues when it is back', async () => {
    await submitTo(cluster.engine(), spec('survivor', ['sleep', '30']));
    await begun('survivor');
    // The controller saves its state every five seconds.
    await sleep(6_000);
    await killDaemon(cluster, 'slurmctld');
    expect(await cluster.engine().observe('survivor', null)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/Unable to contact slurm controller/),
    });
    expect(await cluster.engine().session()).toMatchObject({ kind: 'unknown' });
    expect(await submitTo(cluster.engine(), spec('meanwhile', ['true']))).toMatchObject({ kind: 'unknown' });
    await startDaemon(cluster.record, 'slurmctld');
    const survivor = await ended('survivor');
    expect(survivor).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    let outcome: SubmitOutcome = { kind: 'unknown', message: '' };
    for (let tries = 0; tries < 20 && outcome.kind === 'unknown'; tries += 1)
      outcome = await submitTo(cluster.engine(), spec('meanwhile', ['true']));
    expect(['submitted', 'adopted']).toContain(outcome.kind);
    await ended('meanwhile');
  });

  it('is rejected if the cluster rejects it, and leaves the id free', async () => {
    const outcome = await submitTo(cluster.engine({ partition: 'nowhere' }), spec('refused', ['true']));
    expect(outcome).toMatchObject({
      kind: 'rejected',
      code: 'refused',
      message: expect.stringMatching(/nowhere|partition/i),
    });
    expect(await cluster.engine().observe('refused', null)).toMatchObject({ kind: 'absent' });
    expect((await submitTo(cluster.engine(), spec('refused', ['true']))).kind).toBe('submitted');
    await ended('refused');
  });

  it("does not adopt a job array or a person's job of the same name", async () => {
    await byHand('sbatch', '--job-name=taken', '--array=1-2', '--output=/dev/null', '--wrap=sleep 20');
    expect(await submitTo(cluster.engine(), spec('taken', ['true']))).toEqual({ kind: 'conflict', found: null });
    await byHand('scancel', '--name=taken');
    await byHand('sbatch', '--job-name=persons', '--output=/dev/null', '--wrap=sleep 20');
    expect(await submitTo(cluster.engine(), spec('persons', ['true']))).toEqual({ kind: 'conflict', found: null });
    await byHand('scancel', '--name=persons');
  });

  it('sees a log that was truncated', async () => {
    await submitTo(cluster.engine(), spec('rotated', ['echo', 'a line of the log']));
    await ended('rotated');
    const { log: path } = paths('rotated');
    expect(await cluster.engine().readLog('rotated', 6)).toMatchObject({ kind: 'chunk', nextOffset: 18 });
    await truncate(path, 3);
    expect(await cluster.engine().readLog('rotated', 18)).toEqual({ kind: 'rewound', sizeBytes: 3 });
  });

  it('reads a forgotten job from its own record, and reports unknown without one', async () => {
    await submitTo(cluster.engine(), spec('forgotten', ['bash', '-c', 'exit 7']));
    const { folder, seen } = paths('forgotten');
    const claim = join(folder, 'job.json');
    for (let look = 0; look < 100 && !(await readdir(folder)).includes('end-0.json'); look += 1) await sleep(200);
    await rm(seen, { force: true });
    const nothing = await createStandIn(cluster, 'squeue', 'exit 0');
    expect(await cluster.engine(nothing).observe('forgotten', null)).toMatchObject({
      status: 'FAILED',
      exitCode: 7,
      details: { slurmState: 'forgotten' },
    });
    await rm(join(folder, 'end-0.json'));
    expect(await cluster.engine(nothing).observe('forgotten', null)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(/nothing says how it ended/),
    });
    await rm(claim);
    expect(await cluster.engine(nothing).observe('forgotten', 'rehearsal')).toMatchObject({ kind: 'state-lost' });
  });
});

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  return files.filter((_, index) => texts[index]?.includes(text));
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function killDaemon({ record }: TestCluster, daemon: string): Promise<void> {
  const pid = Number(await readFile(join(record.folder, `${daemon}.pid`), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await sleep(500);
}
