/**
 * mode: care, on the runner that holds the cluster's credentials: one proposed change of the cluster, taken by its digest as
 * a launch takes an order. It trusts nothing about it, claims it by a push, and only then calls anything.
 */

import { mintConsent } from '../../actions/mint.ts';
import { type ConsentFaultCode, consentFault } from '../../actions/verify-consent.ts';
import { type LaunchPlace, misplaced } from '../../actions/verify-place.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import { cutText } from '../../domain/cut-text.ts';
import { GitError } from '../../domain/git.ts';
import { branded, type Instant, isRunId, type RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { isOver, type RunState } from '../../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import type { OpenLab } from '../open-lab.ts';
import { gatherConsentFacts } from './consent-facts.ts';
import type { Ending, Hands } from './hands.ts';

export type CareInput = {
  /** A run, or `journal`. */
  readonly record: string;
  /** Digest of the proposal. Nothing else about it is taken from the workflow. */
  readonly mutation: string;
  readonly place: LaunchPlace;
  readonly defaultBranch: string;
  readonly workflowRun: number;
  /** Null where this runner has no hands for it: another cluster, or no place in the config. */
  readonly handsFor: (open: OpenLab, mutation: MutationRecord) => Hands | null;
  readonly redact: (text: string) => string;
};

/** `ended`: recorded how it ended; `refused`: nothing was called and it stands as it is. */
export type CareOutcome =
  | { readonly kind: 'ended'; readonly outcome: Ending['outcome']; readonly code: string }
  | { readonly kind: 'refused'; readonly code: string; readonly why: string };

/** Faults that leave the proposal as it is: it may still be carried out, or was never this runner's. */
const STANDING: ReadonlySet<ConsentFaultCode> = new Set([
  'not-proposed',
  'other-repository',
  'other-record',
  'already-over',
  'no-consent',
  'consent-expired',
  'consent-not-shown',
  'pre-approval-used-up',
  'held',
  'unreadable',
]);

/** Carries out one proposal. Every refusal has its code; nothing is called before the claim was pushed. */
export async function care(open: OpenLab, input: CareInput): Promise<CareOutcome> {
  const { lab, config, keeper } = open;
  const home = {
    repository: lab.repository,
    defaultBranch: input.defaultBranch,
    workflow: config.workflows.care,
  };
  const wrong = misplaced(input.place, home);
  if (wrong !== null) return { kind: 'refused', ...wrong };
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const found = find(open, input);
    if (found.kind === 'refused') return found;
    const { state, mutation } = found;
    const hands = input.handsFor(open, mutation);
    if (hands === null) return refused('no-hands', `nothing here changes ${mutation.proposal.cluster}`);
    if (mutation.begun !== null) return resume(open, input, mutation, hands);
    const facts = await gatherConsentFacts(open, input.defaultBranch, state, mutation);
    const consent = mutation.consents.at(-1) ?? null;
    const fault = consentFault(facts, consent);
    if (fault !== null) return refuse(open, input, fault);
    if (consent === null) throw new Error('a mutation without a consent was not refused');
    const look = await hands.look();
    if (look.kind === 'unknown') return refused('unreadable', input.redact(look.why));
    if (look.kind === 'changed') return end(open, input, refusal(look.code, look.why));
    const data = { proposal: mutation.digest, consent: consent.seq, workflowRun: input.workflowRun };
    const claim = await appendOnce(open, input, { type: 'mutation-begun', role: 'runner', data });
    if (claim !== null) return carryOut(open, input, claim, hands);
    await keeper.load();
  }
  throw new GitError('failed', 'the logbook kept moving, so nothing was called');
}

type Found =
  | { readonly kind: 'found'; readonly state: RunState | null; readonly mutation: MutationRecord }
  | Extract<CareOutcome, { kind: 'refused' }>;

