/**
 * Code hidden in the one file that a ferry may change, with the real bundle: the card is not ready and
 * nothing starts.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { push } from './attacks.ts';
import {
  type BundleWorld,
  bookmark,
  HOSTED,
  LAUNCHER,
  openBundleWorld,
  proposedIn,
  shownIn,
  startedIn,
} from './bundle-world.ts';

const EXPERIMENT = 'experiments/ferries/daily.py';
const EVIL = "print('ADA OWNS THE CLUSTER')";

let lab: BundleWorld;
let branch: string;
let proposal: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  lab = await openBundleWorld({ server: true });
  branch = `ferrybot/proposal/${(await proposedIn(lab)).run}`;
  proposal = await lab.git('show', `${branch}:${EXPERIMENT}`);
  await lab.useRunners(HOSTED, LAUNCHER);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

// threat T68
it.each([
  [
    'an encoding behind a line separator in a comment',
    (text: string) =>
      `# Daily ferry of the lab.\u2028 coding: raw_unicode_escape\n# calibrated \\u000a${EVIL}\n${text}\n`,
    'unparsable',
  ],
  ['the annotation of a new constant', (text: string) => `${text}\nNOTE: exec("${EVIL}") = 1\n`, 'structural'],
  [
    'an argument of a call in an assignment target',
    (text: string) => `${text}\nvars(exec("${EVIL}") or train_config)["note"] = 1\n`,
    'structural',
  ],
  [
    'an argument of a call with an assigned attribute',
    (text: string) => `${text}\nResourceConfig.with_tpu(exec("${EVIL}") or "v5p-8").note = 1\n`,
    'structural',
  ],
])(
  'the gate rejects %s',
  async (_, hide, kind) => {
    await push(lab, branch, { files: { [EXPERIMENT]: hide(proposal) } });
    const { gate, proposal: proposed } = await shownIn(lab);
    const readable = gate?.verdicts.find((one) => one.gate === 'delta-readable');
    expect(JSON.stringify(readable)).toContain(kind);
    expect(readable?.outcome).toBe('fail');
    expect(gate?.digest ?? null).toBeNull();
    const body = '/approve-launch';
    await lab.as('mira', 'POST', `/issues/${proposed.pull}/comments`, { body });
    await lab.sweep();
    expect(await lab.runJobs()).not.toContain('submitted');
    expect(await startedIn(lab)).toEqual([]);
  },
  120_000,
);
