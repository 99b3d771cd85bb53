/**
 * The example lab's scripts with a real head, as a lab would configure them: through uv, offline, with the
 * Python that has Ray.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JobSpec } from '../../src/domain/engine.ts';
import { raySchema } from '../../src/engines/ray/definition.ts';
import { TOKEN_FILE } from '../../src/engines/ray/private-home.ts';
import type { ScriptSettings, ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { RAY_BIN } from './ray-tools.ts';

const LAB = fileURLToPath(new URL('../../fixtures/lab', import.meta.url));

export const UV_RUN = [
  join(RAY_BIN, 'uv'),
  'run',
  '--offline',
  '--no-project',
  '--no-config',
  '--python',
  join(RAY_BIN, 'python'),
];

/** The config's defaults except for the Python: the real scripts must accept them. */
const TEMPLATES: ScriptTemplates = {
  ...templatesOfConfig(),
  python: UV_RUN,
  pythonWithoutUv: null,
  clusterFile: 'infra/marin-{cluster}-vllm.yaml',
};

export type ScriptsLab = {
  readonly folder: string;
  /** Scripts for the head at this address, with this token. */
  readonly settings: (address: string, token: string, templates?: Partial<ScriptTemplates>) => ScriptSettings;
  /** A job of one Python file in a new tree. */
  readonly spec: (submissionId: string, source: string, changes?: Partial<JobSpec>) => Promise<JobSpec>;
  readonly close: () => Promise<void>;
};

/** Folders for one test file. */
export async function openScriptsLab(): Promise<ScriptsLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-scripts-'));
  return {
    folder,
    settings: (address, token, templates = {}) => ({
      cluster: 'us-central1',
      templates: { ...TEMPLATES, ...templates },
      checkout: async () => LAB,
      env: {
        PATH: process.env['PATH'] ?? '',
        LANG: 'C.UTF-8',
        UV_CACHE_DIR: join(folder, 'uv'),
        PYTHONDONTWRITEBYTECODE: '1',
        RAY_ADDRESS: address,
        RAY_AUTH_MODE: 'token',
        RAY_AUTH_TOKEN: token,
      },
      homeFiles: { [TOKEN_FILE]: token },
      temporaryDirectory: join(folder, 'homes'),
      secrets: [token],
      sleep: (durationMs) => sleep(durationMs),
    }),
    spec: async (submissionId, source, changes = {}) => {
      const workingDirectory = join(folder, 'trees', submissionId);
      const file = join(workingDirectory, 'experiments', 'job.py');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, source);
      return {
        submissionId,
        command: ['python3', 'experiments/job.py'],
        env: {},
        workingDirectory,
        metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` },
        ...changes,
      };
    },
    close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function templatesOfConfig(): ScriptTemplates {
  const templates = raySchema.shape.scripts.parse({});
  if (templates === null) throw new Error('the config has no scripts');
  return templates;
}
