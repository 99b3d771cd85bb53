/** The files that a rehearsal leaves in its folder: a checkout of the logbook, and each run's manifest. */

import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { gitEnvironment } from '../packages/playground/git/store/git-environment.ts';
import { FERRYBOT } from './beside.ts';
import type { LogbookEntry } from './logbook-events.ts';
import { readLogbook } from './logbook-events.ts';
import type { OpenedLab } from './open-lab.ts';
import { REPOSITORY } from './seed-lab.ts';

export type LeftRun = {
  readonly run: string;
  readonly kind: string;
  readonly lane: string;
  readonly jobId: string;
  readonly digest: string;
  readonly manifest: string;
  /** The run whose configuration it started from. */
  readonly base: string | null;
  /** The changes against that run, or against the target branch if the run started from there. */
  readonly delta: readonly LeftChange[];
};

const change = z.object({ knob: z.string(), before: z.string().nullable(), after: z.string().nullable() });
type LeftChange = z.infer<typeof change>;

const eventShape = z.object({
  manifest: z.object({
    delta: z.array(change),
    base: z.object({ run: z.string(), changes: z.array(change) }).optional(),
  }),
});

/** Rewrites the folder's `logbook/`, and `manifests/<run>.json` for every run that has a manifest. */
export async function recordLeftRuns(
  lab: OpenedLab,
): Promise<{ readonly runs: readonly LeftRun[]; readonly sealTags: readonly string[] }> {
  const logbook = await readLogbook(lab.world);
  if (logbook.size === 0) return { runs: [], sealTags: [] };
  const { folder } = lab;
  await rm(folder.logbook, { recursive: true, force: true });
  const repository = join(folder.repositories, REPOSITORY.owner, `${REPOSITORY.name}.git`);
  await readOutput(
    'git',
    ['clone', '--quiet', '--branch', 'ferrybot/logbook', '--single-branch', repository, folder.logbook],
    gitEnvironment([]),
  );
  const runs: LeftRun[] = [];
  for (const [run, events] of logbook) {
    const digest = readField(events, 'gated', 'digest');
    if (digest === '' || digest === 'null') continue;
    const manifest = join(folder.manifests, `${run}.json`);
    const text = await readOutput(process.execPath, [FERRYBOT, 'manifest', run, '--dir', folder.root, '--json'], {
      PATH: process.env['PATH'] ?? '',
    });
    await writeFile(manifest, text);
    const { base, delta } = eventShape.parse(JSON.parse(text)).manifest;
    runs.push({
      run,
      kind: runKind(events),
      lane: readField(events, 'proposed', 'lane'),
      jobId: readField(events, 'submitted', 'jobId'),
      digest,
      manifest,
      base: base?.run ?? null,
      delta: base?.changes ?? delta,
    });
  }
  const sealTags = [...logbook.values()]
    .map((events) => readField(events, 'sealed', 'tag'))
    .filter((tag) => tag !== '');
  return { runs, sealTags };
}

/** A run without a kind is a ferry. */
function runKind(events: readonly LogbookEntry[]): string {
  return String(events.find(({ type }) => type === 'proposed')?.data['kind'] ?? 'ferry');
}

function readField(events: readonly LogbookEntry[], type: string, name: string): string {
  return String(events.findLast((event) => event.type === type)?.data[name] ?? '');
}

async function readOutput(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${file} ${args[0] ?? ''} ended with ${code}`)),
    );
  });
}
