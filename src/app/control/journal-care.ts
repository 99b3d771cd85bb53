/** Changes of a cluster that belong to no run: what the journal says was consented to is handed to the runner. */

import type { RunFacts } from '../../domain/facts.ts';
import { needName } from '../../domain/need.ts';
import { readWorkflowRun } from '../../github/workflows.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { decideMutations } from '../../run/decide-care.ts';
import { anyLane } from '../../run/lane-scope.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, inCluster, type Trouble } from '../trouble.ts';
import type { Memories } from './attempt-caches.ts';
import { perform } from './perform.ts';
import { RECONCILE_ROUNDS_MAX, remembered } from './reconcile-run.ts';

/** Takes the steps that the journal's mutations owe, one after the other, until there is none; each cluster for itself. */
export async function careForJournal(open: OpenLab, memories: Memories, troubles: Trouble[]): Promise<void> {
  const clusters = new Set(open.store.current().journal.mutations.map(({ proposal }) => proposal.cluster));
  for (const cluster of clusters)
    await contained(open, troubles, inCluster(cluster), () => careForCluster(open, memories, cluster));
}

async function careForCluster(open: OpenLab, memories: Memories, cluster: string): Promise<void> {
  const { lab, config, store } = open;
  let memory = memories.of(JOURNAL);
  let workflowRuns: RunFacts['workflowRuns'] = new Map();
  for (let round = 0; round < RECONCILE_ROUNDS_MAX; round += 1) {
    const { journal, broken } = store.current();
    const mutations = journal.mutations.filter(({ proposal }) => proposal.cluster === cluster);
    if (mutations.length === 0 || broken.some(({ run }) => run === JOURNAL)) return;
    const { incidents, holds } = journal;
    const isHeld = holds.some(({ date }) => date === null);
    const step = decideMutations({
      record: JOURNAL,
      mutations,
      incidents,
      dispatches: journal.dispatches,
      workflowRuns,
      isHeld,
      config,
      ref: anyLane(config).lane.targetBranch,
      now: lab.now(),
      memory,
    });
    if (step === null) return;
    if (step.kind === 'need') {
      for (const one of step.facts) {
        if (typeof one === 'string' || one.fact !== 'workflowRuns')
          throw new Error(`${needName(one)} is not what care asks for`);
        workflowRuns = new Map([...workflowRuns, [one.of, await readWorkflowRun(lab.client, one.of)]]);
      }
    } else if (step.kind === 'append') {
      const result = await store.append(JOURNAL, step.drafts, lab.now());
      if (result.kind === 'failed') throw new Error(`the journal could not be written: ${result.message}`);
      if (result.kind === 'refused') return;
      if (result.kind === 'conflict') await store.load();
    } else if (step.effect.kind === 'dispatch-workflow') {
      memory = remembered(memory, step.key, await perform(open, step.effect));
      memories.keep(JOURNAL, memory);
    } else throw new Error(`${step.effect.kind} is not what care takes`);
  }
}
