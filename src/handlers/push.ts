/** push: the logbook grew, the default branch moved (and the config with it), or a proposal branch did. */

import { z } from 'zod';
import { handler } from './event-envelope.ts';

const schema = z.object({ ref: z.string(), deleted: z.boolean().optional() });

export const push = handler('push', schema, ({ ref }) =>
  ref.startsWith('refs/heads/') ? { kind: 'push', ref } : null,
);
