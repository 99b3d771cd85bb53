/** Regions in names. */

import { expect, it } from 'vitest';
import { bucketRegion, findRegion } from '../../src/contracts/gates.ts';

it.each([
  ['gs://marin-us-central2/grug/ep8', 'us-central2'],
  ['s3://lab-eu-west-1/x', 'eu-west1'],
  ['gs://lab/us-central2/x', null],
  ['gs://campus-east2/x', null],
  ['/data/us-central2', null],
])('%s is in %s', (path, region) => {
  expect(bucketRegion(path)).toBe(region);
});

it.each([
  ['us-central2-b', 'us-central2'],
  ['cw-us-east-08a', 'us-east8'],
  ['Google Cloud, europe-west4', 'europe-west4'],
  ['one machine of the lab', null],
])('%s is %s', (said, region) => {
  expect(findRegion(said)).toBe(region);
});
