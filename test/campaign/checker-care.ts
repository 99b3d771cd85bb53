// What must never happen to a cluster, judged from what people said and what the cloud was told.

import type { CareDeed, CareScene, Deletion } from './care.ts';

const SLACK_MS = 2_000;
/** A consent lasts an hour. */
const CONSENT_MS = 3_600_000;

/** Every promise that this sequence broke, in words; empty = none. */
export function careFaultsOf({ deletions, deeds }: CareScene): readonly string[] {
  const faults = deletions.flatMap((deletion) => {
    const at = `deleted ${deletion.name} at ${new Date(deletion.atMs).toISOString()}`;
    const living = deeds.filter((deed) => isLiving(deed, deletion));
    if (living.length === 0) return [`${at}: nobody had consented`];
    const brakes = deeds.filter(
      (deed) =>
        deed.kind === 'braked' &&
        deed.atMs < deletion.atMs - SLACK_MS &&
        deletion.comments[deed.id]?.body === deed.text &&
        (!deed.text.startsWith('/stop') || living.every((given) => given.atMs <= deed.atMs)),
    );
    return brakes.map((deed) => `${at}: a brake of ${new Date(deed.atMs).toISOString()} stood`);
  });
  return deletions.length > 1 ? [...faults, `${deletions.length} deletions`] : faults;
}

/** Said of the proposal as the bot wrote it, not long ago, and there as it was said. */
function isLiving(deed: CareDeed, { atMs, comments }: Deletion): boolean {
  if (deed.kind !== 'consented' || !deed.isIntact || deed.atMs > atMs) return false;
  const row = comments[deed.id];
  const isThere = row !== undefined && row.body === deed.text && row.edits.length === 0;
  return isThere && atMs - deed.atMs <= CONSENT_MS + SLACK_MS;
}
