/**
 * The second card with the real bundle, without an App: a writer hides the card, and a workflow posts an
 * earlier one with the current digest under the same account.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../../demo/seed-lab.ts';
import { mintWorkflowToken } from '../../packages/playground/identity/tokens.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { type BotComment, listBotComments } from '../support/talk.ts';
import { hideAs } from '../support/workflow-voice.ts';
import { push } from './attacks.ts';
import { type BundleWorld, HOSTED, LAUNCHER, openBundleWorld, proposedIn, startedIn, stateIn } from './bundle-world.ts';

const FILE = 'experiments/ferries/daily.py';
let lab: BundleWorld;
let run: string;
let pull: number;
let issue: number;
/** The approved line. */
let line: string;

beforeAll(async () => {
  lab = await openBundleWorld({ server: false });
  const state = await proposedIn(lab);
  ({ run } = state);
  ({ pull, issue } = state.proposal);
  await lab.runJobs();
  lab.clock.advance(5_000);
});
afterAll(() => lab.close());

function card(): BotComment {
  const found = listBotComments(lab).find(({ kind }) => kind === 'card');
  if (found === undefined) throw new Error('there is no card');
  return found;
}

/** A request with the token of a workflow job that ada pushed. */
async function asWorkflow(method: string, path: string, body?: object): Promise<{ readonly id: number }> {
  const repoId = Object.values(lab.world.state.repos)[0]?.id ?? 0;
  const job = { id: 999_999, repoId } as Parameters<typeof mintWorkflowToken>[1];
  const { token } = mintWorkflowToken(lab.world, job, { issues: 'write', pull_requests: 'write' });
  const url = `${lab.world.baseUrl}/api/v3/repos/${REPOSITORY.owner}/${REPOSITORY.name}${path}`;
  const response = await lab.world.fetch(
    new Request(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? { id: 0 } : ((await response.json()) as { readonly id: number });
}

/** mira copies the line; returns the answer of the chat workflow's job. */
async function answered(): Promise<string> {
  const body = requireApprovalLine(lab);
  const said = (await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body })) as { readonly id: number };
  await lab.runJobs();
  const answers = listBotComments(lab).filter(({ key }) => key === `comment-${said.id}`);
  return answers.map(({ text }) => text).join('\n');
}

// threat T90
it('a copy of an earlier card blocks approvals until it is deleted and the hidden card is visible again', async () => {
  await lab.useRunners(HOSTED);
  const before = { text: card().text, line: requireApprovalLine(lab) };
  const branch = `ferrybot/proposal/${run}`;
  const file = await lab.git('show', `${branch}:${FILE}`);
  await push(lab, branch, { files: { [FILE]: `${file}\n# A remark of ada.\n` } }, 'ada');
  lab.clock.advance(1_000);
  await lab.as('ada', 'POST', `/issues/${issue}/comments`, { body: 'A remark in the file.' });
  // Without a server, a sweep finds the push.
  await lab.as('ada', 'POST', '/actions/workflows/ferrybot-chat.yml/dispatches', { ref: 'main' });
  await lab.runJobs();
  lab.clock.advance(5_000);
  expect(requireApprovalLine(lab)).not.toBe(before.line);
  await hideAs(lab, 'ada', card().id);
  const copy = before.text.replaceAll(before.line, requireApprovalLine(lab));
  const { id } = await asWorkflow('POST', `/issues/${pull}/comments`, { body: copy });
  await lab.runJobs();
  lab.clock.advance(5_000);
  expect(await answered()).toMatch(new RegExp(`not approved.*Delete or hide the comment at .*#issuecomment-${id}\\)`));
  expect(await stateIn(lab)).toMatchObject({ approvals: [], order: null });
  expect(await startedIn(lab)).toEqual([]);
  const told = listBotComments(lab).filter(({ kind }) => kind === 'incident');
  expect(told.map(({ text }) => text)).toEqual([expect.stringContaining('`hidden`')]);
  expect(lab.world.state.comments[card().id]?.minimizedReason).toBeNull();
  await asWorkflow('DELETE', `/issues/comments/${id}`);
  lab.clock.advance(5_000);
  line = requireApprovalLine(lab);
  expect(await answered()).toContain('approved manifest');
});

// threat T91
it("a comment edited into a second card after control's check is refused by the launcher", async () => {
  const before = await stateIn(lab);
  expect(before?.order?.status).toBe('open');
  const note = Object.values(lab.world.state.comments).find(({ body }) => body === 'A remark in the file.');
  await asWorkflow('PATCH', `/issues/comments/${note?.id}`, { body: `# Ready\n\n\`${line}\`` });
  await lab.useRunners(HOSTED, LAUNCHER);
  await lab.runJobs();
  expect((await stateIn(lab))?.incidents.at(-1)).toMatchObject({
    code: 'runner-refused',
    detail: { reason: 'second-card' },
  });
  expect(await startedIn(lab)).toEqual([]);
});
