/** Runs git for the checkout step, isolated from the machine's git settings. */

import { execa } from 'execa';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import type { StepHost } from './runner-types.ts';

export type Git = (...args: readonly string[]) => Promise<string>;

/** A git bound to a directory. It logs each command and throws WorkflowFault with git's message on failure. */
export function gitIn(directory: string, env: Readonly<Record<string, string>>, host: StepHost): Git {
  return async (...args) => {
    host.onLine(`[command]git ${args.join(' ')}`);
    const done = await execa('git', [...args], {
      cwd: directory,
      env: { ...env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      cancelSignal: host.signal,
      maxBuffer: 16 * 1024 * 1024,
    });
    for (const line of `${done.stdout}\n${done.stderr}`.split('\n')) if (line !== '') host.onLine(line);
    if (done.failed) {
      throw new WorkflowFault(`The process 'git' failed with exit code ${done.exitCode ?? 'none'}`);
    }
    return done.stdout;
  };
}
