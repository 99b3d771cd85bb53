/**
 * Submits on a real Slurm cluster while controller, runner and answers fail at random: each attempt starts
 * once, and its end is reported correctly.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askCluster, isReady, startDaemon } from '../../demo/slurm/cluster.ts';
import { isTerminal, type JobSpec, type SubmitOutcome } from '../../src/domain/engine.ts';
import { stopIn, submitTo } from '../support/capabilities.ts';
import { createLossyPrograms } from '../support/lost-answers.ts';
import { describeWithSlurm, startTestCluster, type TestCluster } from '../support/slurm-cluster.ts';

/** 200 on demand (`FERRYBOT_SLURM_SUBMITS=200`), this many in CI. */
const SUBMITS = Number(process.env['FERRYBOT_SLURM_SUBMITS'] ?? 20);
const TIMEOUT_MS = SUBMITS * 60_000;
const RUNNER = join(import.meta.dirname, '../support/submit-on-slurm.ts');

describeWithSlurm('a real Slurm cluster that dies', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
    await mkdir(join(cluster.record.folder, 'tree'));
  });
  afterAll(() => cluster.close());

  it(
    `starts each of ${SUBMITS} attempts at most once`,
    async () => {
      const random = randomFrom(Number(process.env['FERRYBOT_SLURM_SEED'] ?? 1));
      const lost = await createLossyPrograms(cluster);
      const starts = join(cluster.record.folder, 'starts');
      const specOf = (index: number): JobSpec => ({
        submissionId: `many-${index}`,
        command: ['bash', '-c', 'echo "$1" >> "$2"; exit "$3"', 'x', `many-${index}`, starts, String(index % 3)],
        env: {},
        workingDirectory: join(cluster.record.folder, 'tree'),
        metadata: { run: `run-${index}`, attempt: 1, manifest: 'sha256:aa' },
      });
      // The timeout of sbatch is shorter than a test can wait.
      const settings = { commandTimeoutMs: 12_000 };
      for (let index = 0; index < SUBMITS; index += 1) {
        await resumeNode(cluster);
        const spec = specOf(index);
        const fault = ['none', 'answer', 'runner', 'controller'][Math.floor(random() * 4)];
        if (fault === 'answer') await submitTo(cluster.engine({ ...settings, ...lost }), spec);
        if (fault === 'runner') await killedRunner(cluster, spec, random() * 1_500);
        if (fault === 'controller') {
          const dying = sleep(random() * 300).then(() => killController(cluster));
          await Promise.all([submitTo(cluster.engine(settings), spec), dying]);
          await revive(cluster);
        }
        // As a launcher does: repeats until the outcome is known, before the queue has forgotten the job.
        let outcome: SubmitOutcome = { kind: 'unknown', message: '' };
        for (let tries = 0; tries < 30 && outcome.kind === 'unknown'; tries += 1) {
          outcome = await submitTo(cluster.engine(settings), spec);
          if (outcome.kind === 'unknown') await sleep(1_000);
        }
        expect([outcome.kind, index], JSON.stringify({ fault, outcome })).toEqual([
          expect.stringMatching(/submitted|adopted/),
          index,
        ]);
      }
      const ends: End[] = [];
      for (let index = 0; index < SUBMITS; index += 1) ends.push(await endOf(cluster, `many-${index}`));
      const said = (await readFile(starts, 'utf8')).trim().split('\n');
      expect(said.length).toBe(new Set(said).size);
      for (const [index, end] of ends.entries()) {
        const code = index % 3;
        const hasStarted = said.includes(`many-${index}`);
        // A controller that lost its last seconds may end a job that it does not remember as started,
        // reported as cancelled. Or it fails a job on a lost node, which reports that it never started.
        const expected = hasStarted
          ? [`${code === 0 ? 'SUCCEEDED' : 'FAILED'} ${code}`, 'STOPPED null']
          : ['STOPPED null', 'FAILED null NODE_FAIL', 'FAILED null JOB_ENTRYPOINT_COMMAND_START_ERROR'];
        expect(expected, `many-${index}: ${end.seen}`).toContain(
          hasStarted || end.errorType === null ? end.text : `${end.text} ${end.errorType}`,
        );
      }
    },
    TIMEOUT_MS,
  );
});

/** `text`: status and exit code; `seen`: the whole observation, for error messages. */
type End = { readonly text: string; readonly errorType: string | null; readonly seen: string };

async function endOf(cluster: TestCluster, jobId: string): Promise<End> {
  let last = '';
  for (let look = 0; look < 400; look += 1) {
    if (look % 25 === 24) await resumeNode(cluster);
    const seen = await cluster.engine().observe(jobId, null);
    last = JSON.stringify(seen);
    if (seen.kind === 'found' && isTerminal(seen.status))
      return { text: `${seen.status} ${seen.exitCode}`, errorType: seen.errorType, seen: last };
    // A controller that died had accepted the job and lost it: a stop ensures that it never starts.
    if (look > 10 && seen.kind === 'unknown' && /which has not begun/.test(seen.message))
      await stopIn(cluster.engine(), jobId);
    await sleep(200);
  }
  throw new Error(`${jobId} never ended: ${last}`);
}

/** A runner that is killed during a submit. */
async function killedRunner(cluster: TestCluster, spec: JobSpec, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [RUNNER], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(JSON.stringify({ cluster: cluster.config({ commandTimeoutMs: 12_000 }), spec }));
  const gone = once(child, 'exit');
  await sleep(300 + afterMs);
  child.kill('SIGKILL');
  await gone;
}

async function killController({ record }: TestCluster): Promise<void> {
  process.kill(Number(await readFile(join(record.folder, 'slurmctld.pid'), 'utf8')), 'SIGKILL');
  await sleep(300);
}

/** Slurm drains a node on which it finds a forgotten job: an administrator resumes it. */
async function resumeNode({ record }: TestCluster): Promise<void> {
  await askCluster(record, 'scontrol', ['update', 'nodename=localhost', 'state=resume']);
}

async function revive(cluster: TestCluster): Promise<void> {
  const { record } = cluster;
  await startDaemon(record, 'slurmctld');
  for (let look = 0; look < 300; look += 1) {
    await resumeNode(cluster);
    if (await isReady(record)) return;
    await sleep(200);
  }
  throw new Error('the controller does not come back');
}

/**
 * The same faults for the same seed: mulberry32, a generator of 32 bits by Tommy Ettinger (public domain).
 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
