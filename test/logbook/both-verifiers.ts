// Asks our verifier and the one in Python the same question, and holds the answers against each other.

import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { logbookVerify, type VerifyAnswer } from '../../src/app/cli/verbs/logbook-verify.ts';
import { runProgram } from '../../src/host/process.ts';

const script = new URL('../../docs/verify_logbook.py', import.meta.url).pathname;
const environment = { PATH: process.env['PATH'] ?? '' };

/**
 * The answer that both give to these arguments (path, `--keys`, `--head seq:hash`), called in `cwd`. The words
 * for people are left out, which each says in its own way. The path must not be in a git checkout whose
 * history anchors it: Python does not look there.
 */
export async function verifiersAgree(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  const [one, other] = [await ours(cwd, args), await pythons(cwd, args)];
  expect(masked(other)).toEqual(masked(one));
  return one;
}

async function ours(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  let text = '';
  const io = {
    stdin: Readable.from([]),
    stdout: { write: (part: string) => (text += part) },
    stderr: { write: () => true },
    cwd,
    environment,
  };
  const code = await logbookVerify([...args, '--json'], io);
  const answer = JSON.parse(text) as VerifyAnswer;
  expect(code).toBe(answer.ok ? 0 : 1);
  return answer;
}

async function pythons(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  const result = await runProgram('python3', [script, ...args], { env: environment, cwd });
  expect(result.stderr).toBe('');
  const answer = JSON.parse(result.stdout) as VerifyAnswer;
  expect(result.exitCode).toBe(answer.ok ? 0 : 1);
  return answer;
}

function masked(answer: VerifyAnswer): unknown {
  return { ...answer, bad: answer.bad === null ? null : { ...answer.bad, file: '', message: '' } };
}
