/** Which changes of a cluster its newest scan calls for: what people may consent to, whole, before anything is done. */

import { areSameSteps } from '../../domain/actions/step.ts';
import type { RecordedScan, ScannedWorker } from '../../domain/care/disk-scan.ts';
import type {
  Mutation,
  MutationEvidence,
  MutationProposal,
  MutationStep,
} from '../../domain/care/mutation.ts';
import { targetName } from '../../domain/care/mutation.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import type { DigestOf } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { evidenceDigest, proposalDigest } from '../mutation-digest.ts';

export type DiskProposalInput = {
  readonly scan: RecordedScan;
  /** Of the journal, oldest first. */
  readonly mutations: readonly MutationRecord[];
  readonly repository: string;
  readonly thread: number;
  /** The exact calls, as they will be made. */
  readonly steps: {
    readonly clean: (worker: ScannedWorker) => MutationStep;
    readonly initialise: (tpu: string) => MutationStep;
    readonly startCleanup: () => MutationStep;
  };
  readonly digestOf: DigestOf;
};

/**
 * Drafts of what is proposed anew. A TPU VM is initialised as a whole, so that one proposal clears all of its hosts that
 * have data beside a missing mount, then initialises it (policy AG-18 and AG-19). What
 * stands proposed is not proposed again, and after an end only on a scan that is newer.
 */
export function diskProposals(input: DiskProposalInput): readonly EventDraft[] {
  const { scan, steps } = input;
  const unmounted = scan.workers.filter(({ finding, vm }) => finding === 'mount-missing' && vm !== null);
  const cleaned = [...Map.groupBy(unmounted, ({ tpu }) => tpu)].flatMap(([tpu, workers]) => {
    const vm = workers[0]?.vm ?? null;
    if (vm === null || !isWhole(scan, tpu) || workers.length > limits.cleanHostsMax) return [];
    const mutation: Mutation = { kind: 'clean-disk', vm, mountPoint: scan.mountPoint };
    return proposed(
      input,
      mutation,
      // rule AG-19
      [...workers.map(steps.clean), steps.initialise(tpu)],
      cleanEvidence(workers),
    );
  });
  const cron =
    // rule AG-21
    scan.cleanup === 'not-seen'
      ? proposed(input, { kind: 'start-cleanup-cron', head: scan.cluster }, [steps.startCleanup()], {
          facts: { cleanup: scan.cleanup },
          lines: [],
        })
      : [];
  return [...cleaned, ...cron];
}

/** Changes of this cluster's disks that its thread tells of, oldest first. */
export function diskMutations(
  mutations: readonly MutationRecord[],
  cluster: string,
): readonly MutationRecord[] {
  return mutations.filter(
    ({ proposal }) => proposal.cluster === cluster && proposal.mutation.kind !== 'delete-tpu-vm',
  );
}

/** Its mount comes back over whatever was not cleared: a machine of which a host was not looked at is left for the next scan. */
function isWhole({ workers }: RecordedScan, tpu: string): boolean {
  return !workers.some((one) => one.tpu === tpu && one.finding === 'not-inspected');
}

function proposed(
  { scan, mutations, repository, thread, digestOf }: DiskProposalInput,
  mutation: Mutation,
  steps: readonly MutationStep[],
  evidence: MutationEvidence,
): readonly EventDraft[] {
  const before = diskMutations(mutations, scan.cluster).filter(
    ({ proposal }) =>
      proposal.mutation.kind === mutation.kind && targetName(proposal.mutation) === targetName(mutation),
  );
  const last = before.at(-1);
  if (last !== undefined) {
    const isOver = last.ended !== null;
    if (isOver && (last.ended?.seq ?? 0) > scan.seq) return [];
    if (!isOver && (last.begun !== null || isSame(last.proposal, mutation, steps))) return [];
  }
  const proposal: MutationProposal = {
    v: 1,
    record: 'journal',
    repository,
    cluster: scan.cluster,
    mutation,
    steps,
    evidence: evidenceDigest(evidence, digestOf),
    thread,
    round: before.length + 1,
  };
  const digest = proposalDigest(proposal, digestOf);
  return [{ type: 'mutation-proposed', role: 'control', data: { proposal, digest, evidence } }];
}

/** The same machine and the same calls; that a disk got a little fuller is no other proposal. */
function isSame(
  { mutation: before, steps: shown }: MutationProposal,
  mutation: Mutation,
  steps: readonly MutationStep[],
): boolean {
  const isMachine =
    before.kind !== 'clean-disk' ||
    (mutation.kind === 'clean-disk' && before.vm.createdAt === mutation.vm.createdAt);
  return isMachine && areSameSteps(shown, steps);
}

/** The hosts that a clean-up was proposed for, by the facts that were shown with it. */
export function evidenceWorkers({ facts }: MutationEvidence): readonly number[] {
  const workers = Object.keys(facts).flatMap((name) => {
    const match = /^worker-(\d{1,4})-percent-free$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
  // Canonical JSON puts worker-10 before worker-2.
  return workers.toSorted((a, b) => a - b);
}

function cleanEvidence(workers: readonly ScannedWorker[]): MutationEvidence {
  const facts = workers.flatMap(({ worker, percentFree, detail }) => [
    [`worker-${worker}-percent-free`, percentFree] as const,
    [`worker-${worker}-unmounted-bytes`, detail['misplacedBytes'] ?? 0] as const,
  ]);
  return { facts: Object.fromEntries(facts), lines: [] };
}
