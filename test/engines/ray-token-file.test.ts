/**
 * Marin's scripts read the token from a file and ignore the variable: the file must exist whatever a lab
 * configures.
 */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLabConfig } from '../../src/app/config-source.ts';
import { createEngines, type Engines } from '../../src/app/engines.ts';
import type { JobSpec } from '../../src/domain/engine.ts';
import { loadAdapters } from '../../src/engines/registry.ts';
import { replaceInConfig } from '../config/small-config.ts';
import { submitTo } from '../support/capabilities.ts';
import { openStandIn, type RecordedCall, type StandIn } from '../support/stand-in-scripts.ts';

const TOKEN = 'ray-token-of-the-lab';
/** Prints the content of the file that a client would read: the named one, else the one in the home. */
const READS =
  'import { readFileSync } from "node:fs"; const file = process.env.RAY_AUTH_TOKEN_PATH ?? process.env.HOME + "/.ray/auth_token"; throw new Error("failed after " + readFileSync(file, "utf8").length);';

let scripts: StandIn;
let engines: Engines;
let homes: string;
beforeEach(async () => {
  scripts = await openStandIn();
  homes = await mkdtemp(join(tmpdir(), 'ferrybot-token-file-'));
  engines = createEngines({
    adapters: await loadAdapters(),
    stateDirectory: join(scripts.tree, 'state'),
    temporaryDirectory: homes,
    environment: {
      PATH: process.env['PATH'],
      RAY_AUTH_TOKEN: TOKEN,
      LAB_RAY_TOKEN: TOKEN,
      LAB_KEY: 'key of the cluster',
      LAB_OWN_TOKEN: 'a token that the lab puts there itself',
      RAY_AUTH_TOKEN_PATH: '/home/of/the/runner/.ray/auth_token',
      HOME: '/home/of/the/runner',
    },
    now: Date.now,
    checkoutOf: () => scripts.settings.checkout(),
  });
});
afterEach(async () => {
  await engines.close();
  await scripts.close();
  await rm(homes, { recursive: true, force: true });
});

const SCRIPT = '"{python}", "{checkout}/script.mjs", "{checkout}"';
const PROGRAM = JSON.stringify(process.execPath);

const spec = (): JobSpec => ({
  submissionId: 'ferry-1',
  command: ['python3', 'a.py'],
  // A job's own variables do not bypass this either.
  env: { RAY_AUTH_TOKEN_PATH: '/of/the/job' },
  workingDirectory: scripts.tree,
  metadata: { run: 'ferry-daily-20261121', attempt: 1, manifest: `sha256:${'c'.repeat(64)}` },
});

/** What each script of a launch saw, in a lab with these cluster keys. */
async function launched(keys: string): Promise<readonly RecordedCall[]> {
  const text = `local: { engine: ray, acceleratorHoursPerRun: "2.5", dashboard: "${scripts.address}", ${keys},
    scripts: { python: [${PROGRAM}], submit: [${SCRIPT}, submit, "{submissionId}", "{environment}", "--", "{command}"] } }`;
  const reading = readLabConfig(replaceInConfig('local: { engine: local, acceleratorHoursPerRun: "2.5" }', text));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  const engine = engines.engineOf(reading.config, 'local');
  if (engine === null) throw new Error('the cluster has an engine');
  await scripts.does('submit', { starts: true, stderr: 'Job submitted with ID: {id}\n' });
  const outcome = await submitTo(engine, spec());
  expect(outcome).toMatchObject({ kind: 'submitted' });
  return scripts.calls();
}

it.each([
  ['nothing', 'tokenFrom: RAY_AUTH_TOKEN'],
  ['a variable of its own for the token', 'tokenFrom: LAB_RAY_TOKEN'],
  ['other files of the home', 'homeFiles: { .ssh/cluster.pem: LAB_KEY, .ray/other: LAB_KEY }'],
  [
    "the runner's own variables, the path of a token among them",
    'passVariables: [RAY_AUTH_TOKEN_PATH, HOME, RAY_AUTH_TOKEN]',
  ],
  ['a token of its own in the same place', 'homeFiles: { .ray/auth_token: LAB_OWN_TOKEN }'],
])(
  'writes the cluster token to .ray/auth_token, mode 0600 in a home of 0700, when a lab configures %s',
  async (_, keys) => {
    const calls = await launched(keys);
    expect(calls.map(({ verb }) => verb)).toEqual(['submit']);
    for (const { home, env } of calls) {
      expect(home.mode).toBe(0o700);
      expect(home.files).toMatchObject({ '.ray': 0o700, '.ray/auth_token': 0o600 });
      expect(env['HOME']?.startsWith(homes)).toBe(true);
      expect(env['RAY_AUTH_TOKEN_PATH']).toBe(`${env['HOME']}/.ray/auth_token`);
    }
    expect(await readdir(join(homes, 'ferrybot', 'homes'))).toEqual([]);
  },
);

it.each([
  ['the token of the cluster', 'tokenFrom: LAB_RAY_TOKEN', TOKEN.length],
  [
    "the lab's own file, which stays",
    'homeFiles: { .ray/auth_token: LAB_OWN_TOKEN }',
    'a token that the lab puts there itself'.length,
  ],
])('lets a script that knows only the file read %s', async (_, keys, length) => {
  const program = `python: [${PROGRAM}, --input-type=module, -e, ${JSON.stringify(READS)}]`;
  const submit = 'submit: ["{python}", "{submissionId}", "{environment}", "{command}"]';
  const text = `local: { engine: ray, acceleratorHoursPerRun: "2.5", dashboard: "${scripts.address}", ${keys}, scripts: { ${program}, ${submit} } }`;
  const reading = readLabConfig(replaceInConfig('local: { engine: local, acceleratorHoursPerRun: "2.5" }', text));
  if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading.problems));
  const engine = engines.engineOf(reading.config, 'local');
  if (engine === null) throw new Error('the cluster has an engine');
  expect(await submitTo(engine, spec())).toMatchObject({ message: expect.stringContaining(`failed after ${length}`) });
});
