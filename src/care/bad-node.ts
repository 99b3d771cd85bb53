/**
 * A bad TPU node (policy/job-monitoring-loop.md, TPU Bad-Node Recovery): from the log's signature to the one machine
 * that it came from, and the proposal to delete it. What is not certain is asked, never guessed.
 */

import type { VmIdentity } from '../domain/care/mutation.ts';
import type { MutationRecord } from '../domain/care/mutation-state.ts';
import type { TpuVm, VmListing } from '../domain/care/tpu-vm.ts';
import { branded, type Instant, isInstant } from '../domain/ids.ts';
import { isSameAddress } from '../domain/ip-address.ts';
import { limits } from '../domain/limits.ts';
import type { Incident, RunState } from '../domain/logbook/run-state.ts';
import { isOver } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

/** What the log of the current attempt shows. */
export type BadNodeSighting = {
  readonly attempt: number;
  readonly signatures: readonly string[];
  readonly lines: readonly string[];
  /** Addresses of workers; `several` where one line stands for more than it names. */
  readonly workers: readonly string[];
  readonly since: Instant;
};

export const UNCLEAR = [
  'no-address',
  'several-workers',
  'not-configured',
  'no-machine',
  'several-machines',
  'head-node',
  'unreadable',
] as const;
export type UnclearCode = (typeof UNCLEAR)[number];

export type BadNodeJudgement =
  | { readonly kind: 'found'; readonly vm: TpuVm; readonly identity: VmIdentity; readonly worker: number }
  | { readonly kind: 'unclear'; readonly code: UnclearCode; readonly why: string }
  /** The machines could not be listed yet. */
  | { readonly kind: 'wait'; readonly why: string };

/** The sighting that nobody has answered yet: with a proposal, or by asking a person. Null where nothing is owed. */
export function openSighting(state: RunState): BadNodeSighting | null {
  const { submission, end, stop } = state;
  if (submission === null || stop !== null || isOver(state) || end?.status === 'SUCCEEDED') return null;
  const { attempt } = submission;
  const incidents = state.incidents.filter((one) => isOfAttempt(one, attempt));
  const seen = incidents.filter(
    ({ code, detail }) => code === 'failure-signature' && detail['advice'] === 'propose-node',
  );
  const [first] = seen;
  const isProposed = hasProposal(state, attempt);
  const isAsked = incidents.some(({ code }) => code === 'bad-node-unclear');
  if (first === undefined || isProposed || isAsked) return null;
  return {
    attempt,
    signatures: seen.map(({ detail }) => String(detail['signature'])),
    lines: seen.map(({ detail }) => String(detail['line'])),
    workers: [
      ...new Set(
        seen.flatMap(({ detail }) =>
          String(detail['workers'] ?? '')
            .split(' ')
            .filter(Boolean),
        ),
      ),
    ],
    since: fromRfc3339(first.at) ?? branded(0, isInstant),
  };
}

/** A proposal that came to nothing is made anew, with today's evidence, a bounded number of times. */
function hasProposal({ mutations }: RunState, attempt: number): boolean {
  const made = mutations.filter(({ evidence }) => evidence.facts['attempt'] === attempt);
  return made.length >= limits.nodeProposalsMax || made.some((one) => !cameToNothing(one));
}

/** Nothing was called, and the machine is as it was: its consent fell, or the runner died before the call. */
function cameToNothing({ ended }: MutationRecord): boolean {
  if (ended === null) return false;
  if (ended.code === 'interrupted') return true;
  return ended.outcome === 'refused' && (ended.code.startsWith('consent') || ended.code === 'unreadable');
}

function isOfAttempt({ detail }: Incident, attempt: number): boolean {
  return (detail['attempt'] ?? 1) === attempt;
}

/** The one machine that the sighting means, or why that cannot be said. */
export function judgeBadNode(
  sighting: BadNodeSighting,
  listing: VmListing | null,
  now: Instant,
): BadNodeJudgement {
  const [address] = sighting.workers;
  if (address === undefined)
    return unclear('no-address', 'no line of the log says on which worker it happened');
  if (sighting.workers.length > 1 || address === 'several')
    return unclear('several-workers', sighting.workers.join(', '));
  if (listing === null) return unclear('not-configured', address);
  if (listing.kind === 'unknown')
    return now >= sighting.since + limits.badNodePatienceMs
      ? unclear('unreadable', listing.message)
      : { kind: 'wait', why: listing.message };
  const found = listing.vms.flatMap((vm) => {
    const worker = vm.workers.findIndex((addresses) => addresses.some((one) => isSameAddress(one, address)));
    return worker < 0 ? [] : [{ vm, worker }];
  });
  const [only] = found;
  if (only === undefined) return unclear('no-machine', address);
  if (found.length > 1) return unclear('several-machines', found.map(({ vm }) => vm.name).join(', '));
  // Whoever deletes the head has restarted the cluster, which nobody can consent to here.
  if (only.vm.rayNodeType === 'head') return unclear('head-node', only.vm.name);
  const { name, zone, createdAt } = only.vm;
  return { kind: 'found', ...only, identity: { name, zone, createdAt, address } };
}

function unclear(code: UnclearCode, why: string): BadNodeJudgement {
  return { kind: 'unclear', code, why };
}
