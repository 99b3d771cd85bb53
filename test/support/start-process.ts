/** `npm start -- --auto` as a separate process: its stages, its answer, and a kill at any moment. */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The file that `npm start` runs. */
export const PROGRAM = fileURLToPath(new URL('../../demo/main.ts', import.meta.url));

/** The last line of `--json`, as far as the tests read it. */
const answerSchema = z.object({
  ok: z.boolean(),
  reason: z.string().nullable(),
  stages: z.array(z.object({ day: z.int(), stage: z.string(), seconds: z.number() })),
  logbook: z.string(),
  sealTags: z.array(z.string()),
  runs: z.array(z.object({ run: z.string(), jobId: z.string(), digest: z.string(), manifest: z.string() })),
});
export type StartAnswer = z.infer<typeof answerSchema>;

export type StartProcess = {
  readonly child: ChildProcess;
  /** Resolves when the program reports this stage; rejects if it ends before. */
  readonly reached: (stage: string) => Promise<void>;
  /** The exit code (null: killed) and the answer on the last line, null if there is none. */
  readonly ended: Promise<{ readonly code: number | null; readonly answer: StartAnswer | null }>;
  /** Its whole output so far. */
  readonly said: () => string;
};

/** Starts it on a folder. The caller waits for its end, or kills it. */
export function startProcess(folder: string, ...options: readonly string[]): StartProcess {
  const child = spawn(process.execPath, [PROGRAM, '--auto', '--json', '--keep', folder, ...options], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let output = '';
  const stages = new Set<string>();
  const waiting = new Map<string, () => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    said += `${line}\n`;
    const stage = /^day \d+ +(\w+) /.exec(line)?.[1];
    if (stage === undefined) return;
    stages.add(stage);
    waiting.get(stage)?.();
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<Awaited<StartProcess['ended']>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      resolve({ code, answer: last === '' ? null : answerSchema.parse(JSON.parse(last)) });
    });
  });
  const reached = (stage: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (stages.has(stage)) return resolve();
      waiting.set(stage, resolve);
      ended.then(
        ({ code, answer }) => reject(new Error(`ended with ${code} (${answer?.reason}) before ${stage}:\n${said}`)),
        reject,
      );
    });
  return { child, reached, ended, said: () => said };
}

/**
 * Process ids below `root` with `INPUT_MODE=mode` in their environment: the action's jobs as the runner
 * starts them (Linux).
 */
export async function actionProcesses(root: number, mode: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of await descendants(root)) {
    const environment = await readIfThere(`/proc/${pid}/environ`);
    if (environment.split('\0').includes(`INPUT_MODE=${mode}`)) found.push(pid);
  }
  return found;
}

/** Process ids below a process (Linux). */
export async function descendants(root: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The command may contain brackets and blanks; the fields after it do not (proc(5)): state, parent.
    const stat = await readIfThere(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (Number.isInteger(parent)) parents.set(Number(name), parent);
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (parents.get(pid) === root || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

/** Empty for a process that has ended, or of another user. */
async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}
