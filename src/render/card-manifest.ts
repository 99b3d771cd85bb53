/** The manifest on the card: what an approval covers, its changes and cost, and how a fix differs from the previous attempt. */

import { requiredQuorum } from '../config/lane-of-file.ts';
import { NOT_TAKEN_REASONS } from '../domain/launch/change-facts.ts';
import type { Manifest, ManifestBase, RentalTerms } from '../domain/launch/manifest.ts';
import { lastFailure } from '../domain/launch/next-attempt.ts';
import { findFixMade, isMadeByFixer } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import { listCurrentApprovals, type PastAttempt, type RunState } from '../domain/logbook/run-state.ts';
import { formatMoney } from '../domain/values.ts';
import { canonicalize } from '../logbook/chain.ts';
import type { RenderInput } from './input.ts';
import { commandText } from './job-table.ts';
import { startsFromCheckpoint } from './next-step.ts';
import {
  bullets,
  code,
  count,
  fenced,
  folded,
  joinAnd,
  measured,
  nonEmpty,
  paragraphs,
  person,
  shortCommit,
  shortDigest,
  table,
  text,
  threadKind,
  utc,
} from './words.ts';

/** Null before there is a manifest. */
export function cardManifest({ state, config }: RenderInput): string | null {
  const manifest = state.gate?.manifest ?? null;
  const digest = state.gate?.digest ?? null;
  if (manifest === null || digest === null) return null;
  const { acceleratorHours, source } = manifest.cost;
  return paragraphs(
    // Other kinds change no file.
    config.kind.proposals?.change === undefined ? null : renderDeltaTable(manifest),
    describeBase(manifest),
    renderDeclared(state),
    `Manifest \`${shortDigest(digest)}\` on cluster ${code(manifest.cluster)}: one launch costs about **${measured(acceleratorHours)} accelerator-hours** (${source === 'contract' ? 'by its contract, which is more than the table in the config' : 'table in the config'}).`,
    renderApprovals(state, requiredQuorum(config)),
    folded('Everything that the manifest binds', renderManifestParts(manifest, digest, state)),
  );
}

/** The real change of the files against the target branch, and whether the last pass ran each knob with the same value. */
function renderDeltaTable({ delta, base }: Pick<Manifest, 'delta' | 'base'>): string {
  if (delta.length === 0)
    return base === undefined
      ? 'No knob changes: the same configuration again.'
      : 'No knob changes on the target branch.';
  const plain = ['Knob', 'Before', 'After', 'Kind'];
  const rows = delta.map((change) => {
    const fresh = base?.changes.find(({ path }) => path === change.path);
    const cells = [
      code(change.path),
      formatSource(change.before),
      formatSource(change.after),
      change.bucket ?? 'not known',
      ...(base === undefined ? [] : [fresh === undefined ? 'ran so' : `new, ran ${formatSource(fresh.before)}`]),
    ];
    return { isNew: fresh !== undefined, cells };
  });
  // New changes come first, so that a long table does not hide them.
  const sorted = [...rows.filter(({ isNew }) => isNew), ...rows.filter(({ isNew }) => !isNew)];
  const head = base === undefined ? plain : [...plain, 'In the last pass'];
  return table(
    head,
    sorted.map(({ cells }) => cells),
  );
}

/** The pass that the run starts from, and the knobs of that pass that are not in the table. */
function describeBase({ delta, base, policy }: Manifest): string | null {
  if (base === undefined) return null;
  const kept = delta.filter(({ path }) => !base.changes.some((one) => one.path === path)).length;
  const back = base.changes.filter(({ path }) => !delta.some((one) => one.path === path));
  return paragraphs(
    `Compared with ${code(base.run)}, the lane's last sealed pass, at ${base.commit}: ${count(base.changes.length, 'knob is', 'knobs are')} new, ${count(kept, 'change runs', 'changes run')} as in that pass.`,
    bullets([
      ...back.map(
        ({ path, before, after }) =>
          `${code(path)}: that ferry ran ${formatSource(before)}, and it is back at ${formatSource(after)} as on the target branch`,
      ),
      ...base.notTaken.map((one) => describeNotTaken(one, policy['lane.targetBranch'] ?? 'the target branch')),
    ]),
  );
}

function formatSource(source: string | null | undefined): string {
  return source == null ? 'absent' : code(source);
}

function renderDeclared(state: RunState): string | null {
  const declared = state.gate?.verdicts.find((verdict) => verdict.gate === 'delta-declared');
  if (declared === undefined) return null;
  return `Read from the files; the table of the ${threadKind(state)} ${declared.outcome === 'pass' ? 'matches' : 'does **not** match'}.`;
}

