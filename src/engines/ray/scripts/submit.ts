/** Submits through the lab's script: looks first, submits once, and after any doubt looks again instead of trying again. */

import type { Job, JobObservation, JobSpec, SubmitOutcome } from '../../../domain/engine.ts';
import { limits } from '../../../domain/limits.ts';
import { cutText } from '../../../domain/text.ts';
import type { ProgramResult } from '../../../host/process.ts';
import { changedRefusal, conflictWith, jobAt, rejected, unknownBecause } from '../../shared/acts.ts';
import { identityTexts } from '../../shared/identity.ts';
import { IN_VARIABLES, raySpecRefusal } from '../job-details.ts';
import { fillTemplate, runScript, type ScriptSettings } from './run-script.ts';
import { reasonOf, refusalOf, scrubber, submittedIds } from './said.ts';

export type SubmitLook = {
  /** What stands under the id now, over the Jobs API. */
  readonly observe: (jobId: string) => Promise<JobObservation>;
  /** The page of a job for people. */
  readonly urlOf: (jobId: string) => string;
};

/**
 * The deterministic id is the guard: Ray refuses it a second time, whatever is lost on the way, so one call of the script
 * starts at most one job. Whose job stands under the id is told by its metadata or its variables (job-details.ts),
 * which the job gets with its environment; a job that says nothing is a conflict, never ours.
 */
export async function submitByScript(
  settings: ScriptSettings,
  look: SubmitLook,
  spec: JobSpec,
): Promise<SubmitOutcome> {
  const refusal = raySpecRefusal(spec);
  if (refusal !== null) return refusal;
  const misread = misreadVariables(settings.templates, spec);
  if (misread.length > 0)
    return rejected(
      'refused',
      `the script would take the value of ${misread.join(', ')} for an option of its own, such as another cluster: it begins with a dash`,
    );
  const found = await look.observe(spec.submissionId);
  if (found.kind === 'found') return claimed(look, spec, found, 'adopted');
  if (found.kind !== 'absent') return unknownBecause(`nothing was submitted: ${found.message}`);
  if (spec.adoptOnly === true) return { kind: 'absent' };
  const changed = await changedRefusal(spec.workingDirectory, spec);
  if (changed !== null) return changed;
  const end = await runScript(settings, callOf(settings, spec));
  return end.kind === 'not-started'
    ? rejected('refused', `the script for the submission could not be started: ${end.code}`)
    : settle(settings, look, spec, end);
}

/** A value that is an argument of its own, and looks like an option, is one to the script's parser. */
function misreadVariables({ environment }: ScriptSettings['templates'], { env }: JobSpec): readonly string[] {
  if (!environment.includes('{value}')) return [];
  return Object.entries(env).flatMap(([name, value]) => (value.startsWith('-') ? [name] : []));
}

function callOf({ templates }: ScriptSettings, spec: JobSpec): Parameters<typeof runScript>[1] {
  const variables = Object.entries({ ...spec.env, ...identityTexts(spec.metadata, IN_VARIABLES) });
  const isRead = ([name]: readonly [string, string]): boolean => templates.readsVariables.includes(name);
  const given = variables.filter((entry) => !isRead(entry));
  return {
    fill: {
      texts: { submissionId: spec.submissionId },
      lists: {
        environment: given.flatMap(([name, value]) =>
          fillTemplate(templates.environment, { texts: { name, value }, lists: {} }),
        ),
        command: spec.command,
      },
    },
    cwd: spec.workingDirectory,
    env: Object.fromEntries(variables.filter(isRead)),
    commit: spec.env['GIT_COMMIT'] ?? null,
  };
}

/** The script has run: its own word counts only for *which id*, everything else is looked up. */
async function settle(
  settings: ScriptSettings,
  look: SubmitLook,
  spec: JobSpec,
  end: ProgramResult,
): Promise<SubmitOutcome> {
  const scrub = scrubber([...settings.secrets, ...Object.values(spec.env)]);
  const ids = submittedIds(end);
  const hasWorked = end.ok;
  const others = ids.filter((id) => id !== spec.submissionId);
  if (others.length > 0)
    return unknownBecause(
      `the script submitted a job ${cutText(scrub(others.join(' ')), limits.messageCharactersMax)} ${others.length < ids.length ? 'beside' : 'instead of'} ${spec.submissionId}: it does not keep to the id that it is given`,
    );
  const isNamed = ids.length > 0;
  const found = await lookUntilFound(settings, look, spec.submissionId);
  if (found.kind === 'found') {
    // Ray takes an id once: where the script was the one to submit it, a job that cannot say whose it is is ours.
    const isOurs = hasWorked && isNamed && found.metadata === null;
    const named = isOurs ? { ...found, metadata: spec.metadata } : found;
    return claimed(look, spec, named, isNamed ? 'submitted' : 'adopted');
  }
  if (hasWorked && isNamed && found.kind === 'unknown')
    return { kind: 'submitted', job: jobOf(look, spec, null) };
  const refusal = refusalOf(end, scrub);
  const message = `${end.kind === 'exited' ? `exit code ${end.exitCode}` : end.kind}: ${[refusal?.words ?? '', reasonOf(end, scrub)].filter((part) => part !== '').join('\n')}`;
  return found.kind === 'absent' && refusal !== null
    ? rejected(refusal.code, message)
    : unknownBecause(message);
}

/** A job that was just submitted may show a moment later. */
async function lookUntilFound(
  { sleep }: ScriptSettings,
  look: SubmitLook,
  jobId: string,
): Promise<JobObservation> {
  let found: JobObservation = { kind: 'unknown', message: 'nobody has looked' };
  for (const delayMs of limits.rayLookAgainDelaysMs) {
    await sleep(delayMs);
    found = await look.observe(jobId);
    if (found.kind === 'found') break;
  }
  return found;
}

function claimed(
  look: SubmitLook,
  spec: JobSpec,
  found: Extract<JobObservation, { kind: 'found' }>,
  kind: 'adopted' | 'submitted',
): SubmitOutcome {
  return conflictWith(found.metadata, spec) ?? { kind, job: jobOf(look, spec, found.session) };
}

function jobOf(look: SubmitLook, spec: JobSpec, session: string | null): Job {
  return jobAt('ray', spec, session, look.urlOf(spec.submissionId));
}
