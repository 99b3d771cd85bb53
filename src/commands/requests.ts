/** Commands that request runs and rented machines: propose, rent, keep and teardown. */

import { keepLatestMs, rentalTerms } from '../domain/logbook/holdings.ts';
import { isBilled } from '../domain/logbook/job-state.ts';
import { toRfc3339 } from '../domain/values.ts';
import { stopDraft } from './brakes.ts';
import {
  type AnswerDecision,
  answer,
  type CommandContext,
  type CommandDecision,
  type CommandDefinition,
  type NamedRunContext,
} from './decision.ts';
import { contractText, knobPath, knobValue, laneWord, reasonText, runWord, timeWord } from './values.ts';
import { parseUntil } from './watching.ts';

export const propose = {
  name: 'propose',
  keys: { objective: { required: false, value: reasonText }, lane: { required: false, value: laneWord } },
  freeKeys: { name: knobPath, value: knobValue },
  permission: (policy) => policy.permissions.propose,
  summary:
    "Proposes today's ferry with these knobs, or with the next candidate. In your own pull request that changes the experiment, turns it into a ferry. The requester cannot approve it.",
  example: '/propose learning_rate=4e-3 objective="integration: does warmup still hold?"',
  decide: () => ({ kind: 'hand-over' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;

/** Parsed like the issue form's values; gates report unusable ones. */
const value = { required: false, value: contractText } as const;

export const rent = {
  name: 'rent',
  keys: {
    reason: { required: true, value: reasonText },
    gpu: value,
    gpus: value,
    hours: value,
    price: value,
    cap: value,
    vram: value,
    ram: value,
    disk: value,
    reliability: value,
    image: value,
    command: value,
    objective: value,
    kill: value,
    earlyStop: value,
    reductions: value,
    repairs: value,
    teardown: value,
    secrets: value,
    lane: { required: false, value: laneWord },
  },
  permission: (policy) => policy.permissions.propose,
  summary:
    'In an issue: requests a run on a rented machine. Other values come from the issue or the lane. The requester cannot approve it.',
  example: '/rent gpu="RTX 4090" hours=6 cap="5 USD" reason="does the long context still train?"',
  confusedWith: ['lease', 'hire', 'vast'],
  decide: () => answer('rent-not-here', { why: 'run-here', lanes: '' }),
  decideWithoutRun: () => ({ kind: 'hand-over' }),
} as const satisfies CommandDefinition;

export const keep = {
  name: 'keep',
  keys: { until: { required: true, value: timeWord }, reason: { required: true, value: reasonText } },
  permission: (policy) => policy.permissions.watch,
  summary:
    'Keeps the rented machine of the run until a time (UTC), though its job has ended or makes no step; never past what was approved for it.',
  example: '/keep until=18:30 reason="I look at the checkpoint"',
  decide: decideKeep,
} as const satisfies CommandDefinition;

function decideKeep({ state, args, now, actor }: CommandContext): CommandDecision {
  const latest = keepLatestMs(state, now);
  if (latest === null || !isBilled(state)) return answer('nothing-rented');
  const wanted = parseUntil(args['until'] ?? '', now);
  const until = toRfc3339(wanted);
  if (wanted <= now) return answer('point-past', { what: until });
  if (wanted > latest) return answer('keep-too-long', { until, latest: toRfc3339(latest) });
  const reason = args['reason'] ?? '';
  return answer('kept', { until, reason }, [{ type: 'machine-kept', role: 'control', actor, data: { until, reason } }]);
}

export const teardown = {
  name: 'teardown',
  keys: { run: { required: false, value: runWord } },
  permission: (policy) => policy.permissions.stop,
  summary:
    'Destroys the rented machines of the run now, and stops a running job. With `run=`, in any thread: the machines of that run.',
  example: '/teardown',
  isBrake: true,
  decide: decideTeardown,
  decideNamed: decideTeardown,
} as const satisfies CommandDefinition;

/** Also stops the job, so that it is not relaunched on another machine. */
function decideTeardown(context: NamedRunContext): AnswerDecision {
  const { state, actor, comment } = context;
  if (rentalTerms(state) === null || !isBilled(state)) return answer('nothing-rented');
  const asked = { type: 'tear-down-asked', role: 'control', actor, data: { comment: comment.id } } as const;
  const { tearDownRequest: before, keepRequest } = state.rental;
  if (before !== null && before.seq > (keepRequest?.seq ?? -1))
    return answer('teardown-asked', { by: before.actor.login });
  const runs = state.end === null;
  const facts = { by: actor.login, ...(runs ? { runs: 1 } : {}) };
  return answer('teardown-asked', facts, runs && state.stop === null ? [asked, stopDraft(context)] : [asked]);
}