/** The approvers; an approval that does not count is shown with the reason. */
function renderApprovals(state: RunState, needed: number): string {
  const standing = listCurrentApprovals(state);
  const who = state.approvals.map((a) => {
    const by = `${person(a.actor)} (${utc(a.at)})`;
    if (standing.includes(a)) return `${by}, counts`;
    const other = a.digest === state.gate?.digest ? 'another text' : `manifest \`${shortDigest(a.digest)}\``;
    return `${by}, does not count: it was given to ${other}`;
  });
  const have = new Set(standing.map((a) => a.actor.id)).size;
  const people = needed === 1 ? '' : ' people, because of its cost';
  return `Approvals: ${have} of ${needed}${people}${who.length === 0 ? '' : `: ${who.join('; ')}`}.`;
}

function describeEnvelope(envelope: Manifest['envelope']): string {
  const { restarts, preemptions, restartAfter = [], fixes, reductions, repairs = [], rental } = envelope;
  const after = [...restartAfter.map(code), 'the replacement of a bad node'].join(', ');
  const inOrder = (steps: readonly string[]): string => `in this order: ${steps.map(code).join(', ')}`;
  return nonEmpty(
    `restarts: ${restarts}${restarts === 0 ? '' : `, after ${after}`}`,
    preemptions !== undefined && `restarts after a preemption that came further: ${preemptions}`,
    repairs.length > 0 && `if the infrastructure fails, ${inOrder(repairs)}`,
    reductions.length > 0 && `if memory runs out, ${inOrder(reductions)}`,
    fixes.length > 0 &&
      `one automatic fix by ferrybot in ${fixes.map(code).join(', ')}, of code that concerns neither model, optimizer, data nor the training loop`,
    rental !== undefined && describeRentalTerms(rental),
  ).join('; ');
}

function describeRentalTerms(terms: RentalTerms): string {
  const { dollarsPerHourMax, dollarsMax, hoursMax, startMinutesMax, idleMinutesMax } = terms;
  return `a machine is rented for at most ${formatMoney(dollarsPerHourMax)} an hour and ${count(hoursMax, 'hour')}, all machines of the run together for at most ${formatMoney(dollarsMax)}; it is destroyed at one of these caps, after the job has ended, after ${count(startMinutesMax, 'minute')} without a first step, and after ${count(idleMinutesMax, 'minute')} without another one`;
}

function renderManifestParts(manifest: Manifest, digest: string, { gate }: RunState): string {
  const rows = [
    ['Digest', code(digest)],
    ['Read from commit', code(gate?.commit ?? '')],
    [ENVELOPE, describeEnvelope(manifest.envelope)],
  ];
  return paragraphs(
    table(['Manifest', ''], rows),
    `Exact command (scrubbed):\n\n${fenced(commandText(manifest.command), limits.shownBlockCharsMax)}`,
    fenced(JSON.stringify(manifest, null, 2), limits.shownManifestCharsMax),
  );
}

const ENVELOPE = 'May happen without another approval';

/** One line; `branch` is the target branch. */
export function describeNotTaken({ path, ran, target, why }: ManifestBase['notTaken'][number], branch: string): string {
  const known = NOT_TAKEN_REASONS.find((one) => one === why);
  return `${code(path)}: that ferry ran ${formatSource(ran)}, ${code(branch)} has ${formatSource(target)}; used is ${formatSource(target)}, because ${known === undefined ? text(why) : notTakenReasons(branch)[known]}`;
}

function notTakenReasons(branch: string): Readonly<Record<(typeof NOT_TAKEN_REASONS)[number], string>> {
  return {
    moved: `${code(branch)} set it after that ferry was made, so it is newer`,
    gone: `${code(branch)} has no such knob any more`,
    'no-value': `the file has changed on ${code(branch)} since, and ferrybot writes only values: add it by hand`,
    unclear: `its change on ${code(branch)} since then is unclear`,
  };
}

/** Null if there is no failed attempt or no manifest to compare. */
export function cardFix(state: RunState): string | null {
  const last = lastFailure(state);
  const next = state.gate?.manifest ?? null;
  if (last === null || next === null) return null;
  const { submission, order, end } = last;
  const { attempt } = submission;
  const launched = order.manifest;
  const signatures = joinAnd(end.signatures.slice(0, 5).map(code));
  const isByHand = isAdopted(last);
  return paragraphs(
    `**Attempt ${attempt} failed** (${utc(end.at)}${signatures === '' ? '' : `, ${signatures}`}). Attempt ${attempt + 1} needs its own approval.`,
    isByHand
      ? 'It was launched by hand; the next attempt uses its command and its commit, as reported by the cluster.'
      : `Compared with attempt ${attempt} (commit ${shortCommit(submission.commit)}, manifest \`${shortDigest(order.order.digest)}\`):`,
    [
      renderFiles(state),
      ...(isByHand
        ? []
        : launched === null
          ? ['- Its manifest is not in the record.']
          : listDifferences(launched, next)),
    ].join('\n'),
    renderBotFix(state),
    launched === null ? null : renderKnobTable(launched, next, attempt),
    renderResumePoint(last, next),
  );
}

