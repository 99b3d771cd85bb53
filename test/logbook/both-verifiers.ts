// Runs our verifier and the Python verifier on the same input, and compares the answers.

import { join } from 'node:path';
import { expect } from 'vitest';
import type { VerifyAnswer } from '../../src/app/cli/verbs/logbook-verify.ts';
import { runProgram } from '../../src/host/process.ts';
import { callVerb } from '../app/cli/call-verb.ts';

const folder = new URL('../../docs/', import.meta.url).pathname;
const script = join(folder, 'verify_logbook.py');
const environment = { PATH: process.env['PATH'] ?? '' };

/**
 * The common answer of both verifiers to these arguments (path, `--keys`, `--head seq:hash`), run in `cwd`.
 * Texts for people are removed, because they may differ. The path must not be in a git checkout that anchors
 * it: Python does not read git history.
 */
export async function verifyWithBoth(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  const [one, other] = [await verifyWithFerrybot(cwd, args), await verifyWithPython(cwd, args)];
  expect(maskMessages(other)).toEqual(maskMessages(one));
  return one;
}

/** The answer of `ferrybot logbook verify --json` to these arguments. */
export async function verifyWithFerrybot(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  const { code, answer } = await answerOfFerrybot(cwd, args);
  expect(code).toBe(answer.ok ? 0 : 1);
  return answer;
}

/** The same with the exit code, also for usage errors. */
export async function answerOfFerrybot(cwd: string, args: readonly string[]): Promise<VerifierAnswer> {
  const { code, out } = await callVerb('logbook verify', cwd, [...args, '--json']);
  return { code, answer: JSON.parse(out) as VerifyAnswer };
}

/** An answer and its exit code; after a usage error (2) it has an `error` and no runs. */
export type VerifierAnswer = {
  readonly code: number;
  readonly answer: VerifyAnswer & { readonly error?: { readonly code: string } };
};

/** Sends many questions to one Python process, because starting it costs more than verifying a small file. */
const BATCH = `
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import verify_logbook
answers = []
for arguments in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = verify_logbook.main(arguments)
    answers.append({"code": code, "answer": json.loads(out.getvalue())})
print(json.dumps(answers))
`;

/** What Python's verifier answers to each list of arguments; a traceback fails the test. */
export async function answersOfPython(
  cwd: string,
  questions: readonly (readonly string[])[],
): Promise<readonly VerifierAnswer[]> {
  const result = await runProgram('python3', ['-B', '-c', BATCH, folder], {
    env: environment,
    cwd,
    input: JSON.stringify(questions),
  });
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as readonly VerifierAnswer[];
}

async function verifyWithPython(cwd: string, args: readonly string[]): Promise<VerifyAnswer> {
  const result = await runProgram('python3', [script, ...args], { env: environment, cwd });
  expect(result.stderr).toBe('');
  const answer = JSON.parse(result.stdout) as VerifyAnswer;
  expect(result.exitCode).toBe(answer.ok ? 0 : 1);
  return answer;
}

/** The answer without its words for people. */
export function maskMessages(answer: VerifyAnswer): unknown {
  return { ...answer, bad: answer.bad === null ? null : { ...answer.bad, file: '', message: '' } };
}
