/** `/approve-start-cleanup [digest]`: a person consents to starting the clean-up job on the head node (policy AG-21). */

import { CONSENT_ANSWERS, decideConsent } from './consent.ts';
import type { CommandDefinition } from './definition.ts';
import { digestPrefix } from './values.ts';

export const approveStartCleanup = {
  name: 'approve-start-cleanup',
  answers: CONSENT_ANSWERS,
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: {},
  who: (policy) => policy.permissions.care,
  summary:
    'Consents to starting the automatic clean-up on the head node, as proposed in this thread; once, within the hour.',
  example: '/approve-start-cleanup 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  decide: (context) => decideConsent(context, ['start-cleanup-cron']),
  decideWithoutRun: (context) => decideConsent(context, ['start-cleanup-cron']),
} as const satisfies CommandDefinition;
