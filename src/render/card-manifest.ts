/** The card's manifest: what an approval would approve, what it changes and costs, and how a fix differs from the attempt before it. */

import { quorumOf } from '../config/approvers.ts';
import { NOT_TAKEN } from '../domain/launch/delta.ts';
import type { Manifest, ManifestBase, ManifestChange, RentalTerms } from '../domain/launch/manifest.ts';
import { failedAttempt } from '../domain/launch/next-attempt.ts';
import { fixMade, isExternal } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/adoption.ts';
import { type PastAttempt, type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import { canonicalize } from '../logbook/canonical.ts';
import type { RenderInput } from './input.ts';
import { commandText } from './job-table.ts';
import { takesCheckpoint } from './wanted.ts';
import {
  code,
  count,
  details,
  digestHex,
  fenced,
  listed,
  paragraphs,
  person,
  placeWord,
  points,
  shortCommit,
  table,
  text,
  utc,
} from './words.ts';

/** Null where there is no manifest yet. */
export function cardManifest({ state, config }: RenderInput): string | null {
  const manifest = state.gate?.manifest ?? null;
  const digest = state.gate?.digest ?? null;
  if (manifest === null || digest === null) return null;
  const line = `Manifest \`${digestHex(digest)}\` on cluster ${code(manifest.cluster)}: one launch costs about **${text(manifest.cost.acceleratorHours)} accelerator-hours** (${manifest.cost.source === 'contract' ? 'by its contract, which is more than the table in the config' : 'table in the config'}).`;
  return paragraphs(
    // Of a kind that changes no file nobody can say that nothing of it changes.
    config.kind.proposes?.change === undefined ? null : deltaTable(manifest),
    baseText(manifest),
    declaredLine(state),
    line,
    approvalsLine(state, quorumOf(config)),
    details('Everything that the manifest binds', manifestParts(manifest, digest, state)),
  );
}

/** The real change of the files against the target branch, before and after; of each knob, whether the last pass ran it so. */
function deltaTable({ delta, base }: Pick<Manifest, 'delta' | 'base'>): string {
  if (delta.length === 0)
    return base === undefined
      ? 'No knob changes: the same configuration again.'
      : 'No knob changes on the target branch.';
  const plain = ['Knob', 'Before', 'After', 'Kind'];
  const cells = (change: Manifest['delta'][number]): readonly string[] => [
    code(change.path),
    sourceText(change.before),
    sourceText(change.after),
    change.bucket ?? 'not known',
  ];
  if (base === undefined) return table(plain, delta.map(cells));
  // What is new stands first: a long row of what ran before hides none of it.
  const freshOf = (path: string): Manifest['delta'][number] | undefined =>
    base.changes.find((one) => one.path === path);
  const isFresh = ({ path }: { readonly path: string }): boolean => freshOf(path) !== undefined;
  const rows = [...delta.filter(isFresh), ...delta.filter((change) => !isFresh(change))];
  return table(
    [...plain, 'In the last pass'],
    rows.map((change) => {
      const fresh = freshOf(change.path);
      return [...cells(change), fresh === undefined ? 'ran so' : `new, ran ${sourceText(fresh.before)}`];
    }),
  );
}

/** What it starts from, and what of the pass is not in the table: taken back, or overruled by the branch. */
function baseText({ delta, base, policy }: Manifest): string | null {
  if (base === undefined) return null;
  const kept = delta.filter(({ path }) => !base.changes.some((one) => one.path === path)).length;
  const back = base.changes.filter(({ path }) => !delta.some((one) => one.path === path));
  return paragraphs(
    `Against what ${code(base.run)} ran, the lane's last sealed pass, at ${base.commit}: ${count(base.changes.length, 'knob is', 'knobs are')} new, ${count(kept, 'change runs', 'changes run')} as it ran there.`,
    points([
      ...back.map(
        ({ path, before, after }) =>
          `${code(path)}: that ferry ran ${sourceText(before)}, and it is back at ${sourceText(after)} as on the target branch`,
      ),
      ...base.notTaken.map((one) => notTakenText(one, policy['lane.targetBranch'] ?? 'the target branch')),
    ]),
  );
}

function sourceText(source: string | null): string {
  return source === null ? 'absent' : code(source);
}

function declaredLine(state: RunState): string | null {
  const { gate } = state;
  const declared = gate?.verdicts.find((verdict) => verdict.gate === 'delta-declared');
  if (declared === undefined) return null;
  return declared.outcome === 'pass'
    ? `Read from the files; the table of the ${placeWord(state)} says the same.`
    : `Read from the files; the table of the ${placeWord(state)} does **not** say the same.`;
}

/** Who approved, and whether it counts: an approval of another manifest or text is told with its reason until it is dropped. */
function approvalsLine(state: RunState, needed: number): string {
  const standing = standingApprovals(state);
  const who = state.approvals.map((a) => {
    const said = `${person(a.actor)} (${utc(a.at)})`;
    if (standing.includes(a)) return `${said}, counts`;
    const other = a.digest === state.gate?.digest ? 'another text' : `manifest \`${digestHex(a.digest)}\``;
    return `${said}, does not count: it was given to ${other}`;
  });
  const count = new Set(standing.map((a) => a.actor.id)).size;
  const people = needed === 1 ? '' : ' people, by what the run costs';
  return `Approvals: ${count} of ${needed}${people}${who.length === 0 ? '' : `: ${who.join('; ')}`}.`;
}

function envelopeText({
  restarts,
  restartAfter = [],
  fixes,
  reductions,
  repairs = [],
  rental,
}: Manifest['envelope']): string {
  const after = [...restartAfter.map(code), 'a bad node that was replaced'].join(', ');
  const most = `restarts: ${restarts}${restarts === 0 ? '' : `, after ${after}`}`;
  const smaller =
    reductions.length === 0
      ? []
      : [`when memory runs out, one after the other: ${reductions.map(code).join(', ')}`];
  const repaired =
    repairs.length === 0
      ? []
      : [`when the job dies of what it runs on, one after the other: ${repairs.map(code).join(', ')}`];
  const mended =
    fixes.length === 0
      ? []
      : [
          `once, a slip that ferrybot puts right by itself in ${fixes.map(code).join(', ')}, where the file speaks of neither model, optimizer nor data`,
        ];
  return [
    most,
    ...repaired,
    ...smaller,
    ...mended,
    ...(rental === undefined ? [] : [termsText(rental)]),
  ].join('; ');
}

function termsText(terms: RentalTerms): string {
  const { dollarsPerHourMax, dollarsMax, hoursMax, startMinutesMax, idleMinutesMax } = terms;
  return `a machine is rented for at most $${text(dollarsPerHourMax)} an hour and ${count(hoursMax, 'hour')}, all machines of the run together for at most $${text(dollarsMax)}; it is destroyed at one of these caps, when the job has ended, after ${count(startMinutesMax, 'minute')} without a first step, and after ${count(idleMinutesMax, 'minute')} without another one`;
}

function manifestParts(manifest: Manifest, digest: string, { gate }: RunState): string {
  const rows = [
    ['Digest', code(digest)],
    ['Read from commit', code(gate?.commit ?? '')],
    ['May happen without asking again', envelopeText(manifest.envelope)],
  ];
  return paragraphs(
    table(['Manifest', ''], rows),
    `Exact command (scrubbed):\n\n${fenced(commandText(manifest.command), limits.shownBlockCharsMax)}`,
    fenced(JSON.stringify(manifest, null, 2), limits.shownManifestCharsMax),
  );
}

/** One line; `branch` is the target branch. */
export function notTakenText(
  { path, ran, target, why }: ManifestBase['notTaken'][number],
  branch: string,
): string {
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  const both = `${code(path)}: that ferry ran ${value(ran)}, ${code(branch)} has ${value(target)}`;
  const known = NOT_TAKEN.find((one) => one === why);
  return `${both}; taken is ${value(target)}, because ${known === undefined ? text(why) : reasons(branch)[known]}`;
}

function reasons(branch: string): Readonly<Record<(typeof NOT_TAKEN)[number], string>> {
  return {
    moved: `${code(branch)} set it after that ferry was made, and that is the newer word`,
    gone: `${code(branch)} has no such knob any more`,
    'no-value': `the file has changed on ${code(branch)} since, and only values are written into it: put it in by hand`,
    unclear: `what ${code(branch)} did to it since cannot be told`,
  };
}

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
