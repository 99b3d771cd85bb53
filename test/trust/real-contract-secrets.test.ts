/**
 * A secret typed into a hero contract, with the real bundle: it is in the issue, but in nothing that ferrybot
 * writes.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ANSWERS, formBody, HERO_LANE } from '../support/hero-run.ts';
import { findLeaks, TYPED_SECRETS } from '../support/leaks.ts';
import { listOpenGates } from '../support/own-pull.ts';
import { type BundleWorld, bookmark, openBundleWorld, stateIn } from './bundle-world.ts';

let lab: BundleWorld;
let rewind: () => Promise<void>;
let printed = '';

beforeAll(async () => {
  lab = await openBundleWorld({ server: false, config: [['\nlanes:\n', `\nlanes:\n${HERO_LANE}`]] });
  await lab.runJobs();
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

async function look(): Promise<void> {
  lab.clock.advance(5_000);
  await lab.as('ada', 'POST', '/actions/workflows/ferrybot-chat.yml/dispatches', { ref: 'main' });
  printed += await lab.runJobs();
}

/** Every version of every file of the record, the messages of its commits, and its tags. */
const record = (): Promise<string> =>
  lab.git('log', '-p', '--format=%B', 'refs/heads/ferrybot/logbook', '--glob=refs/tags/ferry');

// threat T211
it.each(Object.entries(TYPED_SECRETS).filter(([name]) => name !== 'LAB_PASSWORD'))(
  '%s=… blocks the launch, is in no record, comment, check or log, and the edited contract passes',
  async (name, value) => {
    printed = '';
    const answers = { ...ANSWERS, 'Source SHA': (await lab.git('rev-parse', 'main')).trim() };
    const body = formBody({ ...answers, Command: `${name}=${value} ${ANSWERS['Command']}` });
    const labels = ['experiment', 'hero-run'];
    const issue = { title: '[Hero run] Grug MoE 1e23 ep8', body, labels };
    const { number } = (await lab.as('ada', 'POST', '/issues', issue)) as { readonly number: number };
    printed += await lab.runJobs();
    await look();
    const state = await stateIn(lab);
    expect(state?.run).toBe('grug-moe-1e23-ep8');
    expect(state === undefined ? null : listOpenGates(state)).toContain('contract-complete incomplete');
    expect(state?.contract?.['command']).toMatchObject({ value: '', source: 'unclear' });
    const text = await record();
    expect(text).toContain(`a text without the secret in ${name}`);
    expect(findLeaks(lab.world, text, value, printed)).toEqual([]);
    await lab.as('ada', 'PATCH', `/issues/${number}`, { body: formBody(answers) });
    await look();
    expect((await stateIn(lab))?.gate?.digest).toMatch(/^sha256:/);
    expect(findLeaks(lab.world, await record(), value, printed)).toEqual([]);
  },
  120_000,
);
