/** Which hands carry out which change of a cluster. */

import { assertNever } from '../../domain/assert.ts';
import type { MutationRecord } from '../../domain/mutation-state.ts';
import type { CloudOf } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { nodeDeletionHands } from './delete-node.ts';
import type { Hands } from './hands.ts';

const MS_PER_MINUTE = 60_000;

export type HandTools = {
  readonly cloudOf: CloudOf;
  readonly sleep: (durationMs: number) => Promise<void>;
};

/** The hands for a proposal; null where the config does not say how its cluster is reached. */
export function handsFor(open: OpenLab, mutation: MutationRecord, tools: HandTools): Hands | null {
  const { cluster, mutation: what } = mutation.proposal;
  const found = open.config.clusters[cluster];
  if (found?.engine !== 'ray') return null;
  switch (what.kind) {
    case 'delete-tpu-vm': {
      const cloud = tools.cloudOf(open.config, cluster);
      if (cloud === null || found.gcp === null) return null;
      return nodeDeletionHands({
        lab: open.lab,
        cloud,
        project: found.gcp.project,
        vm: what.vm,
        mutation,
        replacementWaitMs: found.badNodes.replacementWaitMinutes * MS_PER_MINUTE,
        sleep: tools.sleep,
      });
    }
    case 'init-worker':
    case 'clean-disk':
    case 'start-cleanup-cron':
      return null;
    default:
      return assertNever(what);
  }
}
