/** The commands that the corpus is written for; what they decide is none of the grammar's business. */

import { z } from 'zod';
import type { CommandSpec } from '../../src/commands/spec.ts';
import { knobPath, knobValue } from '../../src/commands/values.ts';

const text = z.string().trim().min(1);
const reason = { required: true, value: text };
const NAMES = [
  ...['propose', 'approve-launch', 'revoke', 'hold', 'unhold', 'skip', 'freeze', 'thaw'],
  ...['status', 'why', 'stop', 'ack', 'seal', 'help'],
];

export const TEST_REGISTRY: readonly CommandSpec[] = [
  {
    name: 'propose',
    keys: { objective: { required: false, value: text } },
    freeKeys: { name: knobPath, value: knobValue },
  },
  {
    name: 'approve-launch',
    positional: {
      name: 'digest',
      required: false,
      value: z.string().regex(/^(sha256:)?[0-9a-f]{12,64}$/),
    },
    keys: {},
  },
  { name: 'revoke', keys: {} },
  { name: 'hold', keys: { reason } },
  { name: 'unhold', keys: {} },
  { name: 'skip', keys: { reason } },
  { name: 'freeze', keys: { reason } },
  { name: 'thaw', keys: {}, confusedWith: ['unfreeze'] },
  { name: 'status', keys: {} },
  { name: 'why', keys: {} },
  { name: 'stop', keys: {} },
  { name: 'ack', keys: {} },
  { name: 'seal', keys: { accept: { required: false, value: text } } },
  { name: 'help', positional: { name: 'command', required: false, value: z.enum(NAMES) }, keys: {} },
];
