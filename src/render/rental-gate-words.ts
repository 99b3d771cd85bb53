/** What the gates on a rental answer, in words. */

import type { GateId } from '../domain/launch/verdict.ts';
import type { GateSentences } from './gate-sentences.ts';
import { code, count, listed, text } from './words.ts';

type Own = Extract<
  GateId,
  'machine-fits' | 'secrets-named' | 'reductions-bounded' | 'early-stop-sane' | 'bottleneck-measured'
>;

export const RENTAL_SENTENCES: { readonly [Gate in Own]: GateSentences<Gate> } = {
  'machine-fits': {
    fits: (f) => [
      `a machine is rented for at most $${text(f.price)} an hour and ${count(f.hours, 'hour')}, all of them for at most $${text(f.total)}`,
    ],
    'not-rented': (f) => [
      `on ${code(f.cluster)} nothing is rented`,
      'name a cluster of the engine that rents machines in the lane',
    ],
    'beyond-lab': (f) => [
      `more than this lab rents: ${listed(f.beyond.map(text))}`,
      'ask for less in the issue, or have the cluster changed in the config',
    ],
  },
  'secrets-named': {
    named: (f) => [
      f.names.length === 0
        ? 'no secret reaches the machine'
        : `the machine gets ${listed(f.names.map(code))}, which the lane names`,
    ],
    unnamed: (f) => [
      `the lane names no ${listed(f.names.map(code))}, and the host of the machine is a stranger`,
      'take it out of the issue, or have `passSecrets` of the lane changed in the config',
    ],
  },
  'reductions-bounded': {
    none: () => ['nothing is made smaller without asking'],
    bounded: (f) => [`when memory runs out, one after the other: ${listed(f.steps.map(code))}`],
    'not-batch-first': (f) => [
      `${code(f.first)} comes first, and it is not the batch`,
      'put a smaller batch first: it changes the least of what is learned',
    ],
    'not-in-command': (f) => [
      `the command has nothing that ${code(f.step)} would make smaller`,
      'name an option or a variable of the command, as it stands there',
    ],
    'not-smaller': (f) => [
      `${code(f.step)} is not smaller than ${code(f.now)}`,
      'each step has to be a smaller number than the one before',
    ],
  },
  'early-stop-sane': {
    none: () => ['the job does not stop before its last step'],
    sane: (f) => [`the job may stop early: ${code(f.says)}, of ${f.of} steps`],
    'no-final-step': () => [
      'the job may stop early, and nobody says how many steps it has',
      'say the final step in the issue',
    ],
    'too-small': (f) => [
      `it would stop too early: ${listed(f.small.map(text))}`,
      'say more in the issue, or `none`: a stop that comes too early ends good runs',
    ],
  },
  'bottleneck-measured': {
    none: () => ['nothing is optimised'],
    measured: (f) => [`it optimises what ${code(f.baseline)} has measured: ${text(f.measured)}`],
    'no-baseline': (f) => [
      `${code(f.baseline)} is no run of this lane that was sealed as a pass`,
      'name one, or say `none`: first a stable baseline, then its measured bottleneck',
    ],
  },
};
