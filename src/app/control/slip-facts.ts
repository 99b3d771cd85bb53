/** What there is to a slip that the newest attempt died of: by the files themselves, and by the lab's own fixer. */

import type { RunFacts } from '../../domain/facts.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import {
  type ExternalFix,
  type FixerStanding,
  failureDigest,
  type NoExternalFix,
} from '../../domain/launch/fixer.ts';
import { applyPatch, firstLineOf, readPatch, shownPatch } from '../../domain/launch/patch.ts';
import type { SlipOfAttempt } from '../../domain/launch/small-fix.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/observed.ts';
import { type LeftArtifact, readArtifact } from '../../github/artifacts.ts';
import { listWorkflowRuns } from '../../github/workflows.ts';
import { redact } from '../../host/redactor.ts';
import { onlyEntryOf } from '../../host/zip-entry.ts';
import { runOfFixer } from '../../run/decide-fixer.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { wantsFixer, wantsSmallFix } from '../../run/wants-fix.ts';
import { ANSWER_ARTIFACT, ANSWER_FILE, readAnswer } from '../fixer/answer.ts';
import type { Lab } from '../lab.ts';
import { fixFacts, textIn } from './fix-facts.ts';
import type { Once } from './once.ts';

type Reader = {
  readonly lab: Lab;
  readonly git: GitReader;
  readonly config: LaneScopedConfig;
  readonly once: Once;
};

/** Read where the lane names files that a program may put a slip right in; the fixer is asked where the files say nothing. */
export async function slipFacts(
  reader: Reader,
  state: RunState,
): Promise<Pick<RunFacts, 'smallFix' | 'fixer'>> {
  const { lab, git, config, once } = reader;
  const slip = wantsSmallFix(state, config);
  const mayChange = slip === null ? null : (config.kind.mends?.(config.lane) ?? null);
  if (slip === null || mayChange === null) return {};
  const name = `${state.run} ${slip.attempt}`;
  const smallFix = await once(`fix ${name}`, () => fixFacts(lab, git, slip, mayChange));
  if (wantsFixer(state, config, smallFix) === null) return { smallFix };
  const fixer = await once(`fixer ${name}`, () => fixerStanding(reader, state, slip, mayChange));
  return { smallFix, fixer };
}

/** Unknown where GitHub or git cannot tell. */
async function fixerStanding(
  { lab, git, config }: Reader,
  { run }: RunState,
  slip: SlipOfAttempt,
  mayChange: (path: string) => boolean,
): Promise<Observed<FixerStanding>> {
  const listed = await listWorkflowRuns(lab.client, config.workflows.fix);
  if (listed.kind === 'unknown') return listed;
  const failure = failureDigest(run, slip, lab.digestOf);
  const job = runOfFixer(listed.value, failure, slip);
  if (job === null) return known({ kind: 'not-asked' });
  const left = await readArtifact(lab.client, job.id, ANSWER_ARTIFACT, limits.fixArtifactBytesMax);
  if (left.kind === 'unknown') return left;
  if (left.value === null)
    return known(
      job.status === 'completed' ? answered('fixer-no-answer') : { kind: 'asked', since: job.createdAt },
    );
  try {
    if (!(await isOfBranch(git, left.value, config.lane.targetBranch)))
      return known(answered('fixer-other-ref'));
    const patch = patchIn(left.value, failure);
    if (patch.kind === 'none') return known(answered(patch.reason));
    return known({ kind: 'answered', fix: await judgedPatch({ lab, git }, slip, mayChange, patch.text) });
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}

function answered(reason: NoExternalFix): FixerStanding {
  return { kind: 'answered', fix: { kind: 'none', reason } };
}

/**
 * Whether the job ran by the files of that branch: whoever may push a branch, or a tag of any name, may put another workflow
 * there, with whatever program they like.
 */
async function isOfBranch(git: GitReader, { commit }: LeftArtifact, name: string): Promise<boolean> {
  await git.fetch();
  const tip = await git.resolve(`refs/heads/${name}`);
  if (tip === null) throw new GitError('unreadable', `there is no branch ${name}`);
  return (await git.mergeBase(commit, tip)) === commit;
}

type Patch =
  | { readonly kind: 'patch'; readonly text: string }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

function patchIn({ archive }: LeftArtifact, failure: string): Patch {
  const text = archive === null ? null : onlyEntryOf(archive, ANSWER_FILE, 2 * limits.fixArtifactBytesMax);
  const answer = text === null ? null : readAnswer(text);
  if (answer === null || answer.failure !== failure) return { kind: 'none', reason: 'fixer-no-answer' };
  return 'patch' in answer ? { kind: 'patch', text: answer.patch } : { kind: 'none', reason: answer.none };
}

/** Held against the files of the commit that ran, as nobody's word. */
async function judgedPatch(
  { lab, git }: Pick<Reader, 'lab' | 'git'>,
  { commit }: SlipOfAttempt,
  mayChange: (path: string) => boolean,
  patch: string,
): Promise<ExternalFix> {
  const none = (reason: NoExternalFix): ExternalFix => ({ kind: 'none', reason });
  const read = readPatch(patch);
  if (read.kind === 'fault') return none(read.fault);
  const files: Record<string, string> = {};
  for (const file of read.value) {
    if (!mayChange(file.path)) return none('outside-scope');
    const before = await textIn(git, commit, file.path);
    if (before === null) return none('not-in-tree');
    const after = applyPatch(before, file);
    if (after.kind === 'fault') return none(after.fault);
    if (file.path.endsWith('.py') && !(await isPython(lab, after.value))) return none('not-mended');
    files[file.path] = after.value;
  }
  const [first] = read.value;
  if (first === undefined) return none('patch-none');
  const diff = redact(shownPatch(read.value), []);
  return { kind: 'fix', files, place: `${first.path}:${firstLineOf(first)}`, diff };
}

async function isPython(lab: Pick<Lab, 'parser' | 'judgeSyntax'>, text: string): Promise<boolean> {
  const parser = await lab.parser();
  const syntax = parser.parse(text);
  if (syntax.hasErrors || syntax.refusal !== null) return false;
  return (await lab.judgeSyntax(syntax, 'python3')).refusal === null;
}
