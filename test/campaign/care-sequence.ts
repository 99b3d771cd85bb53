// Sequences of the care scene, and what must never happen in them: judged from what people said and what the cloud was told.

import { CARE_MOVES, type CareDeed, type CareScene, type Deletion, openCareScene } from './care.ts';
import type { Outcome } from './outcome.ts';

const MINUTE = 60_000;
const SLACK_MS = 2_000;
/** A consent lasts an hour. */
const CONSENT_MS = 60 * MINUTE;

/** Plays the sequence of this seed; `moves` are these instead of random ones. */
export async function playCare(seed: number, asked: readonly string[] | null = null): Promise<Outcome> {
  const scene = await openCareScene(seed);
  const { random, lab } = scene;
  const names = Object.keys(CARE_MOVES);
  const moves = asked ?? Array.from({ length: 2 + random.below(4) }, () => random.pick(names));
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(4 * MINUTE));
      await CARE_MOVES[name]?.(scene);
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(15 * MINUTE);
    return { seed, faults: faultsOf(scene), starts: scene.deletions.length, moves };
  } finally {
    await lab.close();
  }
}

function faultsOf({ deletions, deeds }: CareScene): readonly string[] {
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
