/** Steps of the journal, which belong to no run: dispatches and their results. */

import { traitsOf } from '../../config/engine-traits.ts';
import { oldestFirst } from '../../domain/dispatch.ts';
import type { RunFacts } from '../../domain/facts.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import { needName } from '../../domain/need.ts';
import { readWorkflowRun } from '../../github/workflows.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { recordAsDecided } from '../../logbook/transact.ts';
import { decideActions } from '../../run/decide-care.ts';
import { decideAccountLook } from '../../run/decide-watch.ts';
import type { DispatchFacts } from '../../run/dispatch.ts';
import { anyLane } from '../../run/lane-scope.ts';
import { type AttemptCache, NO_ATTEMPTS, remembered, type Step } from '../../run/step.ts';
import type { OpenLab } from '../open-lab.ts';
import { inCluster } from '../trouble.ts';
import { perform } from './perform.ts';
import { RECONCILE_ROUNDS_MAX } from './reconcile-run.ts';
import type { Turn, Work } from './turn.ts';

export type JournalFacts = DispatchFacts & { readonly journal: JournalState };

/** Takes every step that `decide` returns, until it returns none. */
export async function takeJournalSteps(
  open: OpenLab,
  decide: (facts: JournalFacts) => Step | null,
): Promise<AttemptCache> {
  const { lab, store } = open;
  let memory: AttemptCache = { ...NO_ATTEMPTS, appended: store.appended(JOURNAL) };
  let workflowRuns: RunFacts['workflowRuns'] = new Map();
  for (let round = 0; round < RECONCILE_ROUNDS_MAX; round += 1) {
    const { journal, broken } = store.current();
    if (broken.some(({ run }) => run === JOURNAL)) return memory;
    const { dispatches } = journal;
    const step = decide({ journal, dispatches, workflowRuns, now: lab.now(), memory });
    if (step === null) return memory;
    if (step.kind === 'need') {
      for (const one of step.facts) {
        if (typeof one === 'string' || one.fact !== 'workflowRuns')
          throw new Error(`${needName(one)} is not what the journal asks for`);
        workflowRuns = new Map([...workflowRuns, [one.of, await readWorkflowRun(lab.client, one.of)]]);
      }
    } else if (step.kind === 'append') {
      const recorded = await recordAsDecided(open, [{ run: JOURNAL, drafts: step.drafts }]);
      if (recorded.kind === 'refused') return memory;
    } else if (step.effect.kind === 'dispatch-workflow') {
      memory = remembered(memory, step.key, await perform(open, step.effect));
    } else throw new Error(`${step.effect.kind} is not what the journal asks for`);
  }
  return memory;
}

/** The actions of each cluster that belong to no run. */
export function clusterActions({ open }: Turn): readonly Work[] {
  const { config, store } = open;
  const ref = anyLane(config).lane.targetBranch;
  const clusters = new Set(store.current().journal.actions.map(({ proposal }) => proposal.cluster));
  return [...clusters].map((cluster) => ({
    where: inCluster(cluster),
    reconcile: async () => {
      await takeJournalSteps(open, ({ journal, ...facts }) => {
        const { incidents, holds } = journal;
        const actions = journal.actions.filter(({ proposal }) => proposal.cluster === cluster);
        const isHeld = holds.some(({ date }) => date === null);
        return decideActions({ ...facts, record: JOURNAL, actions, incidents, isHeld, config, ref });
      });
    },
  }));
}

/** The watch of each renting account that is due for a check: only the watch has the account's key and destroys unowned machines. */
export function accountChecks({ open }: Turn): readonly Work[] {
  const { config, store } = open;
  const renting = Object.keys(config.clusters).filter((one) => traitsOf(config, one)?.rental !== undefined);
  return renting.map((cluster) => ({
    where: inCluster(cluster),
    reconcile: async () => {
      await takeJournalSteps(open, ({ dispatches, ...facts }) => {
        const watches = [...dispatches, ...store.current().runs.flatMap((state) => state.dispatches)];
        return decideAccountLook(cluster, config, { ...facts, dispatches: oldestFirst(watches) });
      });
      return {};
    },
  }));
}
