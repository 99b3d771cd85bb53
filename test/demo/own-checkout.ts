/** A lab's checkout in a temporary folder, and `ferrybot playground` started on it. */

import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { z } from 'zod';
import { gitEnvironment } from '../../packages/playground/git/store/git-environment.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = join(ROOT, 'fixtures/lab');
export const CONFIG = '.github/ferrybot.yml';

/** A repository with the example lab's files and one commit; `change` edits the folder before the commit. */
export async function createCheckout(change: (folder: string) => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'own-lab-'));
  await cp(EXAMPLE, folder, { recursive: true, filter: (source) => !source.includes('__pycache__') });
  await change(folder);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await commitAll(folder, 'The lab as it stands');
  return folder;
}

export async function commitAll(folder: string, message: string): Promise<void> {
  await git(folder, 'add', '--all');
  await git(folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example', 'commit', '-qm', message);
}

export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await execa('git', [...args], { cwd: folder, env: { ...gitEnvironment() }, extendEnv: false })).stdout;
}

/** Replaces a text of a file, which must occur in it. */
export async function edit(folder: string, file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await writeFile(join(folder, file), text.replace(from, to));
}

/** One hash over every file and link below the folder, `.git` included. */
export async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((one) => !one.isDirectory())
    .map((one) => ({ one, path: join(one.parentPath, one.name) }));
  for (const { one, path } of paths.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(path).update(one.isSymbolicLink() ? await readlink(path) : await readFile(path));
  return hash.digest('hex');
}

const answer = z.looseObject({
  ok: z.literal(true),
  origin: z.string(),
  page: z.string(),
  repository: z.string(),
  branch: z.string(),
  uncommitted: z.number(),
  config: z.object({ state: z.string(), problems: z.array(z.looseObject({ line: z.number(), column: z.number() })) }),
  localClusters: z.array(z.string()),
  folder: z.string(),
});

export type OwnPlayground = z.output<typeof answer> & {
  /** A page of the repository, as the user who started the playground. */
  readonly open: (path: string, init?: RequestInit) => Promise<Response>;
  /** A request to the API as one of the people. */
  readonly call: (login: string, method: string, path: string, body?: object) => Promise<unknown>;
  /** Sends SIGINT; returns the exit code. */
  readonly end: () => Promise<number | undefined>;
};

/** Starts `ferrybot playground` in the folder on a free port, and waits for its one JSON value. */
export async function openOwnPlayground(folder: string, ...options: readonly string[]): Promise<OwnPlayground> {
  const child = start(folder, '--port', '0', '--json', ...options);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.then(({ exitCode }) => reject(new Error(`it ended with ${exitCode} and said: ${said}`)), reject);
  });
  const opened = answer.parse(JSON.parse(line));
  const authorization = `Bearer ${new URL(opened.page).searchParams.get('token')}`;
  const people = z
    .array(z.object({ login: z.string(), token: z.string() }))
    .parse(await (await fetch(`${opened.origin}/_playground/people`, { headers: { authorization } })).json());
  return {
    ...opened,
    open: (path, init = {}) =>
      fetch(`${opened.origin}/${opened.repository}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    call: async (login, method, path, body) => {
      const token = people.find((one) => one.login === login)?.token ?? '';
      const response = await fetch(`${opened.origin}/api/v3/repos/${opened.repository}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'user-agent': 'a person' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? null : response.json();
    },
    end: async () => {
      child.kill('SIGINT');
      const { exitCode } = await child;
      if (!options.includes('--keep')) await rm(opened.folder, { recursive: true, force: true });
      return exitCode;
    },
  };
}

/** Starts it and waits for its end: for starts that are refused. */
export async function expectRefused(
  folder: string,
  ...options: readonly string[]
): Promise<{ readonly code: number | undefined; readonly out: string; readonly err: string }> {
  const { exitCode, stdout, stderr } = await start(folder, ...options);
  return { code: exitCode, out: stdout, err: stderr };
}

function start(folder: string, ...options: readonly string[]) {
  return execa(process.execPath, [join(ROOT, 'src/app/cli/main.ts'), 'playground', ...options], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
}
