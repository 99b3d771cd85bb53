/** Tells people about a logbook that cannot be trusted, or not be written: one comment, found again by its marker; who may post is decided in the journal. */

import { type Incident, type IncidentOf, incidentDraft } from '../../domain/incidents.ts';
import { limits } from '../../domain/limits.ts';
import { faultKey } from '../../domain/logbook/logbook-fault.ts';
import { rentalTerms } from '../../domain/logbook/renting.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { logbookFaultMarker, renderLogbookFault } from '../../render/logbook-fault.ts';
import { type BrokenRun, WHOLE_BRANCH } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import { asBroken, contained, type Trouble } from '../trouble.ts';
import { say } from './outbox.ts';

/** Different errors of our own that one thread is told about within a day: they are mended in the program, not in the thread. */
const TROUBLES_TOLD_PER_DAY = 3;
/** How long a notice of a broken record is taken to stand where this process saw it: who writes can delete it, and a command may have no other answer. */
const NOTICE_SEEN_MS = 10 * 60 * 1_000;

/** The notices that this process has seen in their threads, and when (epoch ms): anybody who writes can delete one, so it is looked for again. */
export type SeenNotices = Map<string, number>;

/**
 * `told` grows. `more`: faults that no record shows, as of a seal's tag; `heard`: threads with a command. What cannot be told is itself a trouble, and the
 * other faults are told.
 */
export async function reportCorruptLogbook(
  open: OpenLab,
  told: SeenNotices,
  troubles: Trouble[],
  more: readonly BrokenRun[] = [],
  heard: readonly number[] = [],
): Promise<void> {
  const { broken, runs } = open.store.current();
  const ofRuns = new Set(runs.flatMap(({ proposal }) => [proposal.pull, proposal.issue]));
  // Only the journal could answer what was said outside of the threads of runs.
  const unanswered = heard.filter((thread) => !ofRuns.has(thread)).slice(0, limits.refusedToldInMax);
  const ofJournal = broken.filter(({ run }) => run === JOURNAL);
  const owed = unanswered.flatMap((thread) => ofJournal.map((fault) => ({ ...fault, thread })));
  const faults = [...broken, ...owed, ...refusedPush(open, heard), ...more];
  await reportFaults(open, told, faults, troubles);
}

/** What single runs, threads and files met, told where it was met; nothing is asked where nothing was met. */
export async function reportTroubles(open: OpenLab, told: SeenNotices, troubles: Trouble[]): Promise<void> {
  const met = troubles.map((trouble) => asBroken(open, trouble));
  await reportFaults(open, told, met, troubles);
}

/** These alone: the alarms that come before a look leave out a push that was refused before, which the look tries again. */
export async function reportFaults(
  open: OpenLab,
  told: SeenNotices,
  faults: readonly BrokenRun[],
  troubles: Trouble[],
): Promise<void> {
  for (const broken of faults)
    await contained(open, troubles, { run: broken.run, thread: broken.thread }, () =>
      tell(open, told, broken),
    );
}

async function tell(open: OpenLab, told: SeenNotices, broken: BrokenRun): Promise<void> {
  const key = `${broken.run} ${broken.thread ?? ''} ${faultKey(broken.fault)}`;
  const seenAt = told.get(key);
  if (seenAt !== undefined && open.lab.now() - seenAt < NOTICE_SEEN_MS) return;
  const isRefused = broken.fault.kind === 'push-refused';
  open.lab.log(wordsFor(broken), { run: broken.run, fault: faultKey(broken.fault) });
  const thread = threadOf(open, broken);
  // What cannot be written cannot be told in the journal either: who posts is decided in the thread.
  if (thread === null || !(isRefused || (await isOurTurn(open, broken)))) return;
  if (await isTold(open, broken, thread)) told.set(key, open.lab.now());
}

