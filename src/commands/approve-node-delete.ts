/** `/approve-node-delete vm=… [digest]`: a person consents to the deletion of one bad TPU VM (policy ML-02 and ML-30). */

import { CONSENT_ANSWERS, decideConsent } from './consent.ts';
import type { CommandDefinition } from './definition.ts';
import { digestPrefix, machineName } from './values.ts';

export const approveNodeDelete = {
  name: 'approve-node-delete',
  answers: CONSENT_ANSWERS,
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: { vm: { required: true, value: machineName } },
  who: (policy) => policy.permissions.care,
  summary:
    'Consents to the deletion of the bad TPU VM that was proposed in this thread; once, within the hour.',
  example: '/approve-node-delete vm=ray-us-central1-worker-7c21 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  decide: (context) => decideConsent(context, ['delete-tpu-vm']),
} as const satisfies CommandDefinition;
