// Promises about consecutive attempts, for every kind of run.

import { approvalsOf, isHeard, SLACK_MS, situationFaults, startFaults } from './checker.ts';
import { manifestOf } from './checker-record.ts';
import type { Scene } from './scene.ts';
import type { Start } from './witness.ts';

/**
 * The first attempt of a manifest has its own approval; another one is within its limits, or has a newer
 * approval.
 */
export async function approvalFaults(scene: Scene, start: Start): Promise<readonly string[]> {
  const { digest, manifest } = manifestOf(start);
  const before = scene.starts.slice(0, scene.starts.indexOf(start));
  const same = before.filter((one) => manifestOf(one).digest === digest);
  const last = same.at(-1);
  if (last === undefined) return startFaults(scene, start);
  const isSame = commandOf(last) === commandOf(start);
  const restarts = Number(manifest?.envelope?.restarts ?? 0);
  if (isSame && same.length <= restarts)
    return [
      ...revocationFaults(scene, start),
      // A stop from before the approval does not block this attempt either.
      ...(await situationFaults(scene, start, approvalsOf(scene, start, digest))),
    ];
  const isSaidAnew = scene.deeds.some(
    (deed) => deed.kind === 'approved' && deed.atMs > last.atMs && deed.atMs <= start.atMs,
  );
  const anew = isSaidAnew ? [] : [`${nameOf(start)}: beyond ${restarts} restarts nobody had said so`];
  return [...anew, ...(await startFaults(scene, start))];
}

/** The checkpoint that it resumes from has its own promise. */
function commandOf({ spec }: Start): string {
  return spec.command.filter((part) => !part.startsWith('--resume=')).join(' ');
}

/** Nothing is started again after a revocation. */
function revocationFaults(scene: Scene, start: Start): readonly string[] {
  const approved = scene.deeds.findLast((deed) => deed.kind === 'approved' && deed.atMs <= start.atMs);
  return scene.deeds.flatMap((deed) => {
    if (deed.kind !== 'braked' || deed.brake !== 'revoke') return [];
    const isLater = deed.atMs > (approved?.atMs ?? 0) + SLACK_MS && deed.atMs < start.atMs - SLACK_MS;
    const mayRevoke = start.roles[scene.ids.mira] === 'maintain' && !isRoleTouched(scene);
    return isLater && mayRevoke && isHeard(scene, start, deed)
      ? [`${nameOf(start)}: ${deed.text} of ${new Date(deed.atMs).toISOString()} stood`]
      : [];
  });
}

/** Whether mira's role was removed or restored. */
export function isRoleTouched({ deeds }: Scene): boolean {
  return deeds.some((deed) => deed.kind === 'attack' && deed.what === 'a role changes');
}

/** The name of a start in a message. */
export function nameOf({ spec, atMs }: Start): string {
  return `started ${spec.submissionId} at ${new Date(atMs).toISOString()}`;
}
