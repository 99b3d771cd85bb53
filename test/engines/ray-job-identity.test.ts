/** A Ray job is ours only where it says so itself, whole and without contradiction. */

import { expect, it } from 'vitest';
import { identityOf, metadataTexts, metadataVariables } from '../../src/engines/ray/job-details.ts';

const OURS = { run: 'ferry-daily-20261121', attempt: 2, manifest: `sha256:${'a'.repeat(64)}` };

it('is told by metadata, by variables, or by both', () => {
  expect(identityOf(metadataTexts(OURS), undefined)).toEqual(OURS);
  expect(identityOf({}, { HF_TOKEN: 'x', ...metadataVariables(OURS) })).toEqual(OURS);
  expect(identityOf(metadataTexts(OURS), metadataVariables(OURS))).toEqual(OURS);
});

it.each([
  ['says nothing', {}, {}],
  ['has no metadata and no variables', null, undefined],
  ['says half', { ferrybot_run: 'r', ferrybot_attempt: '1' }, {}],
  ['counts no attempts', { ...metadataTexts(OURS), ferrybot_attempt: '1.5' }, {}],
  ['contradicts itself', metadataTexts(OURS), metadataVariables({ ...OURS, attempt: 3 })],
  ['has lists where texts belong', ['ferrybot_run'], 'FERRYBOT_JOB_RUN'],
])('is nobody’s when it %s', (_, metadata, variables) => {
  expect(identityOf(metadata, variables)).toBeNull();
});