/** The diff, if ferrybot's own fix is the only change. */
function renderBotFix(state: RunState): string | null {
  const made = findFixMade(state);
  if (made === null || made.detail.commit !== state.gate?.commit) return null;
  const title = isMadeByFixer(made) ? 'What the fixer of the lane changed' : 'What ferrybot fixed';
  return folded(title, fenced(made.detail.diff, limits.shownBlockCharsMax));
}

function renderFiles({ gate }: RunState): string {
  const fix = gate?.fix;
  if (fix === undefined || fix.files === null)
    return '- Files: unknown, because its launch commit cannot be read any more. The ids below are of whole folders.';
  const more = fix.more > 0 ? ` and ${fix.more} more` : '';
  return `- Files: ${fix.files.length === 0 ? 'none' : `${fix.files.map(code).join(', ')}${more}`}`;
}

/** Each part of the manifest that differs, except the knobs, which have their table. */
function listDifferences(before: Manifest, after: Manifest): readonly string[] {
  const trees = [...new Set([...Object.keys(before.trees), ...Object.keys(after.trees)])].filter(
    (path) => before.trees[path] !== after.trees[path],
  );
  const parts = PARTS.map(([name, part]) => [name, canonicalize(part(before)), canonicalize(part(after))]);
  return [
    `- Shipped folders and files: ${trees.length === 0 ? 'the same' : joinAnd(trees.map(code))}`,
    ...parts.flatMap(([name, then = '', now = '']) =>
      then === now ? [] : [`- ${name}: ${code(then)} → ${code(now)}`],
    ),
  ];
}

const PARTS: readonly (readonly [string, (manifest: Manifest) => Parameters<typeof canonicalize>[0]])[] = [
  ['Cluster', ({ cluster }) => cluster],
  ['Command', ({ command }) => command],
  ['Output root', ({ outputRoot }) => outputRoot],
  ['Run name and tracker', ({ runName, tracker }) => ({ runName, tracker })],
  ['Resume', ({ resume }) => resume],
  ['Retention', ({ retention }) => retention],
  ['Cost', ({ cost }) => cost],
  [ENVELOPE, ({ envelope }) => envelope],
  ['Starts from', ({ base }) => (base === undefined ? null : { run: base.run, commit: base.commit })],
  ['Boxes', ({ preconditions }) => preconditions],
  ['Config keys', ({ policy }) => policy],
];

/** Null if the manifests change no knob. */
function renderKnobTable(before: Manifest, after: Manifest, attempt: number): string | null {
  const was = new Map(before.delta.map((one) => [one.path, one]));
  const is = new Map(after.delta.map((one) => [one.path, one]));
  // A delta without this knob has the value of the file, which is the other delta's value before its change.
  const rows = [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [old, now] = [was.get(path), is.get(path)];
    const [from, to] = [
      formatSource((old ?? { after: now?.before }).after),
      formatSource((now ?? { after: old?.before }).after),
    ];
    return from === to ? [] : [[code(path), from, to]];
  });
  if (was.size + is.size === 0) return null;
  return rows.length === 0
    ? `Knobs: the same as in attempt ${attempt}.`
    : table(['Knob', `Attempt ${attempt}`, 'Now'], rows);
}

/** ferrybot moves no checkpoints: the next attempt finds those in its output root, unless a person chose one. */
function renderResumePoint({ end }: PastAttempt, next: Manifest): string {
  const { outputRoot, resume } = next;
  const checkpoint =
    end.checkpointStep === null
      ? 'without a known checkpoint'
      : `with its newest known checkpoint at step ${end.checkpointStep}`;
  const writes = `It writes to the output root of that attempt (${code(outputRoot)}), ${checkpoint}`;
  const { initializeFrom, initializeStep = 0, rolledBackAttempt } = resume;
  if (rolledBackAttempt === end.attempt)
    return initializeFrom === null
      ? `${writes}; it gets none of them and starts from nothing.`
      : `${writes}; it starts from step ${initializeStep}, ${code(initializeFrom)}.`;
  return startsFromCheckpoint(next)
    ? `${writes}; it gets the newest usable one, which the order will name.`
    : `${writes}; the job itself decides whether it continues from one (resume policy: ${text(resume.policy)}).`;
}
