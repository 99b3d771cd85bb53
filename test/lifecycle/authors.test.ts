/**
 * Approvals by authors are refused: by a person who pushed, committed or edited the proposal, under any name.
 */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine } from '../support/approve.ts';
import { propose, readState } from '../support/play.ts';
import {
  listAnswersTo,
  MINUTE,
  postComment,
  pushExperiment,
  readBody,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const FILE = 'experiments/ferries/daily.py';
const ADA = { name: 'Ada Lindqvist', email: 'ada@lab.example' };

async function proposed(config?: (text: string) => string) {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...(config === undefined ? {} : { config }) });
  return { lab, ...(await propose(lab)) };
}

/** What a user with write permission can do by pushing a workflow: a request as `github-actions[bot]`. */
async function asWorkflow(lab: VirtualLab, method: string, path: string, body: object): Promise<void> {
  const { world } = lab;
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) throw new Error('there is no repository');
  const permissions = { contents: 'write', issues: 'write', pull_requests: 'write' } as const;
  const token = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';
  const expiresAtMs = world.clock.now() + MINUTE;
  world.state.tokens[token] = { kind: 'workflow', repoId: repo.id, runId: 1, permissions, expiresAtMs };
  const answer = await world.fetch(
    new Request(`${world.baseUrl}/api/v3/repos/${repo.owner}/${repo.name}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

/** The experiment with one added comment line, as a commit under the given author. */
async function commit(lab: VirtualLab, run: string, more: object): Promise<object> {
  const branch = `ferrybot/proposal/${run}`;
  const text = `${await readBranchFile(lab, branch, FILE)}# as before\n`;
  const { sha } = (await lab.as('ada', 'GET', `/contents/${FILE}?ref=${branch}`)) as { readonly sha: string };
  const content = Buffer.from(text).toString('base64');
  return { message: 'A line', content, branch, sha, ...more };
}

async function approvedBy(lab: VirtualLab, who: 'mira' | 'ada', pull: number): Promise<string> {
  await lab.clock.advance(MINUTE);
  const line = findShownApprovalLine(lab) ?? `/approve-launch ${'a'.repeat(64)}`;
  const comment = await postComment(lab, who, pull, line);
  await lab.clock.advance(MINUTE);
  return listAnswersTo(lab, comment).join('\n');
}

describe('an approval by an author', () => {
  it("is refused if the approver pushed a commit under another user's name", async () => {
    const { lab, run, pull } = await proposed();
    await lab.as('mira', 'PUT', `/contents/${FILE}`, await commit(lab, run, { author: ADA, committer: ADA }));
    expect(await approvedBy(lab, 'mira', pull)).toContain('this change is yours');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.close();
  });

  // threat T33
  it('is refused if the approver edited the issue', async () => {
    const { lab, run, pull, issue } = await proposed();
    await lab.as('mira', 'PATCH', `/issues/${issue}`, { body: `${readBody(lab, issue)}\n\nRead this first.` });
    expect(await approvedBy(lab, 'mira', pull)).toContain('this change is yours');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.close();
  });

  it('is refused if the approver edited the description, even if another user edited it later', async () => {
    const { lab, run, pull } = await proposed();
    await lab.as('mira', 'PATCH', `/pulls/${pull}`, { body: `${readBody(lab, pull)}\n\nRead this first.` });
    await lab.as('ada', 'PATCH', `/pulls/${pull}`, { body: `${readBody(lab, pull)}\n\nAnd this.` });
    expect(await approvedBy(lab, 'mira', pull)).toContain('this change is yours');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.close();
  });
});

describe('a change without a known author', () => {
  // threat T47
  it.each([
    ['an edit of the description', (pull: number) => `/pulls/${pull}`],
    ['an edit of the issue', (_: number, issue: number) => `/issues/${issue}`],
  ])('blocks approval after %s through a workflow, until the original text is restored', async (_, pathOf) => {
    const { lab, run, pull, issue } = await proposed();
    const path = pathOf(pull, issue);
    const before = readBody(lab, path.startsWith('/pulls') ? pull : issue);
    await asWorkflow(lab, 'PATCH', path, { body: `${before}\n\nRead this first.` });
    expect(await approvedBy(lab, 'mira', pull)).toContain('authors-known');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.as('ada', 'PATCH', path, { body: before });
    await approvedBy(lab, 'mira', pull);
    expect((await readState(lab, run))?.approvals).toHaveLength(1);
    await lab.close();
  });

  it.each([
    ['a push through a workflow', null],
    ['a commit under an address that no account has', { name: 'Nobody', email: 'nobody@nowhere.example' }],
  ])('blocks approval after %s', async (_, author) => {
    const { lab, run, pull, issue } = await proposed();
    if (author === null) await asWorkflow(lab, 'PUT', `/contents/${FILE}`, await commit(lab, run, {}));
    else await lab.as('ada', 'PUT', `/contents/${FILE}`, await commit(lab, run, { author }));
    await postComment(lab, 'ada', issue, 'One line more.');
    expect(await approvedBy(lab, 'mira', pull)).toContain('authors-known');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await lab.close();
  });
});

describe("an approval of other people's work", () => {
  it("is accepted for the bot's own proposal if the bot posts under the account of every workflow", async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    const { run, pull } = await propose(lab);
    await approvedBy(lab, 'mira', pull);
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.submission).not.toBeNull();
    await lab.close();
  });

  it('is accepted after a colleague pushed and edited the description, and the job is launched', async () => {
    const { lab, run, pull, issue } = await proposed();
    await pushExperiment(lab, run, (text) => `${text}# as before\n`);
    await lab.as('ada', 'PATCH', `/pulls/${pull}`, { body: `${readBody(lab, pull)}\n\nRead this first.` });
    await postComment(lab, 'ada', issue, 'One line more.');
    // The card shows the new manifest after some minutes.
    await lab.clock.advance(40 * MINUTE);
    await approvedBy(lab, 'mira', pull);
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.submission).not.toBeNull();
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});
