/**
 * An incident that needs a person mentions and assigns the people in charge and on call, in the approvers'
 * thread.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { Crash } from '../support/crash.ts';
import { approve, propose, readEventsOf, readState, until, untilState } from '../support/play.ts';
import {
  HOUR,
  listAnswersTo,
  listBotComments,
  listRepeatedComments,
  MINUTE,
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

/** Account ids of the seeded lab are assigned in the order of its people. */
const idOf = (login: string): number => {
  const user = Object.values(lab.world.state.users).find((one) => one.login === login);
  if (user === undefined) throw new Error(`there is no ${login}`);
  return user.id;
};

let ids: Readonly<Record<string, number>> = {};
async function learnIds(): Promise<void> {
  lab = await openVirtualLab({});
  ids = Object.fromEntries(['mira', 'ada', 'ravi', 'sol'].map((login) => [login, idOf(login)]));
  await lab.close();
}

/** The example lab with people in charge of the lane and on call. */
const staffed =
  (staff: { inCharge?: readonly string[]; onCall?: string }) =>
  (config: string): string =>
    config
      .replace('inCharge: []', `inCharge: [${(staff.inCharge ?? []).map((login) => ids[login]).join(', ')}]`)
      .replace(/^onCall:\n(?: {2}.*\n)*/m, `onCall: ${staff.onCall ?? '{}'}\n`);

/** The log shows the failure; the job runs for hours, so the run has not ended. */
const SICK = { ...SHORT_FERRY, durationMs: 8 * HOUR };

async function sickFerry(
  options: VirtualLabOptions,
): Promise<{ readonly run: string; readonly pull: number; readonly issue: number }> {
  lab = await openVirtualLab({ ferry: SICK, sweepMs: 10 * MINUTE, ...options });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull, proposed.run);
  await untilState(lab, proposed.run, (state) => state.observation != null, { stepMs: 5_000 });
  return proposed;
}

type Said = { readonly thread: number; readonly text: string };
const pages = (): readonly Said[] =>
  listBotComments(lab)
    .filter(({ kind, text }) => kind === 'notice' && text.includes('needs a person'))
    .map(({ thread, text }) => ({ thread, text }));
const mentioned = (text: string | undefined): readonly string[] => text?.match(/(?<!\w)@[\w-]+/g) ?? [];
const assignedTo = (thread: number): readonly string[] =>
  (Object.values(lab.world.state.issues).find(({ number }) => number === thread)?.assigneeIds ?? []).map(
    (id) => lab.world.state.users[id]?.login ?? '',
  );

/** The engine was restarted and no longer knows the job. */
async function losesTheCluster(run: string): Promise<void> {
  lab.engine.forgetEverything();
  await until(lab, 'an incident', async () => ((await readState(lab, run))?.incidents.length ?? 0) > 0);
}

