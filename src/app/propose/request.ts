/** One `/propose`: what stands in its way, what it would change, and the proposal that comes of it. */

import { assertNever } from '../../domain/assert.ts';
import { holdsOn, targetFacts } from '../../domain/launch/hold.ts';
import { limits } from '../../domain/limits.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { runsOfLane, type SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateOf } from '../../domain/time.ts';
import type { Recorded } from '../../logbook/transact.ts';
import { laneStanding } from '../../run/lane-standing.ts';
import { pendingProposal, proposingData } from '../../run/proposal-record.ts';
import { type Answered, answerTo, cutAnswer, inTheWay } from '../../run/propose-answers.ts';
import { askOf } from '../../run/propose-request.ts';
import type { ProposingLane } from '../open-lab.ts';
import { type BeginOutcome, begin, resumeProposal } from './begin.ts';
import { nameOfDay, planWork } from './day-name.ts';

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

/** Does what is asked, or says why not. Throws `GitError`. */
export async function carryOutRequest(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  const { broken, journal } = open.store.current();
  if (broken.length > 0) return answerTo('logbook-broken');
  const date = dateOf(open.lab.now());
  const [hold] = holdsOn(journal.holds, { lane: open.config.laneName, date });
  if (hold !== undefined)
    return answerTo('propose-held', { ...targetFacts(hold), by: hold.actor.login, reason: hold.reason });
  const objective = objectiveOf(open, command);
  return objective.kind === 'unclear' ? objective.answer : propose(open, command, date, objective.objective);
}

/** What the schedule began stands in the way like what is recorded, so it is completed first. */
async function propose(
  open: ProposingLane,
  command: SeenCommand,
  date: string,
  objective: Objective,
): Promise<RequestOutcome> {
  const { config, store, lab } = open;
  await resumeProposal(open);
  const underWay = pendingProposal(store.current(), config.laneName, lab.now());
  if (underWay !== null) return { kind: 'wait', why: `${underWay.run} is being proposed` };
  const standing = laneStanding(runsOfLane(store.current().runs, config.laneName), command.thread);
  if (standing.kind === 'elsewhere' || standing.kind === 'busy')
    return inTheWay(standing.run, standing.kind === 'busy');
  const run = await nameOfDay(open, date);
  if (typeof run !== 'string')
    return run.code === 'too-many-today'
      ? answerTo('propose-not-today', { count: limits.proposalsPerDayMax })
      : answerTo('propose-nothing', { reason: run.code, why: run.why });
  const input = { run, date, objective, request: command };
  const planned = await config.kind.proposes.plan(planWork(open), input);
  switch (planned.kind) {
    case 'refused':
      return cutAnswer(planned.code, planned.detail);
    case 'nothing':
      return answerTo('propose-nothing', { reason: planned.code, why: planned.why });
    case 'failed':
      return planned.code === 'running'
        ? { kind: 'wait', why: planned.why, isRunning: true }
        : { kind: 'wait', why: planned.why };
    case 'planned': {
      const intent = proposingData({ config, repository: lab.repository }, planned, command);
      return outcomeOfBegun(await begin(open, intent, command));
    }
    default:
      return assertNever(planned);
  }
}

/** What follows for a command from what became of its proposal. */
export function outcomeOfBegun(outcome: BeginOutcome): RequestOutcome {
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
      return assertNever(outcome);
  }
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
