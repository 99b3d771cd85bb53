/** A lab's submit script that a test controls: its output, its end, and its jobs on a dashboard. */

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/domain/engine.ts';
import { createRayEngine } from '../../src/engines/ray/engine.ts';
import { createRestEngine } from '../../src/engines/ray/rest/engine.ts';
import type { ScriptSettings, ScriptTemplates } from '../../src/engines/ray/scripts/run-script.ts';
import { serveJobs } from './jobs-api.ts';

/** What the script does: it may start a job, then prints, then ends or hangs. */
export type StandInBehaviour = {
  readonly starts?: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly hangs?: boolean;
};

/** One call of the script, as it saw itself. */
export type RecordedCall = {
  readonly verb: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Git's commit and list of files to ship, as the script sees them. */
  readonly git: { readonly commit: string; readonly listing: number | null };
  readonly home: { readonly mode: number; readonly files: Readonly<Record<string, number>> };
};

export type StandIn = {
  readonly settings: ScriptSettings;
  readonly tree: string;
  readonly homes: string;
  /** The dashboard that shows the jobs. */
  readonly address: string;
  /** The engine with this script; `settings` replaces its own. */
  readonly engine: (settings?: ScriptSettings) => Engine;
  readonly does: (verb: 'submit', doing: StandInBehaviour) => Promise<void>;
  readonly jobs: (jobs: readonly object[]) => Promise<void>;
  readonly calls: () => Promise<readonly RecordedCall[]>;
  readonly close: () => Promise<void>;
};

/** Prints every variable of the job on standard error, like Marin's script. */
const PROGRAM = `
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
const [folder, verb, ...args] = process.argv.slice(2);
const read = (name, none) => existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : none;
const home = process.env.HOME;
const files = Object.fromEntries(readdirSync(home, { recursive: true }).map((f) => [f, statSync(join(home, f)).mode & 0o777]));
const git = { commit: spawnSync('git', ['rev-parse', 'HEAD']).stdout.toString().trim(), listing: spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard']).status };
appendFileSync(join(folder, 'calls.jsonl'), JSON.stringify({ verb, args, env: process.env, cwd: process.cwd(), git, home: { mode: statSync(home).mode & 0o777, files } }) + '\\n');
const doing = read(verb + '.json', {});
if (verb === 'submit' && doing.starts) {
  const [id, ...rest] = args;
  const pairs = rest.slice(0, rest.indexOf('--')).filter((a) => a !== '-e').map((a) => [a.slice(0, a.indexOf('=')), a.slice(a.indexOf('=') + 1)]);
  const job = { type: 'SUBMISSION', submission_id: id, status: 'RUNNING', message: '', metadata: {}, runtime_env: { env_vars: Object.fromEntries(pairs) } };
  writeFileSync(join(folder, 'jobs.json'), JSON.stringify([...read('jobs.json', []), job]));
}
process.stdout.write((doing.stdout ?? '').replaceAll('{id}', args[0] ?? ''));
process.stderr.write((doing.stderr ?? '').replaceAll('{id}', args[0] ?? ''));
if (doing.hangs) setInterval(() => {}, 1e6);
else process.exitCode = doing.exitCode ?? 0;
`;

/** Scripts in a new folder; `{python}` is this Node. */
export async function openStandIn(changes: Partial<ScriptTemplates> = {}): Promise<StandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-stand-in-'));
  const tree = join(folder, 'tree');
  await mkdir(tree);
  await writeFile(join(folder, 'script.mjs'), PROGRAM);
  const script = ['{python}', '{checkout}/script.mjs', '{checkout}'];
  const homes = join(folder, 'homes');
  const jobs = join(folder, 'jobs.json');
  const dashboard = await serveJobs(async () => (existsSync(jobs) ? JSON.parse(await readFile(jobs, 'utf8')) : []));
  const { address } = dashboard;
  const settings: ScriptSettings = {
    cluster: 'us-central1',
    templates: {
      python: [process.execPath],
      pythonWithoutUv: null,
      submit: [...script, 'submit', '{submissionId}', '{environment}', '--', '{command}'],
      environment: ['-e', '{name}={value}'],
      readsVariables: ['HF_TOKEN'],
      clusterFile: 'infra/marin-{cluster}.yaml',
      leavesOut: [],
      ignoreFiles: ['.rayignore'],
      timeoutMs: 30_000,
      ...changes,
    },
    checkout: async () => folder,
    env: { PATH: process.env['PATH'] ?? '', RAY_AUTH_TOKEN: 'ray-token-0123456789' },
    homeFiles: { '.ssh/cluster.pem': 'key of the cluster' },
    temporaryDirectory: homes,
    secrets: ['ray-token-0123456789'],
    sleep: async () => undefined,
  };
  return {
    tree,
    homes,
    settings,
    address,
    engine: (scripts = settings) =>
      createRayEngine({ rest: createRestEngine({ address, token: null }), scripts, dashboard: address }),
    does: (verb, doing) => writeFile(join(folder, `${verb}.json`), JSON.stringify(doing)),
    jobs: (listed) => writeFile(jobs, JSON.stringify(listed)),
    calls: async () => {
      const text = await readFile(join(folder, 'calls.jsonl'), 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
    close: async () => {
      await dashboard.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
