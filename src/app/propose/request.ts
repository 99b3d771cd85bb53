/** One `/propose`: what stands in its way, what it would change, and the proposal that comes of it. */

import { assertNever } from '../../domain/assert.ts';
import { GitError } from '../../domain/git.ts';
import { holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { commandKey, type RunState, runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateAfter, dateOf, fromRfc3339 } from '../../domain/time.ts';
import { type Recorded, recordAsDecided } from '../../logbook/transact.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { isPartialFor } from '../../run/proposal-record.ts';
import { type Answered, answerTo, cutAnswer, inTheWay } from '../../run/propose-answers.ts';
import { askOf } from '../../run/propose-request.ts';
import type { PartialProposal } from '../../run/proposing.ts';
import { perform } from '../control/perform.ts';
import type { OpenLane, ProposingLane } from '../open-lab.ts';
import { begin } from './begin.ts';
import { placesOf, planWork } from './partial-proposal.ts';
import { resumeProposal } from './resume-proposal.ts';

/** `again`: somebody else was faster; read again and decide again. `isRunning`: later commands wait for this one. */
export type RequestOutcome =
  | Answered
  | { readonly kind: 'wait'; readonly why: string; readonly isRunning?: true }
  | { readonly kind: 'again' };

/** What follows for a command where nothing was recorded of what was decided. */
export function outcomeUnrecorded(
  recorded: Exclude<Recorded, { readonly kind: 'recorded' }>,
): Extract<RequestOutcome, { readonly kind: 'wait' | 'again' }> {
  return recorded.kind === 'refused' ? { kind: 'wait', why: recorded.message } : { kind: 'again' };
}

/** Does what is asked, or says why not. Every step is safe to repeat: after a crash it is called again. */
export async function carryOutRequest(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  try {
    return await decided(open, command);
  } catch (error) {
    if (error instanceof GitError) return { kind: 'wait', why: error.message };
    throw error;
  }
}

async function decided(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  const { broken, journal } = open.store.current();
  if (broken.length > 0) return answerTo('logbook-broken');
  const begun = await begunBefore(open, command);
  const date = begun?.date ?? dateOf(open.lab.now());
  const [hold] = begun === null ? holdsOn(journal.holds, { lane: open.config.laneName, date }) : [];
  if (hold !== undefined)
    return answerTo('propose-held', { ...targetFacts(hold), by: hold.actor.login, reason: hold.reason });
  const objective = objectiveOf(open, command);
  if (objective.kind === 'unclear') return objective.answer;
  return begun === null
    ? propose(open, command, date, objective.objective)
    : complete(open, command, begun, objective.objective);
}

/** What the schedule began stands in the way like what is recorded, so it is completed first. */
async function propose(
  open: ProposingLane,
  command: SeenCommand,
  date: string,
  objective: Objective,
): Promise<RequestOutcome> {
  const completed = await resumeProposal(open, limits.publishGraceMs);
  if (completed !== null && completed.kind !== 'proposed' && completed.kind !== 'already')
    return { kind: 'wait', why: `a proposal that was begun before: ${completed.kind}` };
  const standing = laneStanding(runsOfLane(open.store.current().runs, open.config.laneName), command.thread);
  if (standing.kind === 'elsewhere' || standing.kind === 'busy')
    return inTheWay(standing.run, standing.kind === 'busy');
  const { free } = await placesOf(open, date);
  if (typeof free !== 'string')
    return free.code === 'too-many-today'
      ? answerTo('propose-not-today', { count: limits.proposalsPerDayMax })
      : answerTo('propose-nothing', { reason: free.code, why: free.why });
  const planned = await open.config.kind.proposes.plan(planWork(open), {
    run: free,
    date,
    objective,
    request: command,
  });
  switch (planned.kind) {
    case 'refused':
      return cutAnswer(planned.code, planned.detail);
    case 'nothing':
      return answerTo('propose-nothing', { reason: planned.code, why: planned.why });
    case 'failed':
      return planned.code === 'running'
        ? { kind: 'wait', why: planned.why, isRunning: true }
        : { kind: 'wait', why: planned.why };
    case 'planned':
      break;
    default:
      return assertNever(planned);
  }
  if (standing.kind === 'replaceable') {
    const gone = await withdrawn(open, standing.run, command);
    if (gone !== 'done') return gone;
  }
  return finished(open, command, await clearedAway(open, command), () => begin(open, planned, command));
}

async function complete(
  open: ProposingLane,
  command: SeenCommand,
  { begun, date }: BegunOn,
  objective: Objective,
): Promise<RequestOutcome> {
  const planned = await open.config.kind.proposes.planOfBegun(planWork(open), begun, {
    run: begun.run,
    date,
    objective,
    request: command,
  });
  if (planned.kind === 'nothing')
    return answerTo('propose-nothing', { reason: planned.code, why: planned.why });
  if (planned.kind === 'failed') return { kind: 'wait', why: planned.why };
  return finished(open, command, await clearedAway(open, command), () => begin(open, planned, command));
}

async function finished(
  open: ProposingLane,
  command: SeenCommand,
  cleared: 'done' | { readonly kind: 'wait'; readonly why: string },
  work: () => ReturnType<typeof begin>,
): Promise<RequestOutcome> {
  if (cleared !== 'done') return cleared;
  const outcome = await work();
  switch (outcome.kind) {
    case 'proposed':
      return answerTo('proposed', { run: outcome.run, pull: outcome.pull, issue: outcome.issue });
    case 'already':
    case 'lost':
      return { kind: 'again' };
    case 'failed':
      return outcome.code === 'unreadable'
        ? { kind: 'wait', why: outcome.why }
        : answerTo('propose-failed', { why: outcome.why });
    default:
      open.lab.log('a /propose ended oddly', { command: command.comment });
      return assertNever(outcome);
  }
}

type BegunOn = { readonly begun: PartialProposal; readonly date: string };

/** What this very command began before a crash, on the day on which it did. */
async function begunBefore(open: ProposingLane, command: SeenCommand): Promise<BegunOn | null> {
  const today = dateOf(open.lab.now());
  const asked = dateOf(fromRfc3339(command.at) ?? open.lab.now());
  for (let date = asked; date <= today; date = dateAfter(date, 1)) {
    const { begun } = await placesOf(open, date);
    const mine = begun.find((one) => isPartialFor(one, command));
    if (mine !== undefined) return { begun: mine, date };
  }
  return null;
}

type ObjectiveFound =
  | { readonly kind: 'clear'; readonly objective: Objective }
  | { readonly kind: 'unclear'; readonly answer: Answered };

/** Where nothing is said, the lab's standing objective counts, if it has one. */
function objectiveOf(open: ProposingLane, command: SeenCommand): ObjectiveFound {
  const ask = askOf(command);
  const { kind, lane } = open.config;
  const { asks, usual } = kind.proposes;
  const reading = asks?.objective(ask.objective, lane) ?? { kind: 'clear', objective: usual };
  if (reading.kind === 'clear') return reading;
  const knobs = ask.knobs.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
  const detail = { why: reading.why, said: ask.objective ?? '', knobs };
  return { kind: 'unclear', answer: answerTo('propose-objective-unclear', detail) };
}

function quoted(value: string): string {
  return /^[\w.+-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** A proposal that nobody approved yet gives way to the one that was asked for in its thread (docs/decisions, *who replaces a proposal*). */
type Waiting = { readonly kind: 'wait'; readonly why: string };

/**
 * Records the end of the old run. The push is refused if anything was recorded meanwhile, an approval for example: then
 * everything is decided again.
 */
async function withdrawn(
  open: OpenLane,
  run: RunState,
  command: SeenCommand,
): Promise<'done' | ReturnType<typeof outcomeUnrecorded>> {
  const data = { outcome: 'withdrawn', reason: replacedReason(command), closurePull: null } as const;
  const draft = { type: 'closed', role: 'control', actor: command.actor, data } as const;
  const recorded = await recordAsDecided(open, [{ run: run.run, drafts: [draft] }]);
  return recorded.kind === 'recorded' ? 'done' : outcomeUnrecorded(recorded);
}

/** Closes the PR and the issue of what this command replaced, also where a crash came between. */
async function clearedAway(open: OpenLane, command: SeenCommand): Promise<'done' | Waiting> {
  const { store } = open;
  const reason = replacedReason(command);
  const since = fromRfc3339(command.at) ?? 0;
  const replaced = store
    .current()
    .runs.filter(({ closed }) => closed?.reason === reason && (fromRfc3339(closed.at) ?? 0) >= since);
  for (const { proposal } of replaced.slice(0, limits.proposalsPerDayMax)) {
    const pull = await perform(open, { kind: 'close-pull', pull: proposal.pull });
    if (pull.kind === 'unknown') return { kind: 'wait', why: pull.message };
    const edit = {
      kind: 'edit-issue',
      issue: proposal.issue,
      expected: null,
      body: null,
      state: 'closed',
    } as const;
    const issue = await perform(open, edit);
    if (issue.kind === 'unknown') return { kind: 'wait', why: issue.message };
  }
  return 'done';
}

/** The reason in the record names the command, by which a crash between two steps is found again. */
function replacedReason(command: SeenCommand): string {
  return `replaced: ${command.actor.login} asked for another proposal (${commandKey(command)})`;
}