describe('an incident that needs a person', () => {
  it('mentions and assigns the people in charge and on call once, in the thread with the approvals', async () => {
    await learnIds();
    const { run, pull, issue } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: `{ shifts: [{ users: [${ids['ravi']}] }] }` }),
    });
    await losesTheCluster(run);
    await lab.clock.advance(5 * MINUTE);
    const [page, ...others] = pages();
    expect(others).toEqual([]);
    expect(page?.thread).toBe(pull);
    expect(mentioned(page?.text)).toEqual(['@ada', '@ravi']);
    expect(assignedTo(pull)).toEqual(['ada', 'ravi']);
    expect(assignedTo(issue)).toEqual([]);
    const [paged] = (await readEventsOf(lab, run)).filter(({ type }) => type === 'notified');
    expect(paged?.role).toBe('watch');
    const [incident] = listBotComments(lab).filter(({ kind }) => kind === 'incident');
    expect(incident?.thread).toBe(issue);
    expect(mentioned(incident?.text)).toEqual([]);
  });

  it('is posted again if nobody acknowledges it in time, but not a third time', async () => {
    await learnIds();
    const { run } = await sickFerry({ config: staffed({ inCharge: ['ada'], onCall: '{ againAfterMinutes: 30 }' }) });
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect(pages()).toHaveLength(2);
    expect(pages()[1]?.text).toContain('It was not acknowledged yet');
    expect(mentioned(pages()[1]?.text)).toEqual(['@ada']);
  });

  it('is not posted again after /ack', async () => {
    await learnIds();
    const { run, pull } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: '{ againAfterMinutes: 30 }' }),
    });
    await losesTheCluster(run);
    await lab.clock.advance(5 * MINUTE);
    const comment = await postComment(lab, 'ada', pull, '/ack');
    await lab.clock.advance(2 * HOUR);
    expect(listAnswersTo(lab, comment)[0]).toContain('you took the incident of this run');
    expect((await readState(lab, run))?.taken?.actor.login).toBe('ada');
    expect(pages()).toHaveLength(1);
  });

  it('mentions nobody if the config names nobody', async () => {
    await learnIds();
    const { run } = await sickFerry({});
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect(pages()).toEqual([]);
    expect(listBotComments(lab).flatMap(({ text }) => mentioned(text))).toEqual([]);
  });

  it('mentions a renamed account by its new name, and lists an account without access by its id', async () => {
    await learnIds();
    const { run } = await sickFerry({ config: staffed({ inCharge: ['ada', 'sol'] }) });
    const { users } = lab.world.state;
    const ada = users[ids['ada'] ?? 0];
    if (ada === undefined) throw new Error('there is no ada');
    users[ada.id] = { ...ada, login: 'ada-new' };
    await losesTheCluster(run);
    await lab.clock.advance(5 * MINUTE);
    expect(mentioned(pages()[0]?.text)).toEqual(['@ada-new']);
    expect(pages()[0]?.text).toContain(`Not a collaborator of this repository: account ${ids['sol']}.`);
  });

  it.each(['before', 'after'] as const)('is posted once if the process crashes %s posting it', async (when) => {
    await learnIds();
    let isArmed = false;
    const { run } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: '{ againAfterMinutes: null }' }),
      atBoundary: (_process, kind, moment) => {
        if (!isArmed || kind !== 'post-comment' || moment !== when) return;
        isArmed = false;
        throw new Crash();
      },
    });
    isArmed = true;
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect(isArmed).toBe(false);
    expect(pages()).toHaveLength(1);
    expect((await readEventsOf(lab, run)).filter(({ type }) => type === 'notified')).toHaveLength(1);
  });
});

describe('a notification channel outside GitHub', () => {
  const CHANNEL = `{ channels: { ops: { kind: discord, address: OPS_WEBHOOK } }, againAfterMinutes: null }`;
  type Sent = Parameters<NonNullable<VirtualLabOptions['sendToChannel']>>;
  const deliveries = async (run: string): Promise<readonly object[]> =>
    (await readEventsOf(lab, run))
      .filter(({ type }) => type === 'delivered')
      .map(({ role, data }) => ({ role, ...data }));

  it('gets the incident once from the process that records it, and the delivery is recorded', async () => {
    await learnIds();
    const sent: Sent[] = [];
    const { run, pull } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: CHANNEL }),
      sendToChannel: async (...message) => {
        sent.push(message);
        return { outcome: 'sent', why: '' };
      },
    });
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect(sent.map(([channel, { url }]) => [channel.address, new URL(url).pathname])).toEqual([
      ['OPS_WEBHOOK', `/lab/ferries/issues/${pull}`],
    ]);
    expect(await deliveries(run)).toEqual([
      expect.objectContaining({ role: 'watch', channel: 'ops', outcome: 'sent' }),
    ]);
    expect(listBotComments(lab).filter(({ text }) => text.includes('was not reached'))).toEqual([]);
  });

  it('that fails is reported in the thread, and people are still mentioned there', async () => {
    await learnIds();
    const { run, pull } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: CHANNEL }),
      sendToChannel: async () => ({ outcome: 'failed', why: 'status 404' }),
    });
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect(pages()).toHaveLength(1);
    const told = listBotComments(lab).filter(({ text }) => text.includes('was not reached'));
    expect(told.map(({ thread }) => thread)).toEqual([pull]);
    expect(told[0]?.text).toContain('status 404');
  });

  it('is reported as possibly not reached if the sender crashed, and nothing is sent again', async () => {
    await learnIds();
    let isArmed = true;
    let sends = 0;
    const { run } = await sickFerry({
      config: staffed({ inCharge: ['ada'], onCall: CHANNEL }),
      sendToChannel: async () => {
        sends += 1;
        return { outcome: 'sent', why: '' };
      },
      atBoundary: (_process, kind, moment) => {
        if (!isArmed || kind !== 'send' || moment !== 'after') return;
        isArmed = false;
        throw new Crash();
      },
    });
    await losesTheCluster(run);
    await lab.clock.advance(2 * HOUR);
    expect([sends, isArmed]).toEqual([1, false]);
    expect(await deliveries(run)).toEqual([expect.objectContaining({ role: 'control', outcome: 'unknown' })]);
    expect(listBotComments(lab).filter(({ text }) => text.includes('was not reached'))).toHaveLength(1);
  });
});
