/** `ferrybot checkpoints ROOT --run RUN --cleanup`: which checkpoints of a run nothing protects, how large they are, and what protects the others. It deletes none. */

import { needsOf, type Retention, retentionOf, type Wishes } from '../../../checkpoints/retention.ts';
import type {
  CheckpointReader,
  CheckpointSize,
  SearchedRoot,
  StorePath,
} from '../../../domain/checkpoint/stored.ts';
import type { RunState } from '../../../domain/logbook/run-state.ts';
import type { Observed } from '../../../domain/observed.ts';
import { cleanupLines } from '../../../render/checkpoints.ts';
import { answer, EXIT, refused, type VerbIo } from '../verb-io.ts';

/** Exit 1 where a root could not be listed: then nothing is a candidate. */
export async function cleanupList(
  io: VerbIo,
  state: RunState,
  roots: readonly SearchedRoot[],
  wishes: Wishes,
  storeOf: (path: StorePath) => Observed<CheckpointReader>,
): Promise<number> {
  const retention = retentionOf(roots, needsOf(state), wishes);
  if (retention.kind === 'unknown') return refused(io, { code: 'root-unreadable', message: retention.why });
  const { candidates, kept } = retention.value;
  const sizes = new Map<StorePath, Observed<CheckpointSize>>();
  for (const { stored } of candidates) {
    const store = storeOf(stored.path);
    sizes.set(stored.path, store.kind === 'unknown' ? store : await store.value.measure(stored.path));
  }
  const told = {
    ok: true,
    candidates: candidates.map(({ stored, metadata }) => {
      const size = sizes.get(stored.path);
      const { objects, bytes } = size?.kind === 'known' ? size.value : { objects: null, bytes: null };
      return { path: stored.path, step: metadata?.step ?? null, objects, bytes };
    }),
    kept: keptOf(kept),
  };
  answer(io, told, cleanupLines(retention.value, sizes));
  return EXIT.yes;
}

function keptOf(kept: Retention['kept']): readonly object[] {
  return kept.map(({ checkpoint, because }) => ({
    path: checkpoint.stored.path,
    step: checkpoint.metadata?.step ?? null,
    because,
  }));
}
