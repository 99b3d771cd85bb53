// Promises about consecutive attempts, for every kind of run.

import { findSituationFaults, findStartFaults, isBrakeInForce, listApprovalsOf, SLACK_MS } from './checker.ts';
import { parseManifest } from './checker-record.ts';
import type { Scene } from './scene.ts';
import type { Start } from './witness.ts';

/**
 * The first attempt of a manifest has its own approval; another one is within its limits, or has a newer
 * approval. Restarts after preemptions have a limit of their own.
 */
export async function findApprovalFaults(scene: Scene, start: Start): Promise<readonly string[]> {
  const { digest, manifest } = parseManifest(start);
  const before = scene.starts.slice(0, scene.starts.indexOf(start));
  const same = before.filter((one) => parseManifest(one).digest === digest);
  const last = same.at(-1);
  if (last === undefined) return findStartFaults(scene, start);
  const isSame = approvingCommand(last) === approvingCommand(start);
  const { restarts: others = 0, preemptions = 0 } = manifest?.envelope ?? {};
  const restarts = others + preemptions;
  if (isSame && same.length <= restarts)
    return [
      ...findRevocationFaults(scene, start),
      // A stop from before the approval does not block this attempt either.
      ...(await findSituationFaults(scene, start, listApprovalsOf(scene, start, digest))),
    ];
  const isSaidAnew = scene.deeds.some(
    (deed) => deed.kind === 'approved' && deed.atMs > last.atMs && deed.atMs <= start.atMs,
  );
  const anew = isSaidAnew ? [] : [`${describeStart(start)}: beyond ${restarts} restarts nobody had said so`];
  return [...anew, ...(await findStartFaults(scene, start))];
}

/** The checkpoint that it resumes from has its own promise. */
function approvingCommand({ spec }: Start): string {
  return spec.command.filter((part) => !part.startsWith('--resume=')).join(' ');
}

/** Nothing is started again after a revocation. */
function findRevocationFaults(scene: Scene, start: Start): readonly string[] {
  const approved = scene.deeds.findLast((deed) => deed.kind === 'approved' && deed.atMs <= start.atMs);
  return scene.deeds.flatMap((deed) => {
    if (deed.kind !== 'braked' || deed.brake !== 'revoke') return [];
    const isLater = deed.atMs > (approved?.atMs ?? 0) + SLACK_MS && deed.atMs < start.atMs - SLACK_MS;
    const mayRevoke = start.roles[scene.ids.mira] === 'maintain' && !isRoleTouched(scene);
    return isLater && mayRevoke && isBrakeInForce(scene, start, deed)
      ? [`${describeStart(start)}: ${deed.text} of ${new Date(deed.atMs).toISOString()} stood`]
      : [];
  });
}

/** Whether mira's role was removed or restored. */
export function isRoleTouched({ deeds }: Scene): boolean {
  return deeds.some((deed) => deed.kind === 'attack' && deed.what === 'a role changes');
}

/** The name of a start in a message. */
export function describeStart({ spec, atMs }: Start): string {
  return `started ${spec.submissionId} at ${new Date(atMs).toISOString()}`;
}
