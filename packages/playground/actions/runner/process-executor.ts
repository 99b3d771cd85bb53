/** Runs steps as real processes: bash scripts, git checkouts, and JavaScript actions under the chosen Node. */

import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { actions } from '../../limits/limits.ts';
import { assertNever } from '../../world/assert.ts';
import { ifThere } from '../../world/if-there.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { checkout, checkoutPost } from './checkout.ts';
import { parseCommandFile } from './command-files.ts';
import { isSelfHosted } from './environment.ts';
import { createGroupRecord, type GroupRecord } from './group-record.ts';
import { endOrphans } from './orphans.ts';
import type { Executor, StepEnd, StepHost, StepWork } from './runner-types.ts';
import { shellCommand } from './shells.ts';
import { runProgram, type StepProgram, signalGroup } from './step-process.ts';

export type ProcessOptions = { readonly nodeProgram: string; readonly workDirectory: string };

/** `nodeProgram` is the Node that runs JavaScript actions (absolute path). */
export function createProcessExecutor(options: ProcessOptions): Executor {
  const groups = createGroupRecord(path.join(options.workDirectory, '_process_groups'));
  return {
    endsWhenTold: true,
    recover: groups.endLeftOver,
    readsActions: true,
    prepare: async (places, work) => {
      await rm(places.temp, { recursive: true, force: true });
      // A hosted machine is always new; a self-hosted one keeps the files of the previous job.
      if (!isSelfHosted(work))
        for (const left of [places.workspace, places.home, places.toolCache])
          await rm(left, { recursive: true, force: true });
      for (const directory of [places.workspace, places.temp, places.toolCache, places.home]) {
        await mkdir(directory, { recursive: true });
      }
      await mkdir(path.dirname(places.eventFile), { recursive: true });
      await writeFile(places.eventFile, `${JSON.stringify(work.payload, null, 2)}\n`);
    },
    step: (step, host) => runStep(step, host, { nodeProgram: options.nodeProgram, groups }),
    cleanUp: async ({ places, groups: started, trackingId, say }) => {
      for (const { pid, name } of endOrphans(trackingId)) say(`Terminate orphan process: pid (${pid}) (${name})`);
      for (const group of started) {
        signalGroup(group, 'SIGKILL');
        groups.forget(group);
      }
      await rm(places.temp, { recursive: true, force: true });
    },
    sleep: async (durationMs, signal) => {
      await delay(Math.min(durationMs, 2 ** 31 - 1), undefined, { signal, ref: false });
    },
  };
}

type Machine = { readonly nodeProgram: string; readonly groups: GroupRecord };

async function runStep(step: StepWork, host: StepHost, machine: Machine): Promise<StepEnd> {
  switch (step.kind) {
    case 'checkout': {
      if (step.phase === 'post') {
        await checkoutPost(step.inputs, step.env, host);
        return buildEnd('success', {});
      }
      return buildEnd('success', await checkout(step.inputs, step.env, host));
    }
    case 'run': {
      const script = path.join(host.places.temp, `${crypto.randomUUID()}.sh`);
      await writeFile(script, `${step.script}\n`, { mode: 0o755 });
      const { file, args } = shellCommand(step.shell, script);
      return await runWithFiles({ file, args, cwd: step.cwd, env: step.env }, host, machine);
    }
    case 'action': {
      if (step.program === null) throw new WorkflowFault(`${step.uses} has no program`);
      const cwd = host.places.workspace;
      const program = { file: machine.nodeProgram, args: [step.program], cwd, env: step.env };
      return await runWithFiles(program, host, machine);
    }
    default:
      return assertNever(step);
  }
}

const FILES = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const;

async function runWithFiles(
  program: Pick<StepProgram, 'file' | 'args' | 'cwd' | 'env'>,
  host: StepHost,
  machine: Machine,
): Promise<StepEnd> {
  const { cwd } = program;
  const directory = path.join(host.places.temp, '_runner_file_commands');
  await mkdir(directory, { recursive: true });
  const id = crypto.randomUUID();
  const files = Object.fromEntries(FILES.map((name) => [name, path.join(directory, `${name}_${id}`)]));
  for (const place of Object.values(files)) await writeFile(place, '');
  if ((await ifThere(stat(cwd)))?.isDirectory() !== true)
    throw new WorkflowFault(`Working directory '${cwd}' does not exist`);
  const done = await runProgram({
    ...program,
    env: { ...program.env, ...files },
    onLine: host.onLine,
    signal: host.signal,
    onStart: (group) => {
      host.groups.add(group);
      machine.groups.remember(group);
    },
  });
  if (done.problem !== null) throw new WorkflowFault(done.problem);
  const success = done.exitCode === 0;
  if (!success && !host.signal.aborted) host.note(`Process completed with exit code ${done.exitCode ?? 'none'}.`);
  const written = await readCommandFiles(files, host);
  const failed = !success || written.broken;
  return {
    conclusion: host.signal.aborted ? 'cancelled' : failed ? 'failure' : 'success',
    ...written.values,
    summary: await readSummary(files['GITHUB_STEP_SUMMARY'] ?? '', host),
  };
}

type Written = Pick<StepEnd, 'outputs' | 'env' | 'paths' | 'state'>;

/**
 * Reads each file separately. An error in one is logged and fails the step, but the other files still count
 * (actions/runner, FileCommandManager).
 */
async function readCommandFiles(
  files: Readonly<Record<string, string>>,
  host: StepHost,
): Promise<{ readonly values: Written; readonly broken: boolean }> {
  let broken = false;
  const read = async <T>(name: (typeof FILES)[number], parse: (text: string) => T): Promise<T> => {
    try {
      return parse(await readCommandFile(files[name] ?? '', name, actions.commandFileBytes));
    } catch (error) {
      if (!(error instanceof WorkflowFault)) throw error;
      const word = name.replace('GITHUB_', '').toLowerCase();
      host.note(`Unable to process file command '${word}' successfully.`);
      host.note(error.message);
      broken = true;
      return parse('');
    }
  };
  const values = {
    outputs: await read('GITHUB_OUTPUT', parseCommandFile),
    env: await read('GITHUB_ENV', parseCommandFile),
    paths: await read('GITHUB_PATH', (text) => text.split(/\r?\n/).filter((line) => line !== '')),
    state: await read('GITHUB_STATE', parseCommandFile),
  };
  return { values, broken };
}

/**
 * Drops a summary over the limit. The drop is logged and does not change the step's result (docs: step isolation and
 * limits).
 */
async function readSummary(file: string, host: StepHost): Promise<string> {
  // A step may delete its file; then it is treated as empty.
  const bytes = (await ifThere(stat(file)))?.size ?? 0;
  if (bytes <= actions.summaryBytes) return bytes === 0 ? '' : await readFile(file, 'utf8');
  const kibibytes = (count: number): string => `${Math.floor(count / 1024)}k`;
  host.note(
    `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${kibibytes(actions.summaryBytes)}, got ${kibibytes(bytes)}.`,
  );
  return '';
}

async function readCommandFile(file: string, name: string, limitBytes: number): Promise<string> {
  // A step may delete its file; then it is treated as empty.
  const bytes = (await ifThere(stat(file)))?.size ?? 0;
  if (bytes === 0) return '';
  if (bytes > limitBytes) throw new WorkflowFault(`${name} is larger than ${limitBytes} bytes`);
  return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
}

function buildEnd(conclusion: StepEnd['conclusion'], outputs: Readonly<Record<string, string>>): StepEnd {
  return { conclusion, outputs, env: {}, paths: [], state: {}, summary: '' };
}
