/** Proposes the cluster changes that its newest scan calls for. Each proposal is complete before people are asked for consent. */

import {
  type ActionEvidence,
  type ActionProposal,
  type ActionRecord,
  areSameSteps,
  type ChangeStep,
  type ClusterChange,
  describeTarget,
} from '../../domain/actions/action.ts';
import type { RecordedScan, ScannedWorker } from '../../domain/care/machines.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import type { DigestOf } from '../../domain/values.ts';
import { proposeAction } from '../action-approval.ts';

export type DiskProposalInput = {
  readonly scan: RecordedScan;
  /** The journal's actions, oldest first. */
  readonly actions: readonly ActionRecord[];
  readonly repository: string;
  readonly thread: number;
  readonly steps: DiskSteps;
  readonly digestOf: DigestOf;
};

/** The exact calls that will be made. */
export type DiskSteps = {
  readonly cleanDisk: (worker: Pick<ScannedWorker, 'tpu' | 'worker' | 'vm'>) => ChangeStep;
  readonly initialise: (tpu: string) => ChangeStep;
  readonly startCleanup: () => ChangeStep;
};

/**
 * Drafts of new proposals. A TPU VM is initialised as a whole, so one proposal clears all its hosts with data under a
 * missing mount, then initialises the VM (policy AG-18 and AG-19). An open proposal is not repeated. After a change has
 * ended, only a newer scan leads to another proposal.
 */
export function proposeDiskActions(input: DiskProposalInput): readonly EventDraft[] {
  const { scan, steps } = input;
  const unmounted = scan.workers.filter(({ finding, vm }) => finding === 'mount-missing' && vm !== null);
  const cleaned = [...Map.groupBy(unmounted, ({ tpu }) => tpu)].flatMap(([tpu, workers]) => {
    const vm = workers[0]?.vm ?? null;
    if (vm === null || !isTpuFullyInspected(scan, tpu) || workers.length > limits.cleanHostsMax) return [];
    const change: ClusterChange = { kind: 'clean-disk', vm, mountPoint: scan.mountPoint };
    return proposeUnlessOpen(
      input,
      change,
      // rule AG-19
      [...workers.map(steps.cleanDisk), steps.initialise(tpu)],
      buildCleanEvidence(workers),
    );
  });
  const cron =
    // rule AG-21
    scan.cleanup === 'not-seen'
      ? proposeUnlessOpen(input, { kind: 'start-cleanup-cron', head: scan.cluster }, [steps.startCleanup()], {
          facts: { cleanup: scan.cleanup },
          lines: [],
        })
      : [];
  return [...cleaned, ...cron];
}

/** The changes of this cluster's disks for its thread, oldest first. */
export function listDiskActions(actions: readonly ActionRecord[], cluster: string): readonly ActionRecord[] {
  return actions.filter(({ proposal }) => proposal.cluster === cluster && proposal.change.kind !== 'delete-tpu-vm');
}

/** The mount will cover data that was not cleared, so a machine with an uninspected host waits for the next scan. */
function isTpuFullyInspected({ workers }: RecordedScan, tpu: string): boolean {
  return !workers.some((one) => one.tpu === tpu && one.finding === 'not-inspected');
}

function proposeUnlessOpen(
  { scan, actions, repository, thread, digestOf }: DiskProposalInput,
  change: ClusterChange,
  steps: readonly ChangeStep[],
  evidence: ActionEvidence,
): readonly EventDraft[] {
  const before = listDiskActions(actions, scan.cluster).filter(
    ({ proposal }) =>
      proposal.change.kind === change.kind && describeTarget(proposal.change) === describeTarget(change),
  );
  const last = before.at(-1);
  if (last !== undefined) {
    const isOver = last.ended !== null;
    if (isOver && (last.ended?.seq ?? 0) > scan.seq) return [];
    if (!isOver && (last.claim !== null || isSameProposal(last.proposal, change, steps))) return [];
  }
  const what = {
    record: 'journal',
    repository,
    cluster: scan.cluster,
    change,
    steps,
    thread,
    round: before.length + 1,
  };
  return [proposeAction('control', what, evidence, digestOf)];
}

/** The same machine and the same calls. A slightly fuller disk does not make another proposal. */
function isSameProposal(
  { change: before, steps: shown }: ActionProposal,
  change: ClusterChange,
  steps: readonly ChangeStep[],
): boolean {
  const isMachine =
    before.kind !== 'clean-disk' || (change.kind === 'clean-disk' && before.vm.createdAt === change.vm.createdAt);
  return isMachine && areSameSteps(shown, steps);
}

/** The hosts of a proposed clean-up, from the facts of its evidence. */
export function workersInEvidence({ facts }: ActionEvidence): readonly number[] {
  const workers = Object.keys(facts).flatMap((name) => {
    const match = /^worker-(\d{1,4})-percent-free$/.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
  // Canonical JSON puts worker-10 before worker-2.
  return workers.toSorted((a, b) => a - b);
}

function buildCleanEvidence(workers: readonly ScannedWorker[]): ActionEvidence {
  const facts = workers.flatMap(({ worker, percentFree, detail }) => [
    [`worker-${worker}-percent-free`, percentFree] as const,
    [`worker-${worker}-unmounted-bytes`, detail['misplacedBytes'] ?? 0] as const,
  ]);
  return { facts: Object.fromEntries(facts), lines: [] };
}
