/**
 * Only what was shown can be approved: the real chat workflow checks card, history, head and authors before
 * it accepts a line.
 */

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { type BotComment, listBotComments } from '../support/talk.ts';
import { push } from './attacks.ts';
import { type BundleWorld, bookmark, HOSTED, openBundleWorld, proposedIn, stateIn } from './bundle-world.ts';

const FILE = 'experiments/ferries/daily.py';

let lab: BundleWorld;
let run: string;
let pull: number;
let issue: number;
/** The approval line of the card when it was first shown. */
let line: string;
let rewind: () => Promise<void>;

beforeAll(async () => {
  lab = await openBundleWorld({ server: false });
  const state = await proposedIn(lab);
  ({ run } = state);
  ({ pull, issue } = state.proposal);
  line = requireApprovalLine(lab);
  await lab.runJobs();
  await lab.useRunners(HOSTED);
  lab.clock.advance(5_000);
  rewind = await bookmark(lab);
});
afterEach(() => rewind());
afterAll(() => lab.close());

function card(): BotComment {
  const found = listBotComments(lab).find(({ kind }) => kind === 'card');
  if (found === undefined) throw new Error('there is no card');
  return found;
}

/** Mira comments, and the chat workflow's job runs; returns its answer. */
async function answered(body: string): Promise<string> {
  const said = (await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body })) as { readonly id: number };
  await lab.runJobs();
  const answers = listBotComments(lab).filter(({ key }) => key === `comment-${said.id}`);
  return answers.map(({ text }) => text).join('\n');
}

// threat T73
it('the correct line on a falsified card is refused, the editor is named, and the card is restored', async () => {
  const { id, source } = card();
  const falsified = source.replace('**Wanted:', '| harmless | 1 | 2 |\n\n**Wanted:');
  await lab.as('ada', 'PATCH', `/issues/comments/${id}`, { body: falsified });
  lab.clock.advance(1_000);
  expect(await answered(line)).toContain('not approved');
  expect(card().text).not.toContain('harmless');
  const told = listBotComments(lab).filter(({ kind }) => kind === 'incident');
  expect(told.map(({ text }) => text)).toEqual([expect.stringContaining('ada changed it')]);
  expect(await stateIn(lab)).toMatchObject({ approvals: [], order: null });
});

/** Pushes a commit to the proposal; a second later mira comments the previous line. */
async function answeredAfterPushOf(who: string): Promise<string> {
  const branch = `ferrybot/proposal/${run}`;
  const text = await lab.git('show', `${branch}:${FILE}`);
  await push(lab, branch, { files: { [FILE]: `${text}\n# A remark of ${who}.\n` } }, who);
  lab.clock.advance(1_000);
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: 'A remark in the file.' });
  return answered(line);
}

// threat T94
it('a previous line right after a push is refused, and so is any line by the user who pushed', async () => {
  expect(await answeredAfterPushOf('ada')).toMatch(/not approved: .* is not what is shown now/);
  expect(await answeredAfterPushOf('mira')).toContain('this change is yours');
  expect(await stateIn(lab)).toMatchObject({ approvals: [], order: null });
});

it('the line of the current card is accepted (so that these tests can fail)', async () => {
  expect(await answered(line)).toContain('approved manifest');
  expect((await stateIn(lab))?.order?.status).toBe('open');
});
