/** What a scan and the looks at its workers come to, as it is recorded: workers that are short, each with what was seen. */

import { assertNever } from '../../domain/assert.ts';
import type { CleanupState, DiskScan, ScannedWorker } from '../../domain/care/disk-scan.ts';
import type { VmIdentity } from '../../domain/care/mutation.ts';
import { type TpuVm, type VmListing, vmNamed } from '../../domain/care/tpu-vm.ts';
import type { MountPoint } from '../../domain/care/worker-disk.ts';
import { cutText } from '../../domain/cut-text.ts';
import { limits } from '../../domain/limits.ts';
import { judgeWorker, type WorkerEvidence, type WorkerJudgement } from './judge-worker.ts';
import type { LowWorker, ScanReport } from './scan-report.ts';

/** The largest folders of a worker that are recorded and shown. */
const SHOWN_FOLDERS_MAX = 5;

/** What was seen over ssh; null: it was not looked at. */
export type Looks = Pick<WorkerEvidence, 'disk' | 'mounts' | 'folders'>;

export type ScanFacts = {
  readonly cluster: string;
  readonly report: ScanReport;
  readonly listing: VmListing;
  readonly looks: ReadonlyMap<LowWorker, Looks>;
  readonly cleanup: CleanupState;
  readonly policy: {
    readonly mountPoint: MountPoint;
    readonly thresholdPercent: number;
    readonly warnPercent: number;
  };
};

/** The record of one scan. A worker that has room again by the time that it is looked at is left out. */
export function scanRecord(facts: ScanFacts): DiskScan {
  const { cluster, report, cleanup, policy } = facts;
  const common = { cluster, cleanup, ...policy };
  if (report.kind === 'unreadable')
    return { ...common, reading: 'unreadable', why: `${report.code}: ${bounded(report.line)}`, workers: [] };
  const [first] = report.problems;
  return {
    ...common,
    reading: first === undefined ? 'whole' : 'partial',
    why: first === undefined ? '' : `${first.code}: ${bounded(first.line)}`,
    workers: report.low.flatMap((worker) => workerOf(worker, facts)),
  };
}

function workerOf(low: LowWorker, { listing, looks, policy }: ScanFacts): readonly ScannedWorker[] {
  const vm = vmNamed(listing, low.tpu);
  const seen = looks.get(low);
  const base = { tpu: low.tpu, worker: low.worker, vm: vm === null ? null : identityOf(vm, low.worker) };
  const levelOf = (percentFree: number): ScannedWorker['level'] =>
    percentFree <= policy.thresholdPercent ? 'low' : 'warning';
  if (seen === undefined) {
    const { percentFree } = low;
    const finding = vm === null ? 'vm-unknown' : 'not-inspected';
    const detail = { available: low.available };
    return [
      { ...base, percentFree: shown(percentFree), level: levelOf(percentFree), finding, detail, folders: [] },
    ];
  }
  const judged = judgeWorker(
    { tpu: low.tpu, worker: low.worker, scannedPercentFree: low.percentFree, ...seen },
    { mountPoint: policy.mountPoint, thresholdPercent: policy.warnPercent },
  );
  if (judged.kind === 'fine') return [];
  const percentFree = shown(judged.percentFree);
  return [{ ...base, percentFree, level: levelOf(judged.percentFree), ...findingOf(judged) }];
}

/** The machine by which a proposal is bound: a replacement of the same name was made at another time. */
function identityOf({ name, zone, createdAt, workers }: TpuVm, worker: number): VmIdentity | null {
  const address = workers[worker]?.[0];
  return address === undefined ? null : { name, zone, createdAt, address };
}

function findingOf(
  judged: Exclude<WorkerJudgement, { kind: 'fine' }>,
): Pick<ScannedWorker, 'finding' | 'detail' | 'folders'> {
  if (judged.kind === 'unknown')
    return { finding: judged.code, detail: { why: bounded(judged.why) }, folders: [] };
  const folders = judged.folders.slice(0, SHOWN_FOLDERS_MAX);
  const { cause } = judged;
  switch (cause.code) {
    case 'mount-missing': {
      const { misplacedBytes, percentFreeAfter } = cause;
      return {
        finding: cause.code,
        detail: { misplacedBytes, percentFreeAfter: shown(percentFreeAfter) },
        folders,
      };
    }
    case 'mount-missing-empty':
      return { finding: cause.code, detail: {}, folders };
    case 'mount-there':
      return { finding: cause.code, detail: { type: cause.type }, folders };
    case 'mount-below':
    case 'other-disk':
      return { finding: cause.code, detail: { at: cause.at }, folders };
    default:
      return assertNever(cause);
  }
}

/** Events hold no floats. */
function shown(percent: number): string {
  return percent.toFixed(1);
}

function bounded(text: string): string {
  return cutText(text.trim(), limits.messageCharactersMax);
}
