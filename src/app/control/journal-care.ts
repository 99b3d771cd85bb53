/** Changes of a cluster that belong to no run: what the journal says was consented to is handed to the runner. */

import { JOURNAL } from '../../logbook/rules.ts';
import { decideMutations } from '../../run/decide-care.ts';
import { anyLane } from '../../run/lane-scope.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import type { Memories } from './attempt-caches.ts';
import { type JournalFacts, takeJournalSteps } from './journal-steps.ts';

/** Takes the steps that the journal's mutations owe, one after the other, until there is none; each cluster for itself. */
export async function careForJournal(open: OpenLab, memories: Memories, troubles: Trouble[]): Promise<void> {
  const { config, store } = open;
  const ref = anyLane(config).lane.targetBranch;
  const clusters = new Set(store.current().journal.mutations.map(({ proposal }) => proposal.cluster));
  for (const cluster of clusters) {
    const decide = ({ journal, ...facts }: JournalFacts) => {
      const { incidents, holds } = journal;
      const mutations = journal.mutations.filter(({ proposal }) => proposal.cluster === cluster);
      const isHeld = holds.some(({ date }) => date === null);
      return decideMutations({ ...facts, record: JOURNAL, mutations, incidents, isHeld, config, ref });
    };
    await contained(open, troubles, inCluster(cluster), () => takeJournalSteps(open, memories, decide));
  }
}
