/** Posts one comment about a logbook that is broken or cannot be written. The journal determines which process posts it. */

import { GitError } from '../../domain/git.ts';
import { incidentDraft } from '../../domain/incidents.ts';
import { limits } from '../../domain/limits.ts';
import { rentalTerms } from '../../domain/logbook/holdings.ts';
import { faultKey } from '../../domain/logbook/logbook-fault.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { recordEntries } from '../../logbook/append.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { buildLogbookFaultMarker, renderLogbookFault } from '../../render/notice.ts';
import { sealTagName } from '../../run/command-events.ts';
import { mayPost, type PendingComment } from '../../run/publications.ts';
import { type BrokenRun, WHOLE_BRANCH } from '../broken-run.ts';
import { guard, type Trouble, troubleToFault } from '../contained-errors.ts';
import type { OpenLab } from '../open-lab.ts';
import { isPosted, post } from '../outbox.ts';

/** Number of sealed runs, and of unsealed runs, that one sweep checks. */
const SEAL_TAGS_LOOKED = 5;

/**
 * Checks the newest sealed runs for a missing or moved tag, and the newest unsealed runs for an unexpected tag, as of the last fetch. A git
 * failure is no finding.
 */
export async function findFaultySeals(open: OpenLab, troubles: Trouble[]): Promise<readonly BrokenRun[]> {
  const { runs } = open.store.current();
  const sealed = runs.filter(({ seal }) => seal !== null);
  // Skip a run that is being sealed: its tag is pushed before its record.
  const others = runs.filter((run) => run.seal === null && run.submission !== null && !hasPendingSeal(run));
  const found: BrokenRun[] = [];
  const looked = [...sealed.slice(0, SEAL_TAGS_LOOKED), ...others.slice(0, SEAL_TAGS_LOOKED)];
  // All at once, so that git fetches the tags together.
  const faults = looked.map((state) =>
    guard(open, troubles, { run: state.run, thread: null }, () => findSealFault(open, state)),
  );
  for (const [index, fault] of (await Promise.all(faults)).entries()) {
    const state = looked[index];
    if (fault !== null && state !== undefined) found.push({ run: state.run, fault, state, thread: null });
  }
  return found;
}

function hasPendingSeal({ commands }: RunState): boolean {
  return [...commands.values()].some(({ name, answer }) => name === 'seal' && answer === null);
}

async function findSealFault({ git, lab }: OpenLab, state: RunState): Promise<BrokenRun['fault'] | null> {
  const { run, seal } = state;
  const tag = seal?.tag ?? sealTagName(state);
  try {
    const found = await git.resolve(`refs/tags/${tag}`);
    if (seal === null) return found === null ? null : { kind: 'tag-without-seal', tag, found };
    return found === seal.commit ? null : { kind: 'seal-tag', tag, commit: seal.commit, found };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    lab.log(`the tag ${tag} could not be looked at: ${error.message}`, { run });
    return null;
  }
}

/** People can delete a posted notice, so read its thread again after this time. */
const NOTICE_RECHECK_MS = 10 * 60 * 1_000;

/**
 * Posts all faults of the record. `more`: faults outside the record, such as a lost seal tag. `heard`: threads with a new command. A notice
 * that cannot be posted is recorded as trouble.
 */
export async function reportCorruptLogbook(
  open: OpenLab,
  troubles: Trouble[],
  more: readonly BrokenRun[] = [],
  heard: readonly number[] = [],
): Promise<void> {
  const { broken, runs } = open.store.current();
  const ofRuns = new Set(runs.flatMap(({ proposal }) => [proposal.pull, proposal.issue]));
  // Threads without a run get their answers from the journal only, so they need the notice.
  const unanswered = heard.filter((thread) => !ofRuns.has(thread)).slice(0, limits.refusedToldInMax);
  const ofJournal = broken.filter(({ run }) => run === JOURNAL);
  const owed = unanswered.flatMap((thread) => ofJournal.map((fault) => ({ ...fault, thread })));
  const faults = [...broken, ...owed, ...findRefusedPush(open, heard), ...more];
  await reportFaults(open, faults, troubles);
}

