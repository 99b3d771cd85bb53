/** Gate: where the run begins is a whole checkpoint of a line that the record knows, and the command goes there (policy HR-12, HR-34, HR-55, HR-56). */

import type { ResumePoint } from '../../../checkpoints/resume.ts';
import { optionsOf } from '../../../contracts/command-line.ts';
import { looksLikeCheckpoint, pathsIn, unreadScript } from '../../../contracts/command-paths.ts';
import { assertNever } from '../../../domain/assert.ts';
import { withoutEndSlashes } from '../../../domain/end-slashes.ts';
import { CHECKPOINT } from '../../../domain/launch/contract.ts';
import {
  type ChangeGateFacts,
  type Gate,
  type GateFacts,
  given,
  type Judgement,
  judging,
} from '../../../gates/gate.ts';
import { inputsIn } from '../contract/fields.ts';
import { contractValue } from '../contract/read-contract.ts';
import { startOptionsOf } from '../settings.ts';

const { block, pass } = judging('checkpoint-proven');

export const checkpointProven: Gate = {
  id: 'checkpoint-proven',
  evaluate: (facts) => {
    const { start, resume, lane, contract } = facts;
    if (start === undefined || contract === undefined) return block('none', 'author');
    const dri = contractValue(contract.recorded, 'dri') ?? '';
    if (resume !== undefined) return given(resume, goesOn(dri, facts, begunAt(start)));
    return given(start, (point) => {
      // rule HR-56
      if (point.kind === 'refused')
        return block('refused', 'author', { why: point.code, path: point.path, dri });
      const path = point.kind === 'proven' ? point.path : '';
      const differs = elsewhere(facts, [path]);
      if (differs !== null) return differs;
      if (point.kind === 'anew') return pass('anew');
      const parts = [...lane.command, ...Object.values(lane.environment)];
      if (!parts.some((part) => part.includes(CHECKPOINT) || part === path || part.endsWith(`=${path}`)))
        return block('not-in-command', 'author', { path });
      const { step, run, attempt } = point;
      return pass('proven', {
        path,
        step,
        ...(run === null ? {} : { run }),
        ...(attempt === null ? {} : { attempt }),
      });
    });
  },
};

/** The attempt after one that failed: from what the rule chooses, and from nothing else. */
function goesOn(
  dri: string,
  facts: ChangeGateFacts,
  begun: string | null,
): (point: ResumePoint) => Judgement {
  const before = begun === null ? [] : [begun];
  return (point) => {
    switch (point.kind) {
      case 'unseen':
        return elsewhere(facts, ['', ...before]) ?? pass('unseen');
      case 'from':
        return (
          elsewhere(facts, [point.path, ...before]) ?? pass('goes-on', { path: point.path, step: point.step })
        );
      case 'ask':
        return block('none-to-go-on', 'author', { why: point.code, dri });
      case 'takes-other':
        return block('takes-other', 'author', { path: point.path, takes: point.takes });
      default:
        return assertNever(point);
    }
  };
}

/**
 * Why the command does not begin from one of these alone, in the order proven, begun; null if it does. Each checkpoint and each
 * path of another run that it names is one of them, an input that the contract lists, or a place where the run writes.
 */
function elsewhere(
  { lane, contract, othersPaths = [] }: ChangeGateFacts,
  allowed: readonly string[],
): Judgement | null {
  const recorded = contract?.recorded ?? {};
  const [path = ''] = allowed;
  if (contractValue(recorded, 'command') === null)
    return unread('the contract has no command that can be read');
  const script = unreadScript(lane);
  if (script !== null) return unread(`a shell or an interpreter reads ${script}`);
  const starts = optionsOf(lane, startOptionsOf(lane)).filter((one) => one !== CHECKPOINT);
  const computed = starts.find((one) => COMPUTED.test(one));
  if (computed !== undefined) return unread(`${computed} is known only when the job starts`);
  const inputs = inputsIn(contractValue(recorded, 'inputs') ?? '');
  const own = OWN_PLACES.flatMap((name) => contractValue(recorded, name) ?? []);
  const places = [...allowed.filter((one) => one !== ''), ...inputs, ...own, '{outputRoot}'];
  // rule HR-34
  const named = pathsIn(lane).filter(looksLikeCheckpoint);
  const said =
    starts.find((one) => !allowed.includes(one)) ??
    lane.command.find(leavesCheckpoint) ??
    [...named, ...othersPaths].find((one) => !places.some((place) => isBelow(one, place)));
  return said === undefined ? null : block('command-differs', 'author', { said, path });
}

/** Only the start of the job decides: no launch rests on that. */
const unread = (why: string): Judgement => ({
  ...block('undecided', 'author', { why }),
  outcome: 'unknown',
});

/** A reference to a variable, a command or a placeholder that is none of ours. */
const COMPUTED = /[$`]|\{(?!checkpoint\}|outputRoot\}|run\}|runName\}|date\})/;
const OWN_PLACES = ['outputRoot', 'checkpointRoot', 'temporaryRoot'] as const;

function isBelow(path: string, place: string): boolean {
  const [one, other] = [withoutEndSlashes(path), withoutEndSlashes(place)];
  return one === other || (one.startsWith(`${other}/`) && !one.split('/').includes('..'));
}

/** More than the bare placeholder may lead anywhere. */
function leavesCheckpoint(part: string): boolean {
  const at = part.indexOf(CHECKPOINT);
  return at !== -1 && part.includes('..', at + CHECKPOINT.length);
}

/** What the attempt before was launched from: its command may go on naming it. */
function begunAt(start: NonNullable<GateFacts['start']>): string | null {
  return start.kind === 'known' && start.value.kind === 'proven' ? start.value.path : null;
}
