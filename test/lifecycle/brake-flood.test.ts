/**
 * More accounts than one check can look up post the same /stop or /hold: a real one among them takes effect.
 */

import { expect, it } from 'vitest';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { holdJobs, listAnswersTo, listBotTexts, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const ACCOUNTS = 201;

/** GitHub refuses to list the collaborators. */
function withoutPeople(request: Request, github: (request: Request) => Promise<Response>): Promise<Response> {
  return new URL(request.url).pathname.endsWith('/collaborators')
    ? Promise.resolve(Response.json({ message: 'Must have push access' }, { status: 403 }))
    : github(request);
}

/** Each of `ACCOUNTS` strangers writes one comment. */
function flood(lab: VirtualLab, thread: number, body: string): void {
  const { comments, issues, users } = lab.world.state;
  const [key, issue] = Object.entries(issues).find(([, { number }]) => number === thread) ?? [];
  const sol = Object.values(users).find(({ login }) => login === 'sol');
  const pattern = Object.values(comments).find(({ issueNumber }) => issueNumber === thread);
  if (key === undefined || issue === undefined || sol === undefined || pattern === undefined)
    throw new Error('nothing to copy');
  const at = lab.clock.now();
  const ids = Array.from({ length: ACCOUNTS }, (_, index) => 5_000_000 + index);
  for (const id of ids) {
    users[id] = { ...sol, id, login: `stranger-${id}` };
    comments[id] = { ...pattern, id, authorId: id, viaAppId: null, body, createdAtMs: at, updatedAtMs: at };
  }
  issues[key] = { ...issue, commentIds: [...issue.commentIds, ...ids] };
}

// threat T201
it('executes one trusted `/stop` among those of two hundred strangers within minutes', async () => {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission != null);
  await lab.clock.advance(MINUTE);
  flood(lab, pull, '/stop');
  await lab.clock.advance(1_000);
  const said = await postComment(lab, 'mira', pull, '/stop');
  await until(lab, 'the answer', () => listAnswersTo(lab, said).length > 0, { stepMs: 5_000, limitMs: 2 * MINUTE });
  await untilState(lab, run, (state) => state.end != null, { stepMs: 5_000, limitMs: 5 * MINUTE });
  expect((await readState(lab, run))?.stop?.actor.login).toBe('mira');
  await lab.close();
});

/** The order waits for its launcher while strangers post holds. */
async function floodedOrder(options: Partial<VirtualLabOptions> = {}) {
  const launches = holdJobs('launch');
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, beforeJob: launches.beforeJob, ...options });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'a launch that waits', async () => launches.waiting() === 1, { stepMs: 5_000 });
  flood(lab, pull, '/hold');
  await lab.clock.advance(1_000);
  launches.letGo();
  return { lab, run, pull };
}

it('launches despite holds of two hundred strangers', async () => {
  const { lab, run } = await floodedOrder();
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission != null);
  await lab.close();
});

it('launches nothing while the collaborators cannot be listed, and answers one real hold among 200 by strangers', async () => {
  const { lab, pull } = await floodedOrder({ network: withoutPeople });
  await lab.clock.advance(5 * MINUTE);
  const said = await postComment(lab, 'ada', pull, '/hold reason="really"');
  await lab.clock.advance(5 * MINUTE);
  expect(listBotTexts(lab, 'incident').join()).toContain('GitHub does not tell who works here');
  expect(lab.engine.startCount()).toBe(0);
  expect(listAnswersTo(lab, said).join()).toContain('on hold');
  await lab.close();
});
