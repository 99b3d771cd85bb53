/** Who may approve by the permission on the repository, and by the config's list. */

import { expect, it } from 'vitest';
import { canApprove } from '../../src/config/approvals-schema.ts';

const LISTED = { permission: 'maintain', users: [{ written: '@ada', ids: [7] }] } as const;

// threat T253
it.each([
  ['maintain', 8, true],
  ['write', 8, false],
  ['write', 7, true],
  ['read', 7, false],
  ['none', 7, false],
] as const)('an account with permission %s and the id %d may approve: %s', (permission, id, expected) => {
  expect(canApprove(permission, id, LISTED)).toBe(expected);
});
