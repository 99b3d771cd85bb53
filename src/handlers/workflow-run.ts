/** workflow_run: a launch or a watch ended; whatever it left undone is owed now. */

import { z } from 'zod';
import { handler } from './event-envelope.ts';

const schema = z.object({ action: z.string() });

export const workflowRun = handler('workflow_run', schema, ({ action }) =>
  action === 'completed' ? { kind: 'workflow-ended' } : null,
);
