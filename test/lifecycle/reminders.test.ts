/**
 * Reminders for an ended run that waits for a person: first its approvers, then everyone who may decide;
 * optional closing.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { approveAndFinish, propose, readState, until } from '../support/play.ts';
import {
  HOUR,
  listBotComments,
  listRepeatedComments,
  MINUTE,
  nextMorning,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

const withReminders =
  (line: string) =>
  (config: string): string =>
    config.replace(/^ {4}reminders:\n(?: {6}.*\n)*/m, `    reminders: ${line}\n`);

type Ended = { readonly run: string; readonly pull: number; readonly issue: number };

async function endedFerry(options: VirtualLabOptions): Promise<Ended> {
  lab = await openVirtualLab({ ferry: SHORT_FERRY, sweepMs: 30 * MINUTE, ...options });
  const proposed = await propose(lab);
  await approveAndFinish(lab, proposed.run, proposed.pull);
  await lab.clock.advance(MINUTE);
  return proposed;
}

const notices = (): readonly { readonly thread: number; readonly text: string }[] =>
  listBotComments(lab)
    .filter(({ kind }) => kind === 'notice')
    .map(({ thread, text }) => ({ thread, text }));

/** GitHub mentions nobody in a code block. */
const mentioned = (text: string | undefined): readonly string[] =>
  text?.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '').match(/(?<!\w)@[\w-]+/g) ?? [];

describe('a run that waits for /seal', () => {
  it('reminds its approver after one period, then everyone who may seal', async () => {
    const { run, pull } = await endedFerry({ config: withReminders('{ everyHours: 6 }') });
    promote('ravi');
    await lab.clock.advance(5 * HOUR);
    expect(notices()).toEqual([]);
    await lab.clock.advance(2 * HOUR);
    const [first, ...others] = notices();
    expect(others).toEqual([]);
    expect(first?.thread).toBe(pull);
    expect(first?.text).toContain(`\`${run}\` waits for a decision**: it ended SUCCEEDED 6.5 h ago`);
    expect(first?.text).toContain('`/seal` by a person with maintain permission');
    expect(mentioned(first?.text)).toEqual(['@mira']);

    await lab.clock.advance(6 * HOUR);
    const [, second, ...more] = notices();
    expect(more).toEqual([]);
    expect(mentioned(second?.text)).toEqual(withRole('maintain'));
    expect(withRole('maintain')).toEqual(['@mira', '@ravi']);

    await postComment(lab, 'mira', pull, '/seal');
    await until(lab, 'the seal', async () => (await readState(lab, run))?.seal != null, { stepMs: 5_000 });
    await lab.clock.advance(24 * HOUR);
    expect(notices()).toHaveLength(2);
  });

  it('counts the daily notice about the blocked lane as one reminder', async () => {
    await endedFerry({ config: withReminders('{ everyHours: 24 }') });
    await nextMorning(lab);
    await lab.dispatchDaily();
    await lab.clock.advance(12 * HOUR);
    const [told, ...others] = notices();
    expect(others).toEqual([]);
    expect(told?.text).toContain('No ferry in the lane');
    expect(mentioned(told?.text)).toEqual(['@mira']);
  });

  it('posts no reminders if the config disables them', async () => {
    await endedFerry({ config: withReminders('{ everyHours: null }') });
    await lab.clock.advance(30 * HOUR);
    expect(notices().map(({ text }) => text.slice(0, 30))).toEqual(['🤖 **No ferry in the lane `dai']);
    expect(mentioned(notices()[0]?.text)).toEqual([]);
  });

  it('mentions no names from the log, and reminds those who may acknowledge a failure', async () => {
    const failAt = { step: 400, line: 'RuntimeError: ask @ada or @ravi', exitCode: 1 };
    await endedFerry({ ferry: { ...SHORT_FERRY, failAt }, config: withReminders('{ everyHours: 6 }') });
    await lab.clock.advance(13 * HOUR);
    expect(notices().map(({ text }) => mentioned(text))).toEqual([['@mira'], withRole('write')]);
    expect(listBotComments(lab).flatMap(({ kind, text }) => (kind === 'notice' ? [] : mentioned(text)))).toEqual([]);
  });
});

describe('a lane that closes undecided runs', () => {
  const CLOSING = withReminders('{ everyHours: 6, closeAfterHours: 20 }');

  it('announces the time, closes the run unsealed with a log entry, and is free afterwards', async () => {
    const { run, issue } = await endedFerry({ config: CLOSING });
    await lab.clock.advance(7 * HOUR);
    expect(notices()[0]?.text).toContain('closes itself as not sealed at 2026-11-22');
    await lab.clock.advance(15 * HOUR);
    const state = await readState(lab, run);
    expect(state?.closed).toMatchObject({ outcome: 'unsealed' });
    expect(state?.seal).toBeNull();
    expect(state?.closed?.closurePull).not.toBeNull();
    const told = listBotComments(lab).filter(({ kind }) => kind === 'closed');
    expect(told).toHaveLength(1);
    expect(told[0]?.thread).toBe(issue);
    expect(told[0]?.text).toContain('there was no decision within the time limit of the lane');
    expect([...(await lab.store.refs('refs/tags/ferry/')).keys()].filter((tag) => tag.endsWith('/sealed'))).toEqual([]);
    const next = await propose(lab);
    expect(next.run).not.toBe(run);
    expect(notices()).toHaveLength(3);
  });

  it('does not close a run while a decision is pending because GitHub cannot return permissions', async () => {
    let isAway = false;
    const { run, pull } = await endedFerry({
      config: CLOSING,
      sweepMs: 5 * MINUTE,
      network: (request, github) =>
        isAway && request.url.endsWith('/permission')
          ? Promise.resolve(Response.json({ message: 'Server Error' }, { status: 502 }))
          : github(request),
    });
    const endedAt = Date.parse((await readState(lab, run))?.end?.at ?? '');
    await lab.clock.skip(endedAt + 20 * HOUR - 2 * MINUTE - lab.clock.now());
    isAway = true;
    await postComment(lab, 'mira', pull, '/seal');
    await lab.clock.advance(8 * MINUTE);
    expect(await readState(lab, run)).toMatchObject({ seal: null, closed: null });
    isAway = false;
    await lab.clock.advance(30 * MINUTE);
    expect((await readState(lab, run))?.seal?.verdict).toBe('pass');
  });

  it('closes nothing by default', async () => {
    const { run } = await endedFerry({});
    await lab.clock.skip(30 * 24 * HOUR);
    await lab.clock.advance(2 * HOUR);
    expect((await readState(lab, run))?.closed).toBeNull();
    expect(notices()[0]?.text).not.toContain('closes itself');
  });
});

/** The collaborators of the example lab with at least this role, in GitHub's order. */
function withRole(role: 'write' | 'maintain'): readonly string[] {
  const repo = Object.values(lab.world.state.repos)[0];
  const enough = role === 'write' ? ['write', 'maintain', 'admin'] : ['maintain', 'admin'];
  return Object.entries(repo?.collaborators ?? {})
    .filter(([, held]) => enough.includes(held))
    .map(([id]) => `@${lab.world.state.users[Number(id)]?.login}`);
}

/** Adds a second maintainer. */
function promote(login: string): void {
  const { repos, users } = lab.world.state;
  const [key = '', repo] = Object.entries(repos)[0] ?? [];
  const user = Object.values(users).find((one) => one.login === login);
  if (repo === undefined || user === undefined) throw new Error(`there is no ${login}`);
  repos[Number(key)] = { ...repo, collaborators: { ...repo.collaborators, [user.id]: 'maintain' } };
}