function wordsFor({ fault }: BrokenRun): string {
  if (fault.kind === 'seal-tag') return 'a seal has lost its tag';
  if (fault.kind === 'tag-without-seal') return 'a tag seals what the record does not';
  if (fault.kind === 'look-failed') return 'a place could not be looked at';
  if (fault.kind === 'read-failed') return 'a file of the logbook could not be read';
  return `the logbook ${fault.kind === 'push-refused' ? 'cannot be written' : 'cannot be trusted'}`;
}

/** A push that was refused, as a fault of the run that it was for. What was for no run is told to whoever was heard and gets no answer. */
function refusedPush({ store }: OpenLab, heard: readonly number[]): readonly BrokenRun[] {
  const refusal = store.refusal();
  if (refusal === null) return [];
  const { run, after, message } = refusal;
  const state = store.current().runs.find((one) => one.run === run) ?? null;
  const refused = { run, fault: { kind: 'push-refused', after, message }, state, thread: null } as const;
  if (state !== null || heard.length === 0) return [refused];
  const threads = [...new Set(heard)].slice(0, limits.refusedToldInMax);
  return threads.map((thread) => ({ ...refused, thread }));
}

/** The journal has no thread of its own, nor has what a bug hides: the newest run's hears about it. */
function threadOf(open: OpenLab, { run, fault, state, thread }: BrokenRun): number | null {
  if (thread !== null) return thread;
  if (state !== null) return state.proposal.pull;
  const isElsewhere = run === JOURNAL || fault.kind === 'look-failed' || fault.kind === 'read-failed';
  return isElsewhere ? (open.store.current().runs[0]?.proposal.pull ?? null) : null;
}

/** Who records the incident tells it; others wait. Where nothing can be recorded the thread itself is all there is to look at. */
async function isOurTurn(open: OpenLab, broken: BrokenRun): Promise<boolean> {
  const { run, fault, thread } = broken;
  const { store, lab } = open;
  if (store.current().broken.some((broken) => broken.run === WHOLE_BRANCH || broken.run === JOURNAL))
    return true;
  const key = faultKey(fault);
  const recorded = store
    .current()
    .journal.incidents.find((one) => isOf(one, run) && one.detail.fault === key);
  if (recorded !== undefined) return lab.now() - (fromRfc3339(recorded.at) ?? 0) >= limits.publishGraceMs;
  if (isToldEnough(open, broken)) return false;
  const where = thread === null ? {} : { thread };
  const role = lab.signingKeys.control === undefined ? 'watch' : 'control';
  const draft = incidentDraft(role, 'logbook-broken', { run, fault: key, ...where });
  return (await recordAsDecided(open, [{ run: JOURNAL, drafts: [draft] }])).kind === 'recorded';
}

/** An error whose words are others at each look, perhaps somebody's own text, is told some times a day at one place. */
function isToldEnough({ store, lab }: OpenLab, { run, fault, thread }: BrokenRun): boolean {
  if (fault.kind !== 'look-failed') return false;
  const alike = store
    .current()
    .journal.incidents.filter(
      (one) =>
        isOf(one, run) &&
        (one.detail.thread ?? null) === thread &&
        one.detail.fault.startsWith(`${fault.kind}-`) &&
        lab.now() - (fromRfc3339(one.at) ?? 0) < limits.overLookMs,
    );
  return alike.length >= TROUBLES_TOLD_PER_DAY;
}

function isOf(incident: Incident, run: string): incident is IncidentOf<'logbook-broken'> {
  return incident.code === 'logbook-broken' && incident.detail.run === run;
}

async function isTold(open: OpenLab, { run, fault, state }: BrokenRun, thread: number): Promise<boolean> {
  const name = run === WHOLE_BRANCH ? (state?.run ?? JOURNAL) : run;
  const isRental = state !== null && rentalTerms(state) !== null;
  const notice = { run: name, fault, branch: open.config.logbookBranch, isRental };
  const owed = { thread, marker: logbookFaultMarker(notice), body: renderLogbookFault(notice) };
  return (await say(open, owed)).kind === 'stands';
}
