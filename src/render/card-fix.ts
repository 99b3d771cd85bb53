/** The card's account of a fix: the attempt that it follows, and what differs from what that attempt launched. */

import type { Manifest, ManifestChange } from '../domain/launch/manifest.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import { fixMade, isExternal } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';
import { canonicalize } from '../logbook/canonical.ts';
import { fenced } from './escape.ts';
import { takesCheckpoint } from './way-back.ts';
import { code, details, digestHex, listed, paragraphs, shortCommit, table, text, utc } from './words.ts';

/** Null for what goes on from no attempt, and while there is no manifest to compare. */
export function cardFix(state: RunState): string | null {
  const last = failedAttempt(state);
  const next = state.gate?.manifest ?? null;
  if (last === null || next === null) return null;
  const { attempt } = last.submission;
  const launched = last.order.manifest;
  return paragraphs(
    `**Attempt ${attempt} failed** (${utc(last.end.at)}${signaturesOf(last)}). What follows would be attempt ${attempt + 1}, on an approval of its own.`,
    isAdopted(last)
      ? 'It was launched by hand; what follows is its command and its commit, as the cluster told them.'
      : `Against what attempt ${attempt} launched (commit ${shortCommit(last.submission.commit)}, manifest \`${digestHex(last.order.order.digest)}\`):`,
    [
      filesLine(state),
      ...(isAdopted(last)
        ? []
        : launched === null
          ? ['- Its manifest is not in the record.']
          : differences(launched, next)),
    ].join('\n'),
    ownFixPart(state),
    launched === null ? null : knobTable(launched, next, attempt),
    goesOnLine(last, next),
  );
}

/** The difference, where all that is new is what was put right without a person. */
function ownFixPart(state: RunState): string | null {
  const made = fixMade(state);
  if (made === null || made.detail.commit !== state.gate?.commit) return null;
  const title = isExternal(made) ? 'What the fixer of the lane changed' : 'What ferrybot put right';
  return details(title, fenced(made.detail.diff, limits.shownBlockCharsMax));
}

function signaturesOf({ end }: PastAttempt): string {
  return end.signatures.length === 0 ? '' : `, ${listed(end.signatures.slice(0, 5).map(code))}`;
}

function filesLine({ gate }: RunState): string {
  const fix = gate?.fix;
  if (fix === undefined || fix.files === null)
    return '- Files: cannot be listed, because the commit that it launched cannot be read any more. The ids below are of whole folders.';
  const more = fix.more > 0 ? ` and ${fix.more} more` : '';
  return `- Files: ${fix.files.length === 0 ? 'none' : `${fix.files.map(code).join(', ')}${more}`}`;
}

/** Each part of the manifest that is another one, the knobs apart, which have their table. */
function differences(before: Manifest, after: Manifest): readonly string[] {
  const trees = [...new Set([...Object.keys(before.trees), ...Object.keys(after.trees)])].filter(
    (path) => before.trees[path] !== after.trees[path],
  );
  const parts = PARTS.filter(([, part]) => canonicalize(part(before)) !== canonicalize(part(after)));
  return [
    `- Shipped folders and files: ${trees.length === 0 ? 'the same' : listed(trees.map(code))}`,
    ...parts.map(
      ([name, part]) => `- ${name}: ${code(canonicalize(part(before)))} → ${code(canonicalize(part(after)))}`,
    ),
  ];
}

type Part = Parameters<typeof canonicalize>[0];
const PARTS: readonly (readonly [string, (manifest: Manifest) => Part])[] = [
  ['Cluster', ({ cluster }) => cluster],
  ['Command', ({ command }) => command],
  ['Output root', ({ outputRoot }) => outputRoot],
  ['Run name and tracker', ({ runName, tracker }) => ({ runName, tracker })],
  ['Resume', ({ resume }) => resume],
  ['Retention', ({ retention }) => retention],
  ['Cost', ({ cost }) => cost],
  ['What may happen without asking again', ({ envelope }) => envelope],
  ['Starts from', ({ base }) => (base === undefined ? null : { run: base.run, commit: base.commit })],
  ['Boxes', ({ preconditions }) => preconditions],
  ['Config keys', ({ policy }) => policy],
];

function knobTable(before: Manifest, after: Manifest, attempt: number): string {
  const was = new Map(before.delta.map((one) => [one.path, one]));
  const is = new Map(after.delta.map((one) => [one.path, one]));
  const rows = [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [then, now] = [shownValue(was.get(path), is.get(path)), shownValue(is.get(path), was.get(path))];
    return then === now ? [] : [[code(path), then, now]];
  });
  return rows.length === 0
    ? `Knobs: the same as in attempt ${attempt}.`
    : table(['Knob', `Attempt ${attempt}`, 'Now'], rows);
}

/** A knob that this delta does not name has the value of the file that it is compared with, which the other one names. */
function shownValue(own: ManifestChange | undefined, other: ManifestChange | undefined): string {
  const value = own === undefined ? other?.before : own.after;
  return value == null ? 'absent' : code(value);
}

/** Nothing of ferrybot's moves a checkpoint: the next attempt finds what stands in its output root, unless a person went back to one. */
function goesOnLine({ end }: PastAttempt, next: Manifest): string {
  const { outputRoot, resume } = next;
  const checkpoint =
    end.checkpointStep === null
      ? 'where no checkpoint of it was seen'
      : `where its newest checkpoint was seen at step ${end.checkpointStep}`;
  const writes = `It writes where that attempt wrote (${code(outputRoot)}), ${checkpoint}`;
  const { initializeFrom, initializeStep = 0, backAfter } = resume;
  if (backAfter === end.attempt)
    return initializeFrom === null
      ? `${writes}; it is given none of them, and begins from nothing.`
      : `${writes}; it is given the one of step ${initializeStep} to begin from, ${code(initializeFrom)}.`;
  if (takesCheckpoint(next))
    return `${writes}; it is given the newest that may be used, as the order will name it.`;
  return `${writes}; whether the job goes on from one is the job's own doing (resume policy: ${text(resume.policy)}).`;
}
