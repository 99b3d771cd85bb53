/** Gate: the lab's checks on the head are green; ferrybot's own is no condition of anything (architecture, D4). */

import type { CheckFacts } from '../domain/facts.ts';
import { type Gate, type GateFacts, given, type Judgement, judging } from './gate.ts';

const { block, pass } = judging('checks-green');

export const checksGreen: Gate = {
  id: 'checks-green',
  evaluate: ({ checks, lane }) => given(checks, (all) => judge(wantedOf(all, lane), lane, all)),
  readsSettings: true,
};

/** Worst first: what failed needs a person, what waits for a maintainer needs another, what runs needs time. */
function judge(
  wanted: readonly CheckFacts[],
  { requiredChecks }: GateFacts['lane'],
  all: readonly CheckFacts[],
): Judgement {
  const failed = wanted.filter((check) => check.state === 'failed');
  if (failed[0] !== undefined)
    return block('failed', 'author', {
      check: nameOf(failed[0]),
      says: failed[0].says,
      count: failed.length,
    });
  const waiting = wanted.filter((check) => check.state === 'awaits-approval');
  if (waiting[0] !== undefined)
    return block('awaits-approval', 'maintainer', { workflow: nameOf(waiting[0]), count: waiting.length });
  const missing = missingChecks(requiredChecks, all);
  if (missing[0] !== undefined)
    return block('missing', 'author', { check: missing[0], count: missing.length });
  const running = wanted.filter((check) => check.state === 'running');
  if (running[0] !== undefined)
    return block('running', 'time', {
      check: nameOf(running[0]),
      says: running[0].says,
      count: running.length,
    });
  return wanted.length === 0 ? pass('none') : pass('green', { checks: wanted.length });
}

/** What counts: every check but ours, or those that the config names. */
function wantedOf(all: readonly CheckFacts[], { requiredChecks }: GateFacts['lane']): readonly CheckFacts[] {
  const others = all.filter((check) => !check.ours);
  if (requiredChecks === 'all') return others;
  // A workflow that waits for approval has no jobs yet: it may hold the named check, so it counts.
  return others.filter((check) => check.state === 'awaits-approval' || isNamed(check, requiredChecks));
}

/** Names of the config that no check on the head has. */
function missingChecks(
  required: GateFacts['lane']['requiredChecks'],
  all: readonly CheckFacts[],
): readonly string[] {
  if (required === 'all') return [];
  return required.filter((name) => !all.some((check) => !check.ours && isNamed(check, [name])));
}

/** By its own name, or as `workflow / name`, as GitHub shows it. */
function isNamed(check: CheckFacts, names: readonly string[]): boolean {
  return names.includes(check.name) || names.includes(nameOf(check));
}

function nameOf({ name, workflow }: CheckFacts): string {
  return workflow === null || workflow === name ? name : `${workflow} / ${name}`;
}
