/** The engine `local`: processes of the runner's own machine. */

import { z } from 'zod';
import { error } from '../../settings/problem.ts';
import { setting } from '../../settings/words.ts';
import { CLUSTER_KEYS, type EngineDefinition } from '../definition.ts';

const schema = z.strictObject({
  engine: z.literal('local').describe("Processes of the runner's own machine."),
  jobs: setting(z.string().min(1).max(300), 'jobs', 'Folder for job records, relative to FERRYBOT_STATE_DIR.'),
  ...CLUSTER_KEYS,
});

export const localEngine: EngineDefinition<typeof schema> = {
  schema,
  // Records outside the folder could belong to another lab on the same runner.
  configIssues: (at, { jobs }) =>
    jobs.split('/').includes('..')
      ? [error('outside-folder', [...at, 'jobs'], 'leaves the folder that it starts from')]
      : [],
  traits: () => ({
    jobsRunHere: true,
    buildsChange: false,
    leavesOut: [],
    launcher: null,
    secretVariables: [],
    machines: null,
  }),
};
