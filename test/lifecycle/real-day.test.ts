/**
 * The same day twice: with real git, runner, bundle and training job, and on virtual time. The logbooks are
 * equal.
 */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobScript } from '../support/ferry-script.ts';
import { logbookText, playFerry } from '../support/play.ts';
import { recordLines } from '../support/run-record.ts';
import { type StartAnswer, startProcess } from '../support/start-process.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-day-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A job with the log and metrics of the real one, so that ferrybot's record of both can be compared. */
async function recordedJob(jobId: string): Promise<JobScript> {
  const log = await readFile(join(folder, 'jobs/jobs', jobId, 'log'), 'utf8');
  const lines = log.split('\n').filter((line) => line !== '');
  const metrics = await readFile(await metricsFile(join(folder, 'jobs/trees')), 'utf8');
  const endAtMs = 30 * 60_000;
  return {
    pendingMs: 0,
    lines: lines.map((text, index) => ({ atMs: Math.floor((index * endAtMs) / lines.length), text })),
    endAtMs,
    exitCode: 0,
    metrics: [{ atMs: endAtMs - 1, text: metrics }],
  };
}

async function metricsFile(tree: string): Promise<string> {
  const names = await readdir(tree, { recursive: true });
  const name = names.find((one) => one.endsWith('tracker_metrics.jsonl'));
  if (name === undefined) throw new Error(`the job left no metrics in ${tree}`);
  return join(tree, name);
}

/**
 * Ids, hashes, signatures and times; each is replaced by its field name, so that its position still counts.
 */
const MASKED =
  /^(at|baseSha|headSha|headAt|mergeBase|mergeBaseAt|subject|hash|sig|prev|seq|keys|comment|workflowRun|engineSession|session|pid|processStart|issuedAt|expiresAt|startedAt|endedAt|bodyDigest|body|digest|orderDigest|commit|sinceCommit|baseAt|fence|head|shownAt|text|shippedDigest|shippedFiles|workingDirectory)$/;
/** References to other events in a seal. */
const ATTESTED = /^(manifest|order|submitted|ended)$/;
/** A shortened commit id in a gate. */
const SHORT_COMMIT = /^[0-9a-f]{12}$/;

function masked(text: string, stateFolder: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown =>
      JSON.parse(line.replaceAll(stateFolder, '<state>'), (key, value: unknown) =>
        MASKED.test(key) || (ATTESTED.test(key) && typeof value !== 'object') || SHORT_COMMIT.test(String(value))
          ? `<${key}>`
          : value,
      ),
    )
    .filter((event) => !/"type":"observed"/.test(JSON.stringify(event)));
}

describe('the same ferry', () => {
  it('has the same logbook with real processes and on virtual time', async () => {
    const { code, answer } = await startProcess(folder).ended;
    expect(answer?.reason).toBeNull();
    expect(code).toBe(0);
    const [real] = (answer as StartAnswer).runs;
    const realLines = await recordLines(join(folder, 'logbook'), real?.run ?? '');
    const [first] = realLines;
    const script = await recordedJob(real?.jobId ?? '');
    const lab = await openVirtualLab({
      script: () => script,
      // The minute of the real proposal; on virtual time a person answers in the same instant, and GitHub dates
      // comments in whole seconds, so that an odd start would date the approval before what it approves.
      startMs: Math.floor(Date.parse(JSON.parse(first ?? '').at) / 60_000) * 60_000,
    });
    const { run } = await playFerry(lab);
    expect(run).toBe(real?.run);
    expect(masked(await logbookText(lab, run), '/state')).toEqual(masked(realLines.join('\n'), join(folder, 'jobs')));
    await lab.close();
  });
});
