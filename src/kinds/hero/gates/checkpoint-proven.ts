/** Gate: where the run begins is a whole checkpoint of a line that the record knows, and the command goes there (policy HR-12, HR-34, HR-55, HR-56). */

import type { ResumePoint } from '../../../checkpoints/resume.ts';
import { type CommandLine, optionsOf } from '../../../contracts/command-line.ts';
import { assertNever } from '../../../domain/assert.ts';
import { CHECKPOINT } from '../../../domain/launch/contract.ts';
import { type Gate, type GateFacts, given, type Judgement, judging } from '../../../gates/gate.ts';
import { contractValue } from '../contract/read-contract.ts';

const { block, pass } = judging('checkpoint-proven');

/** Options of Levanter and of ours that say where a job begins. */
const START_OPTIONS = [
  'trainer.initialize_from',
  'trainer.load_checkpoint_path',
  'initialize_from',
  'initialize-from',
  'initialize_from_checkpoint_path',
];

export const checkpointProven: Gate = {
  id: 'checkpoint-proven',
  evaluate: ({ start, resume, lane, contract }) => {
    if (start === undefined || contract === undefined) return block('none', 'author');
    const line = { environment: lane.environment, command: lane.command };
    const dri = contractValue(contract.recorded, 'dri') ?? '';
    if (resume !== undefined) return given(resume, goesOn(dri, line, begunAt(start)));
    return given(start, (point) => {
      if (point.kind === 'refused')
        return block('refused', 'author', { why: point.code, path: point.path, dri });
      const path = point.kind === 'proven' ? point.path : '';
      const said = elsewhere(line, [path]);
      if (said !== null) return block('command-differs', 'author', { said, path });
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
function goesOn(dri: string, line: CommandLine, begun: string | null): (point: ResumePoint) => Judgement {
  return (point) => {
    switch (point.kind) {
      case 'unseen':
        return pass('unseen');
      case 'from':
        return goesThere(point, elsewhere(line, [point.path, ...(begun === null ? [] : [begun])]));
      case 'ask':
        return block('none-to-go-on', 'author', { why: point.code, dri });
      case 'takes-other':
        return block('takes-other', 'author', { path: point.path, takes: point.takes });
      default:
        return assertNever(point);
    }
  };
}

function goesThere(
  { path, step }: Extract<ResumePoint, { readonly kind: 'from' }>,
  said: string | null,
): Judgement {
  return said === null ? pass('goes-on', { path, step }) : block('command-differs', 'author', { said, path });
}

/** A place that the command names to begin from and that is none of these; more than the bare placeholder may lead anywhere. */
function elsewhere(line: CommandLine, allowed: readonly string[]): string | null {
  const said = optionsOf(line, START_OPTIONS).find((one) => one !== CHECKPOINT && !allowed.includes(one));
  return said ?? line.command.find(leavesCheckpoint) ?? null;
}

function leavesCheckpoint(part: string): boolean {
  const at = part.indexOf(CHECKPOINT);
  return at !== -1 && part.includes('..', at + CHECKPOINT.length);
}

/** What the attempt before was launched from: its command may go on naming it. */
function begunAt(start: NonNullable<GateFacts['start']>): string | null {
  return start.kind === 'known' && start.value.kind === 'proven' ? start.value.path : null;
}
