/** The commands of the corpus; their decisions do not matter for the grammar. */

import { z } from 'zod';
import { type CommandSpec, knobPath, knobValue } from '../../src/commands/values.ts';

const text = z.string().trim().min(1);
const NAMES = [
  ...['propose', 'approve-launch', 'revoke', 'hold', 'unhold', 'rollback'],
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
    positional: { name: 'digest', required: false, value: z.string().regex(/^(sha256:)?[0-9a-f]{12,64}$/) },
    keys: {},
  },
  { name: 'revoke', keys: {}, isBrake: true },
  { name: 'hold', keys: { reason: { required: false, value: text } }, isBrake: true, confusedWith: ['freeze', 'skip'] },
  { name: 'unhold', keys: {}, confusedWith: ['thaw', 'unfreeze'] },
  { name: 'rollback', keys: { reason: { required: true, value: text } } },
  { name: 'status', keys: {} },
  { name: 'why', keys: {} },
  { name: 'stop', keys: {}, isBrake: true },
  { name: 'ack', keys: {} },
  { name: 'seal', keys: { accept: { required: false, value: text } } },
  { name: 'help', positional: { name: 'command', required: false, value: z.enum(NAMES) }, keys: {} },
];
