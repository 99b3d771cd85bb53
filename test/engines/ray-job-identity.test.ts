/** A Ray job is ours only if its metadata or its variables name the run whole. */

import { expect, it } from 'vitest';
import { findIdentity, IN_METADATA, IN_VARIABLES } from '../../src/engines/ray/job-details.ts';
import { identityFields } from '../../src/engines/shared/kit.ts';

const OURS = { run: 'ferry-daily-20261121', attempt: 2, manifest: `sha256:${'a'.repeat(64)}` };

it('reads the identity from metadata, from variables, or from both', () => {
  expect(findIdentity(identityFields(OURS, IN_METADATA), undefined)).toEqual(OURS);
  expect(findIdentity({}, { HF_TOKEN: 'x', ...identityFields(OURS, IN_VARIABLES) })).toEqual(OURS);
  expect(findIdentity(identityFields(OURS, IN_METADATA), identityFields(OURS, IN_VARIABLES))).toEqual(OURS);
});

it.each([
  ['has no identity', {}, {}],
  ['has no metadata and no variables', null, undefined],
  ['has half of an identity', { ferrybot_run: 'r', ferrybot_attempt: '1' }, {}],
  ['has no attempt number', { ...identityFields(OURS, IN_METADATA), ferrybot_attempt: '1.5' }, {}],
  ['has lists instead of strings', ['ferrybot_run'], 'FERRYBOT_JOB_RUN'],
])('reports no identity for a job that %s', (_, metadata, variables) => {
  expect(findIdentity(metadata, variables)).toBeNull();
});
