/** Who launched a job of Iris and what it runs, by the controller's answer about it. */

import { commitIn, described, type JobDescription } from '../../domain/engine.ts';
import { redact } from '../../host/redactor.ts';
import { shellLineOf, withinLine } from '../shell-line.ts';
import { statusAnswer } from './answers.ts';
import { ask } from './ask.ts';
import { observeOnIris } from './observe.ts';
import { type IrisSettings, irisIdOf } from './settings.ts';

/**
 * Looks at a job of the cluster's user: those of others stand under other names. Iris of May 2026 hides what looks like
 * a key, and so GIT_COMMIT; the id begins with who submitted it.
 */
export async function describeOnIris(settings: IrisSettings, jobId: string): Promise<JobDescription> {
  const seen = await observeOnIris(settings, jobId, null);
  if (seen.kind !== 'found') return seen;
  const answer = await ask(settings, 'status', { jobId: irisIdOf(settings, jobId) }, statusAnswer);
  if (answer.kind !== 'said') return { kind: 'unknown', message: answer.message };
  const { job, request } = answer.value;
  const variables = request?.environment?.envVars ?? {};
  const argv = request?.entrypoint?.runCommand?.argv ?? [];
  const line = argv.length === 0 ? null : shellLineOf(argv);
  const { GIT_COMMIT, ...others } = variables;
  return described(seen, {
    submitter: /^\/([^/]+)\//.exec(job.jobId)?.[1] ?? null,
    entrypoint: withinLine(redact(line ?? '', Object.values(others))),
    gitCommit: commitIn(GIT_COMMIT),
  });
}