/** Posts a notice for each error of one run, thread or file. */
export async function reportTroubles(open: OpenLab, troubles: Trouble[]): Promise<void> {
  const met = troubles.map((trouble) => troubleToFault(open, trouble));
  await reportFaults(open, met, troubles);
}

/** Posts only these faults. Alarms before a reconcile exclude refused pushes, because the reconcile retries them. */
export async function reportFaults(open: OpenLab, faults: readonly BrokenRun[], troubles: Trouble[]): Promise<void> {
  for (const broken of faults)
    await guard(open, troubles, { run: broken.run, thread: broken.thread }, () => postFault(open, broken));
}

async function postFault(open: OpenLab, broken: BrokenRun): Promise<void> {
  const owed = buildFaultNotice(open, broken);
  if (owed !== null && isPosted(open, owed)) return;
  const isRefused = broken.fault.kind === 'push-refused';
  open.lab.log('a fault is to be reported', { run: broken.run, fault: faultKey(broken.fault) });
  // If nothing can be recorded, only the thread shows whether the notice was posted.
  if (owed !== null && (isRefused || (await isOurTurn(open, broken)))) await post(open, owed);
}

/** A refused push as a fault of its run. Without a run, threads with new commands get the notice, because they get no answer. */
function findRefusedPush({ store }: OpenLab, heard: readonly number[]): readonly BrokenRun[] {
  const refusal = store.refusal();
  if (refusal === null) return [];
  const { run, after, message } = refusal;
  const state = store.current().runs.find((one) => one.run === run) ?? null;
  const refused = { run, fault: { kind: 'push-refused', after, message }, state, thread: null } as const;
  if (state !== null || heard.length === 0) return [refused];
  const threads = [...new Set(heard)].slice(0, limits.refusedToldInMax);
  return threads.map((thread) => ({ ...refused, thread }));
}

/** The thread for the notice. The journal and internal errors have no thread, so they use the newest run's thread. */
function threadForFault(open: OpenLab, { run, fault, state, thread }: BrokenRun): number | null {
  if (thread !== null) return thread;
  if (state !== null) return state.proposal.pull;
  const isElsewhere = run === JOURNAL || fault.kind === 'look-failed' || fault.kind === 'read-failed';
  return isElsewhere ? (open.store.current().runs[0]?.proposal.pull ?? null) : null;
}

/** Whether this process may post: the process that records the incident posts it. If nothing can be recorded, any process may post. */
async function isOurTurn(open: OpenLab, broken: BrokenRun): Promise<boolean> {
  const { run, fault, thread } = broken;
  const { store, lab } = open;
  if (store.current().broken.some((broken) => broken.run === WHOLE_BRANCH || broken.run === JOURNAL)) return true;
  const key = faultKey(fault);
  const recorded = store
    .current()
    .journal.incidents.find(
      (one) => one.code === 'logbook-broken' && one.detail.run === run && one.detail.fault === key,
    );
  const poster = { appended: store.appended(JOURNAL) };
  if (recorded !== undefined) return mayPost(recorded, poster, lab.now());
  const where = thread === null ? {} : { thread };
  const role = lab.signingKeys.control === undefined ? 'watch' : 'control';
  const draft = incidentDraft(role, 'logbook-broken', { run, fault: key, ...where });
  return (await recordEntries(open, [{ run: JOURNAL, drafts: [draft] }])).kind === 'recorded';
}

function buildFaultNotice(open: OpenLab, broken: BrokenRun): PendingComment | null {
  const { run, fault, state } = broken;
  const thread = threadForFault(open, broken);
  if (thread === null) return null;
  const name = run === WHOLE_BRANCH ? (state?.run ?? JOURNAL) : run;
  const isRental = state !== null && rentalTerms(state) !== null;
  const notice = { run: name, fault, branch: open.config.logbookBranch, isRental };
  const marker = buildLogbookFaultMarker(notice);
  return { thread, marker, body: renderLogbookFault(notice), recheckMs: NOTICE_RECHECK_MS };
}