function find({ keeper }: OpenLab, { record, mutation: digest }: CareInput): Found {
  const { runs, journal, broken } = keeper.current();
  const fault = broken.find(({ run }) => run === record || run === JOURNAL);
  if (fault !== undefined) return refused('unreadable', `the record of ${fault.run} does not verify`);
  const state = record === JOURNAL ? null : (runs.find(({ run }) => run === record) ?? null);
  if (state === null && record !== JOURNAL) return refused('not-proposed', `there is no run ${record}`);
  const mutation = (state ?? journal).mutations.find((one) => one.digest === digest);
  if (mutation === undefined) return refused('not-proposed', 'the record has no such proposal');
  if (mutation.ended !== null) return refused('already-over', mutation.ended.code);
  if (state !== null && isOver(state)) return refused('already-over', `${record} is over`);
  return { kind: 'found', state, mutation };
}

/** The claim stands: everything is asked once more, and what comes of it is recorded whatever it is. */
async function carryOut(
  open: OpenLab,
  input: CareInput,
  claim: { readonly seq: number },
  hands: Hands,
): Promise<CareOutcome> {
  const found = find(open, input);
  if (found.kind === 'refused') return found;
  const { state, mutation } = found;
  const facts = await gatherConsentFacts(open, input.defaultBranch, state, mutation);
  const minted = mintConsent(facts, claim);
  if (!minted.ok) return end(open, input, refusal(minted.error.code, minted.error.why));
  return end(open, input, await hands.act(minted.value, begunAt(mutation)));
}

/** Somebody began and did not say how it ended: nothing is called again, we look what became of it. */
async function resume(
  open: OpenLab,
  input: CareInput,
  mutation: MutationRecord,
  hands: Hands,
): Promise<CareOutcome> {
  return end(open, input, await hands.lookBack(begunAt(mutation)));
}

function begunAt({ begun }: MutationRecord): Instant {
  const at = fromRfc3339(begun?.at ?? '');
  if (at === null) throw new Error('a claim without a time');
  return at;
}

function refuse(
  open: OpenLab,
  input: CareInput,
  { code, why }: { readonly code: ConsentFaultCode; readonly why: string },
): Promise<CareOutcome> {
  return STANDING.has(code)
    ? Promise.resolve(refused(code, input.redact(why)))
    : end(open, input, refusal(code, why));
}

function refusal(code: string, why: string): Ending {
  return { outcome: 'refused', code, detail: { why } };
}

function refused(code: string, why: string): Extract<CareOutcome, { kind: 'refused' }> {
  return { kind: 'refused', code, why };
}

/** Records how it ended; a lost race is read again, and where somebody else has told the end theirs stands. */
async function end(open: OpenLab, input: CareInput, ending: Ending): Promise<CareOutcome> {
  const { outcome, code } = ending;
  const detail = Object.fromEntries(
    Object.entries(ending.detail).map(([name, value]) => [name, bounded(input, value)]),
  );
  const draft: EventDraft = {
    type: 'mutation-ended',
    role: 'runner',
    data: { proposal: digestIn(open, input), outcome, code, detail },
  };
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const found = find(open, input);
    if (found.kind === 'refused') return found;
    if ((await appendOnce(open, input, draft)) !== null) return { kind: 'ended', outcome, code };
    await open.keeper.load();
  }
  throw new GitError('failed', `the end (${code}) could not be recorded: the logbook kept moving`);
}

function digestIn(open: OpenLab, input: CareInput): MutationRecord['digest'] {
  const found = find(open, input);
  if (found.kind === 'refused') throw new Error(`the proposal is gone: ${found.why}`);
  return found.mutation.digest;
}

function bounded({ redact }: CareInput, value: string | number): string | number {
  return typeof value === 'number' ? value : cutText(redact(value), limits.messageCharactersMax);
}

/** The sequence number of the new entry, or null where somebody else wrote first. */
async function appendOnce(
  { keeper, lab }: OpenLab,
  { record }: CareInput,
  draft: EventDraft,
): Promise<{ readonly seq: number } | null> {
  const name: RunId | typeof JOURNAL = record === JOURNAL ? JOURNAL : branded(record, isRunId);
  const result = await keeper.append(name, [draft], lab.now());
  if (result.kind === 'refused')
    throw new GitError('failed', `${draft.type} could not be pushed: ${result.message}`);
  if (result.kind === 'failed') throw new Error(`${draft.type} could not be written: ${result.message}`);
  const seq = result.kind === 'appended' ? result.seqs.get(name)?.[0] : undefined;
  return seq === undefined ? null : { seq };
}
