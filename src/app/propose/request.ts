/** Plans a ferry and begins it: for the schedule, or as one `/propose` asks. */

import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import type { SeenCommand } from '../../domain/logbook/run-state.ts';
import { dateOf } from '../../domain/time.ts';
import { proposingData } from '../../run/proposal-record.ts';
import { type Answered, answerTo } from '../../run/propose-answers.ts';
import { askOf } from '../../run/propose-request.ts';
import type { Failed, Nothing, PlanInput, Refused } from '../../run/proposing.ts';
import type { ProposingLane } from '../open-lab.ts';
import { type BeginOutcome, begin, resumeProposal } from './begin.ts';
import { nameOfDay, planWork } from './day-name.ts';
import { answerObstacle, obstacleIn, type RequestOutcome, requestOutcome } from './outcome.ts';

/** Throws `GitError`. */
export async function planAndBegin(
  open: ProposingLane,
  input: PlanInput,
): Promise<BeginOutcome | Nothing | Failed | Refused> {
  const { config, lab } = open;
  const planned = await config.kind.proposes.plan(planWork(open), input);
  if (planned.kind !== 'planned') return planned;
  const intent = proposingData({ config, repository: lab.repository }, planned, input.request);
  return begin(open, { intent, command: input.request });
}

/** Does what is asked, or says why not. What the schedule began is completed first. Throws `GitError`. */
export async function carryOutRequest(open: ProposingLane, command: SeenCommand): Promise<RequestOutcome> {
  const objective = objectiveOf(open, command);
  if (objective.kind === 'answer') return objective;
  await resumeProposal(open, null);
  const obstacle = obstacleIn(open, { thread: command.thread });
  if (obstacle !== null) return answerObstacle(obstacle);
  const date = dateOf(open.lab.now());
  const run = await nameOfDay(open, date);
  return requestOutcome(
    typeof run === 'string'
      ? await planAndBegin(open, { run, date, objective: objective.objective, request: command })
      : run,
  );
}

/** Where nothing is said, the lab's standing objective counts, if it has one. */
function objectiveOf(
  { config: { kind, lane } }: ProposingLane,
  command: SeenCommand,
): Answered | { readonly kind: 'clear'; readonly objective: Objective } {
  const ask = askOf(command);
  const { asks, usual } = kind.proposes;
  const reading = asks?.objective(ask.objective, lane) ?? { kind: 'clear', objective: usual };
  if (reading.kind === 'clear') return reading;
  const knobs = ask.knobs.map(([name, value]) => `${name}=${quoted(value)}`).join(' ');
  return answerTo('propose-objective-unclear', { why: reading.why, said: ask.objective ?? '', knobs });
}

function quoted(value: string): string {
  return /^[\w.+-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
