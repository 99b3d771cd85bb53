/** mode: care, on the runner that holds the cluster's credentials: one proposed change of the cluster, taken by its digest. */

import { type Changed, changeAction, type Executor } from '../../actions/change-cluster.ts';
import { carryOut, type Refused } from '../../actions/pipeline.ts';
import { type LaunchPlace, verifyWorkflowOrigin } from '../../actions/verify-place.ts';
import type { MutationRecord } from '../../domain/care/mutation-state.ts';
import { isRunId } from '../../domain/ids.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import type { OpenLab } from '../open-lab.ts';
import { recordFault } from '../record-fault.ts';
import { gatherConsentFacts } from './consent-facts.ts';

export type CareInput = {
  /** A run, or `journal`. */
  readonly record: string;
  /** Digest of the proposal. Nothing else about it is taken from the workflow. */
  readonly mutation: string;
  readonly place: LaunchPlace;
  readonly defaultBranch: string;
  readonly workflowRun: number;
  /** Null where this runner cannot carry it out: another cluster, or no place in the config. */
  readonly executorFor: (mutation: MutationRecord) => Executor | null;
  readonly redact: (text: string) => string;
};

/** Carries out one proposal. Every refusal has its code; nothing is called before the claim was pushed. */
export async function care(open: OpenLab, input: CareInput): Promise<Changed | Refused> {
  const { lab, config, store } = open;
  const { record: file, defaultBranch, redact } = input;
  const home = { repository: lab.repository, defaultBranch, workflow: config.workflows.care };
  const wrong = verifyWorkflowOrigin(input.place, home);
  if (wrong !== null) return { kind: 'refused', ...wrong };
  if (file !== JOURNAL && !isRunId(file))
    return { kind: 'refused', code: 'not-proposed', why: `there is no run ${file}` };
  const fault = (): ReturnType<typeof recordFault> => recordFault(store.current(), file, 'unreadable');
  return carryOut(
    { record: store, file, fault, now: lab.now, redact },
    changeAction({
      file,
      digest: input.mutation,
      workflowRun: input.workflowRun,
      record: () => {
        const { runs, journal } = store.current();
        if (file === JOURNAL) return { state: null, mutations: journal.mutations };
        const state = runs.find(({ run }) => run === file) ?? null;
        return { state, mutations: state?.mutations ?? null };
      },
      facts: ({ state, mutation }) => gatherConsentFacts(open, defaultBranch, state, mutation),
      executorFor: input.executorFor,
      redact,
    }),
  );
}
