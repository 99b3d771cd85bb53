/** A lane on rented machines: crashes, /keep and /teardown, idle machines and orphaned machines. */

import { afterEach, expect, it } from 'vitest';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { approve, logbookText, propose, readState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { openRentedLab, type RentedLab } from '../support/rented-lab.ts';
import { createSquatter } from '../support/squat.ts';
import { listAnswersTo, listBotTexts, postComment, pushFile } from '../support/talk.ts';

/** Levanter's log lines for this many steps, followed by the test's own commands. */
const steps = (count: number, then: string): string => `
echo 'trainer First train step completed in 1.0s.'
for step in $(seq 1 ${count}); do
  echo "tqdm Progress on:train $step.0it/1.20kit rate:10.0it/s remaining:10:00 elapsed:00:10 postfix:loss=3.$step"
  sleep 0.3
done
${then}
`;

let open: RentedLab | null = null;
afterEach(async () => {
  await open?.end();
  open = null;
});

/** Proposed, approved, and its machine is running. */
async function launched(
  script: string,
  changes: Parameters<typeof openRentedLab>[1] = {},
  options: Parameters<typeof openRentedLab>[2] = {},
) {
  open = await openRentedLab(script, changes, options);
  const { lab, vast, until } = open;
  const { run, pull, issue } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until('a machine', 60, () => vast.account.list().some(({ actual }) => actual === 'running'));
  return { ...open, run, pull, issue };
}

// rule VA-05
it("a crashed job's machine is destroyed within minutes, and its cost is posted", async () => {
  const { lab, vast, until, run } = await launched(steps(3, "echo 'RuntimeError: nothing works'; exit 1"));
  await until('the end', 60, async () => (await readState(lab, run))?.end != null);
  await until('an empty account', 2, () => vast.account.list().length === 0);
  await until('its verification', 2, async () => {
    const state = await readState(lab, run);
    return state?.rental.machines[0]?.tearDown?.endedAt != null;
  });
  const state = await readState(lab, run);
  expect(state?.end).toMatchObject({ status: 'FAILED', exitCode: 1 });
  expect(state?.rental.machines).toMatchObject([{ status: 'gone', tearDown: { reason: 'ended' } }]);
  const booked = (state?.rental.machines[0]?.microdollars ?? 0) / 1_000_000;
  expect(Math.abs(booked / vast.account.billed() - 1)).toBeLessThan(0.25);
  expect(listBotTexts(lab, 'incident').join()).toContain('because its job is over');
  await lab.clock.advance(60_000);
  expect(listBotTexts(lab, 'card').join()).toContain('Cost of renting: about **$');
});

// rule VA-26
it('/keep keeps the machine for at most the approved time, and /teardown destroys it', async () => {
  const { lab, vast, until, pass, run, pull } = await launched(steps(3, 'exit 1'), { endGraceMinutes: 120 });
  const day = new Date(lab.clock.now()).toISOString().slice(0, 10);
  const tooLong = await postComment(lab, 'mira', pull, `/keep until=${day}T23:59:00Z reason="the whole day"`);
  const asked = new Date(lab.clock.now() + 50 * 60_000).toISOString().slice(11, 16);
  const kept = await postComment(lab, 'mira', pull, `/keep until=${asked} reason="I look at the checkpoint"`);
  await until('the end', 60, async () => (await readState(lab, run))?.end != null);
  await pass(10);
  expect(await listAnswerCodes(lab, tooLong)).toEqual(['keep-too-long']);
  expect(await listAnswerCodes(lab, kept)).toEqual(['kept']);
  expect(vast.account.list()).toHaveLength(1);
  const gone = await postComment(lab, 'mira', pull, '/teardown');
  await until('an empty account', 3, () => vast.account.list().length === 0);
  await pass(2);
  expect(await listAnswerCodes(lab, gone)).toEqual(['teardown-asked']);
  expect((await readState(lab, run))?.rental.machines).toMatchObject([{ tearDown: { reason: 'asked' } }]);
});

// threat T193
it('/teardown destroys a kept machine while the next attempt waits for its runner', async () => {
  let launches = 0;
  let away = async (): Promise<void> => undefined;
  const crash = "echo 'ConnectionResetError: [Errno 104] Connection reset by peer'; exit 1";
  const { lab, vast, until, pass, run, pull } = await launched(
    steps(3, crash),
    { endGraceMinutes: 120 },
    {
      beforeJob: async (mode) => {
        if (mode !== 'launch') return;
        launches += 1;
        if (launches > 1) await away();
      },
    },
  );
  away = () => lab.clock.sleep(3_600_000);
  const asked = new Date(lab.clock.now() + 50 * 60_000).toISOString().slice(11, 16);
  await postComment(lab, 'mira', pull, `/keep until=${asked} reason="I look at the checkpoint"`);
  await until('the next order', 60, async () => (await readState(lab, run))?.order?.order.attempt === 2);
  await pass(3);
  expect(vast.account.list()).toHaveLength(1);
  const gone = await postComment(lab, 'mira', pull, '/teardown');
  await until('an empty account', 5, () => vast.account.list().length === 0);
  expect(await listAnswerCodes(lab, gone)).toEqual(['teardown-asked']);
  await pass(70);
  expect(vast.account.list()).toEqual([]);
  expect((await readState(lab, run))?.submission).toBeNull();
});

it('a permitted /teardown run=… in another thread destroys the machine and stops the job', async () => {
  const { lab, vast, until, pass, run } = await launched(steps(200, 'exit 0'));
  const issue = { title: 'A question', body: 'Who rents what?' };
  const elsewhere = ((await lab.as('ada', 'POST', '/issues', issue)) as { readonly number: number }).number;
  const theirs = await postComment(lab, 'sol', elsewhere, `/teardown run=${run}`);
  await pass(2);
  expect(vast.account.list()).toHaveLength(1);
  const gone = await postComment(lab, 'mira', elsewhere, `/teardown run=${run}`);
  await until('an empty account', 3, () => vast.account.list().length === 0);
  await pass(2);
  expect(await listAnswerCodes(lab, theirs)).toEqual(['not-permitted']);
  const [answer] = listAnswersTo(lab, gone);
  expect(answer).toContain(`/teardown run="${run}"\` by mira: mira requested the tear-down`);
  expect(answer).toContain('within a minute and stops their job. ferrybot confirms it');
  const state = await readState(lab, run);
  expect(state?.rental.machines).toMatchObject([{ tearDown: { reason: 'asked' } }]);
  expect(state?.end).toMatchObject({ status: 'STOPPED' });
  const nothing = await postComment(lab, 'mira', elsewhere, `/teardown run=${run}`);
  await pass(2);
  expect(await listAnswerCodes(lab, nothing)).toEqual(['nothing-rented']);
});

// threat T14
it('/teardown destroys the machine although a writer pushed an invalid line to the record', async () => {
  const { lab, vast, until, run, pull } = await launched(steps(200, 'exit 0'));
  await until('a look', 10, async () => (await readState(lab, run))?.observation != null);
  const path = `runs/2026/11/${run}/events.jsonl`;
  await pushFile(lab, 'ada', 'ferrybot/logbook', path, `${await logbookText(lab, run)}junk\n`);
  const gone = await postComment(lab, 'mira', pull, '/teardown');
  await until('an empty account', 10, () => vast.account.list().length === 0);
  await until('an answer', 10, () => listAnswersTo(lab, gone).length > 0);
  expect(await listAnswerCodes(lab, gone)).toEqual(['logbook-broken']);
});

// rules VA-15, VA-25
it('a job without progress is reported first; then its machine is destroyed and the run fails', async () => {
  const { lab, vast, until, run } = await launched(steps(3, 'sleep 600'), { idleMinutesMax: 20 });
  await until('the warning', 40, async () => listBotTexts(lab, 'incident').join().includes('does nothing'));
  expect(vast.account.list()).toHaveLength(1);
  await until('the end', 40, async () => (await readState(lab, run))?.end != null);
  const state = await readState(lab, run);
  expect(state?.end).toMatchObject({ status: 'FAILED', errorType: 'MACHINE_DESTROYED' });
  // It was restarted once, on another machine.
  const gone = { status: 'gone', tearDown: { reason: 'idle' } };
  expect(state?.rental.machines).toMatchObject([gone, gone]);
  expect(state?.attempts.map(({ end: { diagnosis } }) => diagnosis?.class)).toEqual(['stalled']);
  expect(new Set(state?.rental.machines.map(({ machine }) => machine)).size).toBe(2);
  expect(vast.account.list()).toEqual([]);
});

// rule VA-14
it('a killed process raises an alert at the next observation, and its machine is destroyed', async () => {
  const { lab, vast, until, run } = await launched(steps(200, 'exit 0'));
  await until('a step', 30, async () => ((await readState(lab, run))?.observation?.step ?? 0) > 0);
  expect(listBotTexts(lab, 'incident')).toEqual([]);
  for (const { container } of vast.account.list()) container?.signal('SIGKILL');
  await until('the alert', 10, () => listBotTexts(lab, 'incident').join().includes('Attempt 1 ended with'));
  const { end } = (await readState(lab, run)) ?? { end: null };
  expect(end).toMatchObject({ status: 'FAILED', message: expect.stringContaining("without the wrapper's last word") });
  await until('an empty account', 3, () => vast.account.list().length === 0);
});

// rule VA-17
it.each([
  ['that idles without progress raises an alert before its machine is destroyed', 2, ['low-utilisation']],
  ['without utilisation data raises no utilisation alert', null, []],
] as const)('a GPU %s', async (_, utilisation, expected) => {
  const { vast, pass, run, lab } = await launched(steps(3, 'sleep 600'));
  for (const instance of vast.account.list()) instance.utilisation = utilisation;
  await pass(23);
  const { incidents } = (await readState(lab, run)) ?? { incidents: [] };
  expect(filterIncidents(incidents, 'run-alarm').map(({ detail }) => detail.detector)).toEqual(expected);
  expect(vast.account.list()).toHaveLength(1);
});

// rule VA-31
it("an orphaned machine of this lab is destroyed and recorded, and other users' machines are kept", async () => {
  const { lab, vast, until, pass, run } = await launched(steps(200, 'exit 0'));
  const orphan = made(vast, 'ferrybot:lab:ferrybot-ferry-daily-20261101-a1', 104);
  const others = made(vast, 'somebody else', 106);
  await until('the orphan to go', 15, () => vast.account.find(orphan) === null);
  await pass(2);
  expect(vast.account.find(others)).not.toBeNull();
  const ours = vast.account.list().filter(({ label }) => label?.includes(run));
  expect(ours).toHaveLength(1);
  expect(vast.asked.filter(({ route }) => route.startsWith('DELETE')).map(({ route }) => route)).toEqual([
    expect.stringContaining(String(orphan)),
  ]);
  const issues = (): readonly string[] =>
    Object.values(lab.world.state.issues)
      .filter(({ title }) => title.includes(`machine ${orphan}`))
      .map(({ state, body }) => `${state} ${body}`);
  await until('the issue', 30, () => issues().join().startsWith('closed'));
  expect(issues()).toEqual([expect.stringContaining('no longer contains it. Nothing has to be done.')]);
});

it('an orphaned machine is found without a running job by the daily check of the account', async () => {
  open = await openRentedLab('exit 0');
  const { lab, vast, until, pass } = open;
  const watches = (): number =>
    Object.values(lab.world.state.runs).filter(
      ({ path, headBranch }) => path.endsWith('ferrybot-watch.yml') && headBranch === 'main',
    ).length;
  // A workflow run with the same title on another branch does not count.
  await (await createSquatter(lab, 'ferrybot-watch.yml'))({ cluster: 'us-central1' });
  const orphan = made(vast, 'ferrybot:lab:ferrybot-ferry-daily-20261101-a1', 104);
  await until('the orphan to go', 30, () => vast.account.find(orphan) === null);
  const isTold = (): boolean =>
    Object.values(lab.world.state.issues).some(({ title }) => title.includes(`machine ${orphan}`));
  await until('the issue', 30, isTold);
  await pass(60);
  // The second run searches an offer for the ferry of the day, which is proposed meanwhile.
  expect(watches()).toBe(2);
});

/** A machine that no run of this lab launched. */
function made(vast: RentedLab['vast'], label: string, offer: number): number {
  const created = vast.account.create(offer, {
    ...{ image: 'x', disk: 30, env: [], onstart: null, args: ['sleep', '600'], runtype: 'args', bid: null, label },
    cancelsUnavailable: true,
  });
  if (!created.ok) throw new Error(created.reason);
  return created.instance.id;
}
