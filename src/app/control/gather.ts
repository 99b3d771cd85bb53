/** Gathers the facts that a decision about one run may look at: each read once a trigger, and only if somebody asks. */

import type { Permission } from '../../domain/actor.ts';
import { commentName } from '../../domain/answer-key.ts';
import type { CommentFacts, ConfigHealth, RunFacts } from '../../domain/facts.ts';
import type { GitReader } from '../../domain/git.ts';
import { isIssueFirst } from '../../domain/issue-first.ts';
import { ownFix } from '../../domain/launch/small-fix.ts';
import { limits } from '../../domain/limits.ts';
import type { JournalState } from '../../domain/logbook/journal-state.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { type Need, notAsked } from '../../domain/need.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { readCited } from '../../github/cited-comment.ts';
import { readPermission } from '../../github/permission.ts';
import { readProposal } from '../../github/proposal-threads.ts';
import type { ThreadFacts } from '../../github/threads.ts';
import { JOURNAL } from '../../logbook/rules.ts';
import { approvalsNotShown, approvalsToLookAt } from '../../run/approval-facts.ts';
import { withdrawnSeal } from '../../run/begun-seal.ts';
import { healthFor, type LabConfig, type LaneScopedConfig } from '../../run/lane-scope.ts';
import { commandsSince, pendingItems, threadsSince } from '../../run/pending-commands.ts';
import { configFor } from '../../run/run-config.ts';
import { quietFirst } from '../../run/untrusted.ts';
import type { Lab } from '../lab.ts';
import { placeOf, readingOf } from '../reading.ts';
import { lastKnownRun, readBody } from './body-facts.ts';
import { cachedBranchWork } from './branch-work.ts';
import { cachedChangeFacts } from './change-facts.ts';
import { neededFacts } from './needed-facts.ts';
import { memoized, type Once } from './once.ts';
import { readProposalTexts } from './shown-facts.ts';

export type FactGatherer = {
  /** `needed`: what the decision has asked for; `withoutText` takes out what is said in comments that are left out of this look. */
  readonly gather: (
    state: RunState,
    record: VerifiedRecord,
    needed: ReadonlySet<Need>,
    withoutText: WithoutText,
  ) => Promise<RunFacts>;
};

export type WithoutText = (comments: readonly CommentFacts[]) => readonly CommentFacts[];

/** The record that facts are taken from. */
type VerifiedRecord = {
  readonly runs: readonly RunState[];
  readonly broken: readonly { readonly run: string }[];
  readonly journal: JournalState;
};

/** A gatherer for one trigger: what it has read it does not read again. Each run is looked at by the config of its lane. */
export function createGatherer(
  lab: Lab,
  git: GitReader,
  labConfig: LabConfig,
  health: ConfigHealth,
): FactGatherer {
  const changesOf = ofEachLane((config) => ({
    changeOf: cachedChangeFacts(lab, git, config),
    branchWorkOf: cachedBranchWork(lab, git, config),
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
      const handedOver = handedOverOf(state, journal);
      const comments = threads.kind === 'known' ? known(withoutText(threads.value.comments)) : threads;
      const asked = { ...state, commands: new Map([...handedOver, ...state.commands]) };
      const permissions = await permissionsFor(lab, config, once, asked, comments);
      return {
        pull,
        issue: threads.kind === 'known' ? threads.value.issue : threads,
        comments,
        readAt,
        proposalTexts: await readProposalTexts({ lab, config, once }, state.mutations, comments),
        cited: await citedFor(lab, config, once, state, comments),
        body:
          text.kind === 'known' ? readBody(lab, config, text.value, change, lastKnownRun(state, runs)) : text,
        checks: threads.kind === 'known' ? threads.value.checks : threads,
        configHealth: known(healthFor(config, health)),
        permissions,
        handedOver,
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

/** The proposal's text; where it stands in an issue it is there to be read though the branch is gone. */
function textOf({ proposal }: RunState, { pull, issue }: ThreadFacts): Observed<string> {
  if (isIssueFirst(proposal)) return issue.kind === 'known' ? known(issue.value.body) : issue;
  return pull.kind === 'known' ? known(pull.value.body) : pull;
}

/** What the journal has of the run's own threads. */
function handedOverOf({ proposal }: RunState, journal: JournalState): RunFacts['handedOver'] {
  const threads = [proposal.pull, proposal.issue];
  return new Map([...journal.commands].filter(([, command]) => threads.includes(command.thread)));
}

/** What the record tells about all runs and holds. A run whose logbook is broken may be live, and a broken journal may hold a freeze: unknown. */
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

/** One for each lane: what a change comes to depends on the lane's own settings. */
function ofEachLane<Value>(make: (config: LaneScopedConfig) => Value): (config: LaneScopedConfig) => Value {
  const made = new Map<string, Value>();
  return (config) => {
    const { isLaneConfigured, laneName, lane, kind } = config;
    const key = `${isLaneConfigured} ${laneName} ${lane.cluster} ${kind.change?.file(lane) ?? ''}`;
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

/** Live permissions of those whose commands wait for an answer, and of nobody else. */
async function permissionsFor(
  lab: Lab,
  config: LaneScopedConfig,
  once: Once,
  state: RunState,
  comments: Observed<readonly CommentFacts[]>,
): Promise<ReadonlyMap<number, Observed<Permission>>> {
  if (comments.kind === 'unknown') return new Map();
  const pending = pendingItems(state.commands, comments.value, {
    since: commandsSince(state),
    otherBots: config.otherBots,
    permissions: new Map(),
  });
  const approvers = approvalsToLookAt(state).map((approval) => approval.actor);
  const sealer = withdrawnSeal(state, comments.value)?.actor;
  const asked = [...approvers, ...(sealer === undefined ? [] : [sealer]), ...quietFirst(pending)];
  const people = new Map(asked.map((person) => [person.id, person]));
  const found = new Map<number, Observed<Permission>>();
  for (const person of [...people.values()].slice(0, limits.permissionsPerTriggerMax)) {
    found.set(person.id, await once(`permission ${person.id}`, () => readPermission(lab.client, person)));
  }
  return found;
}

/** Approving comments that the threads do not show: deleted, as a rule, and never taken for it before GitHub says so. */
async function citedFor(
  lab: Lab,
  config: LaneScopedConfig,
  once: Once,
  state: RunState,
  comments: Observed<readonly CommentFacts[]>,
): Promise<RunFacts['cited']> {
  const found = new Map<string, Observed<CommentFacts | null>>();
  const missing = approvalsNotShown(state, comments).slice(0, limits.permissionsPerTriggerMax);
  for (const { surface, comment } of missing) {
    const name = commentName({ surface, id: comment });
    const citation = { surface, comment, pull: state.proposal.pull };
    const read = (): ReturnType<typeof readCited> => readCited(lab.client, citation, readingOf(lab, config));
    found.set(name, await once(`cited ${name}`, read));
  }
  return found;
}
