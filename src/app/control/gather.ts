/** Gathers the facts for a decision about one run: each at most once per trigger, and only if the decision asks for it. */

import type { CommentFacts, ConfigHealth, RunFacts } from '../../domain/facts.ts';
import type { GitReader } from '../../domain/git.ts';
import { isIssueFirst } from '../../domain/issue-first.ts';
import { ownFix } from '../../domain/launch/small-fix.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import type { RunState, SeenCommand } from '../../domain/logbook/run-state.ts';
import { notAsked } from '../../domain/need.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import type { ThreadFacts } from '../../github/threads.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { healthFor, type LabConfig, type LaneScopedConfig } from '../../run/lane-scope.ts';
import { threadsSince } from '../../run/pending-commands.ts';
import { configFor } from '../../run/run-config.ts';
import type { Lab } from '../lab.ts';
import { placeOf, readingOf } from '../reading.ts';
import { ENDING } from '../stop-by-job-id.ts';
import { lastKnownRun, readBody } from './body-facts.ts';
import { cachedBranchWork } from './branch-work.ts';
import { cachedChangeFacts } from './change-facts.ts';
import { type Needed, neededFacts } from './needed-facts.ts';
import { memoized } from './once.ts';

export type FactGatherer = {
  /** `needed` is what the decision asked for; `withoutText` blanks comments that caused an error. */
  readonly gather: (
    state: RunState,
    record: VerifiedRecord,
    needed: Needed,
    withoutText: WithoutText,
  ) => Promise<RunFacts>;
};

export type WithoutText = (comments: readonly CommentFacts[]) => readonly CommentFacts[];

type VerifiedRecord = {
  readonly runs: readonly RunState[];
  readonly broken: readonly { readonly run: string }[];
  readonly journal: JournalState;
};

/** Caches all reads for one trigger. Each run uses its lane's config. */
export function createGatherer(
  lab: Lab,
  git: GitReader,
  labConfig: LabConfig,
  health: ConfigHealth,
): FactGatherer {
  const changesOf = ofEachLane((config) => ({
    changeOf: cachedChangeFacts(lab, git, config),
    branchWorkOf: cachedBranchWork(lab, config),
  }));
  const once = memoized();
  return {
    gather: async (state, { runs, broken, journal }, needed, withoutText) => {
      const config = configFor(labConfig, state);
      const { changeOf, branchWorkOf } = changesOf(config);
      const readAt = await once(`read ${state.run}`, async () => lab.now());
      const threads = await once(`threads ${state.run} ${ownFix(state)?.commit ?? ''}`, () =>
        threadsOf(lab, config, state),
      );
      const pull = threads.kind === 'known' ? threads.value.pull : threads;
      const text = threads.kind === 'known' ? textOf(state, threads.value) : threads;
      const changeNow = (): Promise<RunFacts['change']> =>
        pull.kind === 'known' ? changeOf(pull.value.headSha, state, runs) : Promise.resolve(pull);
      const change = needed.has('change') ? await changeNow() : notAsked();
      const comments = threads.kind === 'known' ? known(withoutText(threads.value.comments)) : threads;
      return {
        pull,
        issue: threads.kind === 'known' ? threads.value.issue : threads,
        comments,
        readAt,
        body:
          text.kind === 'known' ? readBody(lab, config, text.value, change, lastKnownRun(state, runs)) : text,
        checks: threads.kind === 'known' ? threads.value.checks : threads,
        configHealth: known(healthFor(config, health)),
        handedOver: handedOverOf(state, journal),
        ...recordFactsOf({ runs, broken, journal }),
        ...(await neededFacts(
          { lab, git, config, once },
          { state, runs, comments, pull, changeNow, branchWorkOf },
          needed,
        )),
      };
    },
  };
}

/** The proposal's text. An issue keeps it even after the branch is deleted. */
function textOf({ proposal }: RunState, { pull, issue }: ThreadFacts): Observed<string> {
  if (isIssueFirst(proposal)) return issue.kind === 'known' ? known(issue.value.body) : issue;
  return pull.kind === 'known' ? known(pull.value.body) : pull;
}

/** What the journal recorded in the run's threads. An unhandled stop is processed again after a repair. */
function handedOverOf({ proposal }: RunState, journal: JournalState): RunFacts['handedOver'] {
  const threads = [proposal.pull, proposal.issue];
  const isOpenStop = ({ name, answer }: SeenCommand): boolean =>
    answer?.code === 'logbook-broken' && ENDING.includes(name);
  return new Map([...journal.commands].filter(([, one]) => threads.includes(one.thread) && !isOpenStop(one)));
}

/** Record-wide facts. A broken run may be live, and a broken journal may contain a hold: both make the facts unknown. */
export function recordFactsOf({
  runs,
  broken,
  journal,
}: VerifiedRecord): Pick<RunFacts, 'recordedRuns' | 'journalHolds' | 'clusterMutations'> {
  const first = broken[0];
  const isBroken = broken.some(({ run }) => run === JOURNAL);
  const unreadable = unknown('the repository journal is broken');
  return {
    recordedRuns: first === undefined ? known(runs) : unknown(`the logbook of ${first.run} is broken`),
    journalHolds: isBroken ? unreadable : known(journal.holds),
    clusterMutations: isBroken ? unreadable : known(journal.mutations),
  };
}

/** One value per lane, because changes depend on the lane's settings. */
function ofEachLane<Value>(make: (config: LaneScopedConfig) => Value): (config: LaneScopedConfig) => Value {
  const made = new Map<string, Value>();
  return (config) => {
    const { isLaneConfigured, laneName, lane, kind } = config;
    const key = `${isLaneConfigured} ${laneName} ${lane.cluster} ${kind.proposes?.change?.file(lane) ?? ''}`;
    const value = made.get(key) ?? make(config);
    made.set(key, value);
    return value;
  };
}

function threadsOf(lab: Lab, config: LaneScopedConfig, state: RunState): Promise<Observed<ThreadFacts>> {
  return readProposal(
    lab.client,
    placeOf(state.proposal, config),
    readingOf(lab, config),
    threadsSince(state),
  );
}
