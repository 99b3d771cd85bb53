/** `/approve-disk-cleanup worker=… [digest]`: a person consents to the listed steps on one worker (policy AG-18). */

import { CONSENT_ANSWERS, decideConsent } from './consent.ts';
import type { CommandDefinition } from './definition.ts';
import { digestPrefix, machineName } from './values.ts';

export const approveDiskCleanup = {
  name: 'approve-disk-cleanup',
  answers: CONSENT_ANSWERS,
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: { worker: { required: true, value: machineName } },
  who: (policy) => policy.permissions.care,
  summary:
    'Consents to exactly the clean-up steps that were proposed in this thread for the worker; once, within the hour.',
  example: '/approve-disk-cleanup worker=ray-us-central1-worker-7c21 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  decide: (context) => decideConsent(context, ['clean-disk', 'init-worker']),
  decideWithoutRun: (context) => decideConsent(context, ['clean-disk', 'init-worker']),
} as const satisfies CommandDefinition;
