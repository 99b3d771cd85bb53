// Promises about rented machines, judged from people's comments, the machines and the record's bytes.

import type { RentedMachine } from '../support/rented-machines.ts';
import { findSituationFaults, findStartFaults, findStopFaults, listApprovalsOf } from './checker.ts';
import { answerDelayMs, findAnswerFaults } from './checker-answers.ts';
import { parseManifest } from './checker-record.ts';
import type { RentalScene } from './rental.ts';
import { FORGED_KEEP, LOST_ANSWER, RENTED_DOLLARS, RENTED_HOURS } from './terms.ts';
import type { Start } from './witness.ts';

const MINUTE = 60_000;
/** The watch checks the job and the account every ten minutes, and acts on the result immediately. */
const LOOK_MS = 20 * MINUTE;
/** The time a machine has from its creation until its first step. */
const START_MS = 45 * MINUTE;
/** How long a machine may exist without an observed step: a damaged record does not get the job's end. */
const IDLE_MS = 30 * MINUTE;
/** One machine is destroyed while the next one is created. */
const OVERLAP_MS = 5 * MINUTE;
/** A machine's cost until the next check is known in advance, except for rounding. */
const DOLLARS_SLACK = 0.02;

/** Every broken promise of this sequence, in words; empty if none is broken. */
export async function findRentalFaults(scene: RentalScene): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [index, start] of scene.starts.entries())
    faults.push(...(await (index === 0 ? findStartFaults(scene, start) : nextFaults(scene, start))));
  if (scene.machines.made.length > new Set(scene.machines.made.map(({ jobId }) => jobId)).size)
    faults.push('a job has two machines');
  for (const made of scene.machines.made) faults.push(...(await machineFaults(scene, made)));
  return [
    ...faults,
    ...overlaps(scene),
    ...moneyFaults(scene),
    ...letGoFaults(scene),
    ...(await findStopFaults(scene)),
    ...findAnswerFaults(scene),
  ];
}

/** Another attempt is within the first one's approval, or has a new approval. */
async function nextFaults(scene: RentalScene, start: Start): Promise<readonly string[]> {
  const [first] = scene.starts;
  const { digest, manifest } = parseManifest(start);
  const isFirst = first !== undefined && parseManifest(first).digest === digest;
  const restarts = Number(manifest?.envelope?.restarts ?? 0);
  const before = scene.starts.indexOf(start);
  const isWithin = isFirst && before <= restarts && isAsApproved(start, first);
  return isWithin
    ? findSituationFaults(scene, start, listApprovalsOf(scene, start, digest))
    : findStartFaults(scene, start);
}

/** The only allowed difference is a smaller batch from the approved manifest. */
function isAsApproved(start: Start, first: Start): boolean {
  const reductions = parseManifest(first).manifest?.envelope?.reductions ?? [];
  const plain = first.spec.command.join(' ');
  const now = start.spec.command.join(' ');
  return now === plain || reductions.some((one) => now === plain.replace(/--batch-size \d+/, one));
}

/** How long a machine existed, and its purpose. */
async function machineFaults(scene: RentalScene, made: RentedMachine): Promise<readonly string[]> {
  const { lab } = scene;
  const goneAtMs = made.endedAtMs ?? lab.clock.now();
  const at = `machine ${made.id} of ${made.jobId}`;
  const lived = goneAtMs - made.atMs;
  const tooLong =
    lived > RENTED_HOURS * 3_600_000 + MINUTE ? [`${at} was there ${Math.round(lived / MINUTE)} min`] : [];
  const jobEndedAtMs = await scene.machines.jobEndedAtMs(made.jobId);
  if (jobEndedAtMs === null || isKept(scene)) return tooLong;
  if (isStranded(scene) && lived <= START_MS + LOOK_MS) return tooLong;
  const left = goneAtMs - jobEndedAtMs;
  return left > lookMs(scene) ? [...tooLong, `${at} was left for ${Math.round(left / MINUTE)} min`] : tooLong;
}

/**
 * No launcher uses a damaged record: a machine without a confirmed creation then has no job, and keeps its
 * grace period until a first step.
 */
function isStranded(scene: RentalScene): boolean {
  return isBroken(scene) && scene.deeds.some((deed) => deed.kind === 'attack' && deed.what === LOST_ANSWER);
}

function isBroken({ deeds, run }: RentalScene): boolean {
  return deeds.some((deed) => deed.kind === 'changed-record' && deed.path.includes(run));
}

/** A machine without a confirmed creation is unknown until the launcher runs again. */
function lookMs(scene: RentalScene): number {
  const { deeds, launcher } = scene;
  const isLost = deeds.some((deed) => deed.kind === 'attack' && deed.what === LOST_ANSWER);
  const unknownMs = isLost ? LOOK_MS + launcher.longestAwayMs : 0;
  return LOOK_MS + Math.max(unknownMs, isBroken(scene) ? IDLE_MS : 0);
}

/** A kept machine may exist next to the next attempt's, within the cost limit of both. */
function isKept({ deeds }: RentalScene): boolean {
  return deeds.some((deed) => deed.kind === 'kept' || (deed.kind === 'attack' && deed.what === FORGED_KEEP));
}

function overlaps(scene: RentalScene): readonly string[] {
  const { machines, lab } = scene;
  const now = lab.clock.now();
  if (isKept(scene)) return [];
  return machines.made.slice(1).flatMap((made, index) => {
    const before = machines.made[index];
    if (before === undefined) return [];
    const both = Math.min(before.endedAtMs ?? now, made.endedAtMs ?? now) - made.atMs;
    return both > OVERLAP_MS ? [`${before.jobId} and ${made.jobId} had machines for ${both / MINUTE} min`] : [];
  });
}

function moneyFaults({ machines }: RentalScene): readonly string[] {
  const dollars = machines.account.billed();
  return dollars > RENTED_DOLLARS + DOLLARS_SLACK ? [`it cost ${dollars.toFixed(3)} dollars`] : [];
}

/** A permitted /teardown destroys the machine, and no other one is created. */
function letGoFaults(scene: RentalScene): readonly string[] {
  const { deeds, lab, machines } = scene;
  const { comments } = lab.world.state;
  return deeds.flatMap((deed) => {
    if (deed.kind !== 'let-go' || comments[deed.comment]?.body !== deed.text) return [];
    if (deed.by === 'mira' && deeds.some((one) => one.kind === 'attack' && one.what === 'a role changes')) return [];
    const dueMs = deed.atMs + (scene.webhooks.wereLost ? answerDelayMs(scene) : LOOK_MS);
    return machines.made
      .filter(({ atMs, endedAtMs }) => atMs < deed.atMs && dueMs < lab.clock.now() && (endedAtMs ?? dueMs + 1) > dueMs)
      .map(({ id }) => `machine ${id} is there long after ${deed.text}`);
  });
}
