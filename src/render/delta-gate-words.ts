/** What the gates on a change's values say: what changes, whether it was declared, and how much of it there may be. */

import type { GateId } from '../domain/launch/verdict.ts';
import type { GateSentences } from './gate-sentences.ts';
import { code, text } from './words.ts';

type DeltaGate = Extract<
  GateId,
  'delta-readable' | 'delta-declared' | 'budget' | 'scale-stable' | 'identical-rerun'
>;

export const DELTA_SENTENCES: { readonly [Gate in DeltaGate]: GateSentences<Gate> } = {
  'delta-readable': {
    'no-change': () => ['no knob changes'],
    countable: (f) => [`knobs that change: ${f.knobs}`],
    structural: (f) => [
      `line ${f.line} (${text(f.side)}) is more than a knob: ${code(f.statement)}`,
      'change values only, and land code in a pull request of its own',
    ],
    unparsable: (f) => [
      `line ${f.line} (${text(f.side)}) is no valid Python: ${text(f.message)}`,
      'repair the file',
    ],
  },
  'delta-declared': {
    declared: (f) => [`the table says what the files say (knobs: ${f.knobs})`],
    'no-table': () => [
      'the body has no before/after table',
      'add the table `Knob`, `Before`, `After` under *Config delta and rationale*',
    ],
    undeclared: (f) => [`${code(f.knob)} changes and is not in the table`, `add the row ${code(f.row)}`],
    misdeclared: (f) => [
      `the table's row for ${code(f.knob)} does not say what the file says`,
      `make it ${code(f.row)}`,
    ],
    doubled: (f) => [`${code(f.knob)} stands in the table twice`, 'take one row out'],
    unchanged: (f) => [`the table names ${code(f.knob)}, which does not change`, 'take the row out'],
  },
  budget: {
    within: (f) => [`${f.knobs} of at most ${f.most} knobs${newAgainst(f.against)}`],
    over: (f) => [
      `${f.knobs} knobs change${newAgainst(f.against)}, the lane's guidance is ${f.most}`,
      'change fewer',
    ],
    'large-step': (f) => [
      `${code(f.knob)} changes in one step from ${code(f.before)} to ${code(f.after)}; small is ${text(f.small)}`,
      'take a smaller step, or take it back',
    ],
    'leaves-more': () => [
      'the file could not be put back by writing the old values: a setting came or went, or text besides values changed',
      'change values alone',
    ],
  },
  'scale-stable': {
    unchanged: (f) => [
      f.flops === undefined
        ? 'the scale stays'
        : `the scale stays: ${text(f.parameters ?? '')} parameters, ${text(f.flops)} model FLOPs of ${text(f.target ?? '')}`,
    ],
    'asked-for': (f) => [`${code(f.knob)} changes the scale, as ${text(f.by)} asked`],
    'scale-changed': (f) => [
      `${code(f.knob)} changes the scale: ${code(f.before)} to ${code(f.after)}`,
      'take it back, or ask for it by name in a proposal',
    ],
    'not-computed': (f) => [
      `nobody can tell what the run would spend: ${text(f.why)}`,
      "write the number there, or mend the lane's `scale`",
    ],
    'off-target': (f) => [
      `the run would spend ${text(f.flops)} model FLOPs, ${text(f.percent)} % from the ${text(f.target)} that the lane is for (at most ${text(f.tolerance)} %)`,
      "put the scale back, or change the lane's `scale`",
    ],
  },
  'identical-rerun': {
    'something-changes': () => ['something changes'],
    'declared-regression': () => ['the same again, declared as a regression check'],
    'identical-undeclared': (f) => [
      `nothing changes${newAgainst(f.against)} and no regression check is declared`,
      'say under *Objective* which regression this confirms, or change a knob',
    ],
  },
};

/** What is counted against another run than the target branch has. */
function newAgainst(run: string | undefined): string {
  return run === undefined ? '' : ` against ${code(run)}`;
}
