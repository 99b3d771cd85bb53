/**
 * A lab with its own fixer, a real program, up to the end of a job with an error that ferrybot cannot fix.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFixerRunner } from '../../src/app/fixer/fix-mode.ts';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { ferryScript } from './ferry-script.ts';
import { approve, propose, readState, until } from './play.ts';
import { pushFile, readBranchFile, SHORT_FERRY } from './talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from './virtual-lab.ts';

export const MINUTE = 60_000;
export const SCHEDULE = 'lib/smalllab/schedule.py';
export const REPORT = 'lib/smalllab/report.py';
export const TEXT = '"""How the rate falls."""\n\nimport json\n\nHALF_TURN = turn_by_half\nprint(json)\n';
export const MENDED = TEXT.replace('turn_by_half', '3.14159');
const LOG = `Traceback (most recent call last):
  File "/tmp/job/experiments/ferries/daily.py", line 12, in <module>
    from smalllab.train import default_train
  File "/tmp/job/${SCHEDULE}", line 5, in <module>
    HALF_TURN = turn_by_half
NameError: name 'turn_by_half' is not defined`;

/** In the format of `git diff`. */
export const PATCH = `diff --git a/${SCHEDULE} b/${SCHEDULE}
index 1234567..89abcde 100644
--- a/${SCHEDULE}
+++ b/${SCHEDULE}
@@ -3,4 +3,4 @@ import something
 import json
 
-HALF_TURN = turn_by_half
+HALF_TURN = 3.14159
 print(json)
`;

export type Play = VirtualLabOptions & {
  /** The lab's program in Python; its input is the variable `asked`. */
  readonly program: string;
  readonly timeoutMs?: number;
  /** Replaces the schedule: the file with the error, which the lane pre-approves. */
  readonly preApproved?: string;
  readonly meanwhile?: (played: { readonly lab: VirtualLab; readonly run: string }) => Promise<void>;
};

export const ANSWER = `sys.stdout.write('''${PATCH}''')`;

/** Open labs and folders of the current test. */
const open: { labs: VirtualLab[]; folders: string[] } = { labs: [], folders: [] };

/** Closes every lab of a test, and removes its programs. */
export async function closeFixerLabs(): Promise<void> {
  for (const lab of open.labs.splice(0)) await lab.close();
  for (const folder of open.folders.splice(0)) await rm(folder, { recursive: true });
}

/** A Python program with its input in the variable `asked`. */
export async function writeProgram(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-lab-fixer-'));
  open.folders.push(folder);
  const path = join(folder, 'fix.py');
  await writeFile(path, `import json, os, sys, time\nasked = json.load(sys.stdin)\n${program}\n`);
  return path;
}

/** Plays such a lab until the first attempt has ended and ferrybot has reacted. */
export async function playFailure({ program, timeoutMs = 20_000, preApproved, meanwhile, ...options }: Play) {
  const slipped = preApproved ?? SCHEDULE;
  const path = await writeProgram(program);
  let started = 0;
  const opened = await openVirtualLab({
    fixer: createFixerRunner(process.env['PATH'] ?? ''),
    ...options,
    config: (text) =>
      text
        .replace('    fixer: null\n', `    fixer: { command: [python3, '${path}'], timeoutMs: ${timeoutMs} }\n`)
        .replace(/preApprovedFixes: .*/, `preApprovedFixes: [${preApproved ?? ''}]`),
    script: () => {
      started += 1;
      return ferryScript({
        ...SHORT_FERRY,
        failAt: started > 1 ? null : { step: 1, line: LOG.replace(SCHEDULE, slipped), exitCode: 1 },
      });
    },
  });
  open.labs.push(opened);
  await pushFile(opened, 'ada', 'main', slipped, TEXT);
  await opened.clock.advance(MINUTE);
  const proposed = await propose(opened);
  await approve(opened, 'mira', proposed.pull);
  await until(opened, 'the job', async () => (await readState(opened, proposed.run))?.submission != null);
  await meanwhile?.({ lab: opened, ...proposed });
  await until(opened, 'the end', async () => (await readState(opened, proposed.run))?.end != null, { stepMs: 10_000 });
  await opened.clock.advance(5 * MINUTE);
  const now = () => readState(opened, proposed.run);
  const tries = async () => {
    const incidents = (await now())?.incidents ?? [];
    return {
      made: filterIncidents(incidents, 'fix-made').map(({ detail }) => detail),
      not: filterIncidents(incidents, 'fix-not-made').map(({ detail }) => detail.reason),
    };
  };
  const branch = `ferrybot/proposal/${proposed.run}`;
  return { lab: opened, ...proposed, now, tries, branch, file: () => readBranchFile(opened, branch, slipped) };
}

/** The runs of the fixer's workflow. */
export function countFixerRuns({ world }: VirtualLab): number {
  return Object.values(world.state.runs).filter(({ displayTitle }) => displayTitle.startsWith('ferrybot fix')).length;
}
