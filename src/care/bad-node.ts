/**
 * A bad TPU node (policy ML-29): finds the one machine behind a failure signature in the log, and proposes to delete it.
 * If the machine is uncertain, ferrybot asks a person and never guesses.
 */

import type { ActionRecord, VmIdentity } from '../domain/actions/action.ts';
import { deleteStep, isSameAddress, type TpuVm, type VmListing } from '../domain/care/machines.ts';
import { filterIncidents, type Incident, incidentDraft } from '../domain/incidents.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { assertNever, brandAs, type DigestOf, fromRfc3339, type Instant, isInstant } from '../domain/values.ts';
import { proposeAction } from './action-approval.ts';

/** How long the machine listing is retried before a person is informed that it fails. */
export const BAD_NODE_PATIENCE_MS = 10 * 60 * 1_000;
/** The most proposals for one attempt: an unused proposal is repeated, but not forever. */
const NODE_PROPOSALS_MAX = 3;

/** The failure signatures for which the policy allows replacing a TPU machine. */
const NODE_SIGNATURES: ReadonlySet<string> = new Set(['no-accelerator', 'driver-cleanup', 'device-busy']);

/** The match in the log of the current attempt. */
type BadNodeMatch = {
  readonly attempt: number;
  readonly signatures: readonly string[];
  readonly lines: readonly string[];
  /** Addresses of workers; `several` if one line represents more workers than it names. */
  readonly workers: readonly string[];
  /** When the match was first seen; null if that is unknown, as for a log in a file. */
  readonly since: Instant | null;
};

export const UNCLEAR_CODES = [
  'no-address',
  'several-workers',
  'not-configured',
  'no-machine',
  'several-machines',
  'made-since',
  'being-deleted',
  'head-node',
  'unreadable',
] as const;
type UnclearCode = (typeof UNCLEAR_CODES)[number];

type BadNodeJudgement =
  | { readonly kind: 'found'; readonly vm: TpuVm; readonly identity: VmIdentity; readonly workers: readonly number[] }
  | { readonly kind: 'unclear'; readonly code: UnclearCode; readonly why: string }
  /** The machines could not be listed yet. */
  | { readonly kind: 'wait'; readonly why: string };

/** The signature match without an answer so far: no proposal, and no question to a person. Null if there is none. */
export function findOpenBadNodeMatch(state: RunState): BadNodeMatch | null {
  const { submission, end, stop } = state;
  if (submission === null || stop !== null || isOver(state) || end?.status === 'SUCCEEDED') return null;
  const { attempt } = submission;
  const incidents = state.incidents.filter((one) => isOfAttempt(one, attempt));
  const seen = filterIncidents(incidents, 'failure-signature').filter(
    // rule ML-29
    ({ detail }) => NODE_SIGNATURES.has(detail.signature),
  );
  const [first] = seen;
  const isProposed = hasProposal(state, attempt);
  const isAsked = incidents.some(({ code }) => code === 'bad-node-unclear');
  if (first === undefined || isProposed || isAsked) return null;
  return {
    attempt,
    signatures: seen.map(({ detail }) => detail.signature),
    lines: seen.map(({ detail }) => detail.line),
    workers: [...new Set(seen.flatMap(({ detail }) => (detail.workers ?? '').split(' ').filter(Boolean)))],
    since: fromRfc3339(first.at) ?? brandAs(0, isInstant),
  };
}

/** A proposal that came to nothing is repeated with current evidence, at most `NODE_PROPOSALS_MAX` times. */
function hasProposal({ actions }: RunState, attempt: number): boolean {
  const made = actions.filter(({ evidence }) => evidence.facts['attempt'] === attempt);
  return made.length >= NODE_PROPOSALS_MAX || made.some((one) => !endedWithoutEffect(one));
}

/** No call was made and the machine is unchanged: the runner refused the consent, or died before the call. */
function endedWithoutEffect({ ended }: ActionRecord): boolean {
  return ended !== null && (ended.outcome === 'refused' || ended.code === 'interrupted');
}

function isOfAttempt(incident: Incident, attempt: number): boolean {
  if (incident.code !== 'failure-signature' && incident.code !== 'bad-node-unclear') return false;
  return (incident.detail.attempt ?? 1) === attempt;
}

