/**
 * Job records of the local engine must not be in a folder that is deleted with the workflow job: such a
 * folder is refused with advice.
 */

import { describe, expect, it } from 'vitest';
import { findStateDirectoryProblem } from '../../src/app/action/watching.ts';
import { aConfig } from '../support/run-parts.ts';

const config = aConfig();
const { cluster } = config.lane;
const problem = (directory: string): string | null =>
  findStateDirectoryProblem(config, cluster, directory, '/runner/_temp');

describe('the folder for job records', () => {
  it.each(['/var/lib/ferrybot', '/runner/_temporary', '/runner'])('may be %s', (directory) => {
    expect(problem(directory)).toBeNull();
  });

  it.each(['', 'state', '/runner/_temp', '/runner/_temp/ferrybot-state', '/runner/_temp/../_temp/x'])(
    'may not be "%s", and the answer names the variable',
    (directory) => {
      expect(problem(directory)).toContain('FERRYBOT_STATE_DIR');
    },
  );

  it('is not checked for a cluster that is not configured', () => {
    expect(findStateDirectoryProblem(config, 'nowhere', '', '/runner/_temp')).toBeNull();
  });
});