/** The one machine behind the match, or why it is uncertain. All hosts of one slice are one machine. */
export function judgeBadNode(match: BadNodeMatch, listing: VmListing | null, now: Instant): BadNodeJudgement {
  const { workers, since } = match;
  const [address] = workers;
  if (address === undefined)
    return unclearJudgement('no-address', 'no line of the log says on which worker it happened');
  if (workers.includes('several')) return unclearJudgement('several-workers', workers.join(', '));
  if (listing === null) return unclearJudgement('not-configured', address);
  if (listing.kind === 'unknown')
    return since !== null && now >= since + BAD_NODE_PATIENCE_MS
      ? unclearJudgement('unreadable', listing.message)
      : { kind: 'wait', why: listing.message };
  const named = workers.map((one) => ({ address: one, vms: listing.vms.filter((vm) => hasAddress(vm, one)) }));
  const nowhere = named.find(({ vms }) => vms.length === 0);
  if (nowhere !== undefined) return unclearJudgement('no-machine', nowhere.address);
  // Addresses are reused: a machine created after the failure is a healthy replacement.
  const then = named.map(({ vms }) => vms.filter((vm) => !wasCreatedAfter(vm, since)));
  const replaced = named.find((_, index) => then[index]?.length === 0);
  if (replaced !== undefined) return unclearJudgement('made-since', replaced.vms.map(({ name }) => name).join(', '));
  const ambiguous = then.find((vms) => vms.length > 1);
  if (ambiguous !== undefined) return unclearJudgement('several-machines', joinNames(ambiguous));
  const [vm, ...others] = new Set(then.flat());
  if (vm === undefined || others.length > 0)
    return unclearJudgement('several-workers', `${workers.join(', ')}: ${joinNames(then.flat())}`);
  // Deleting the head node restarts the cluster. A consent here must not allow that.
  if (vm.rayNodeType === 'head') return unclearJudgement('head-node', vm.name);
  if (vm.state === 'DELETING') return unclearJudgement('being-deleted', vm.name);
  const { name, zone, createdAt } = vm;
  return { kind: 'found', vm, workers: listHostIndexes(vm, workers), identity: { name, zone, createdAt, address } };
}

function hasAddress({ workers }: TpuVm, address: string): boolean {
  return workers.some((addresses) => addresses.some((one) => isSameAddress(one, address)));
}

function listHostIndexes({ workers }: TpuVm, named: readonly string[]): readonly number[] {
  return workers.flatMap((addresses, host) =>
    addresses.some((one) => named.some((address) => isSameAddress(one, address))) ? [host] : [],
  );
}

function wasCreatedAfter({ createdAt }: TpuVm, since: Instant | null): boolean {
  const madeAt = fromRfc3339(createdAt);
  return since !== null && madeAt !== null && madeAt > since;
}

function joinNames(vms: readonly TpuVm[]): string {
  return [...new Set(vms.map(({ name }) => name))].join(', ');
}

function unclearJudgement(code: UnclearCode, why: string): BadNodeJudgement {
  return { kind: 'unclear', code, why };
}

type NodeProposalInput = {
  readonly state: RunState;
  readonly match: BadNodeMatch;
  /** Null if the config does not configure the machines. */
  readonly listing: VmListing | null;
  readonly repository: string;
  readonly project: string;
  readonly now: Instant;
  readonly digestOf: DigestOf;
  readonly redact: (text: string) => string;
};

/** The event for the watch to record; null while the machines cannot be listed. */
export function answerBadNodeMatch(input: NodeProposalInput): EventDraft | null {
  const { state, match, redact } = input;
  const judged = judgeBadNode(match, input.listing, input.now);
  switch (judged.kind) {
    case 'wait':
      return null;
    case 'unclear': {
      const detail = {
        reason: judged.code,
        why: redact(judged.why),
        signature: match.signatures.join(' '),
        attempt: match.attempt,
      };
      return incidentDraft('watch', 'bad-node-unclear', detail);
    }
    case 'found': {
      const { vm, identity, workers } = judged;
      const facts = {
        attempt: match.attempt,
        signature: match.signatures.join(' '),
        address: match.workers.join(' '),
        worker: workers.join(' '),
        state: vm.state,
        acceleratorType: vm.acceleratorType,
        rayCluster: vm.rayCluster,
        job: state.end?.status ?? state.observation?.status ?? 'UNKNOWN',
      };
      const evidence = { facts, lines: match.lines };
      const what = {
        record: state.run,
        repository: input.repository,
        cluster: state.submission?.cluster ?? '',
        change: { kind: 'delete-tpu-vm', vm: identity },
        steps: [deleteStep(input.project, identity)],
        thread: state.proposal.issue,
        round: state.actions.length + 1,
      } as const;
      return proposeAction('watch', what, evidence, input.digestOf);
    }
    default:
      return assertNever(judged);
  }
}
