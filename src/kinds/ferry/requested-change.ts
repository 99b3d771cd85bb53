/** Reads and checks what people or the proposer ask of a ferry: objective, knob values, and the risk level (policy DF-17). */

import type { Answers } from '../../commands/decision.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import { type Knob, readKnobs, valueAt } from '../../delta/config-delta.ts';
import type { Facts } from '../../domain/incidents.ts';
import type { ExperimentFile, KnobChange, ReadSource } from '../../domain/launch/change-facts.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import { addDays, addMs, fail, fromRfc3339, type Instant, ok, type Result, utcTime } from '../../domain/values.ts';
import { code } from '../../render/words.ts';
import type { Asks, ObjectiveQuestionInput, ObjectiveReading, Unanswered } from '../../run/proposing.ts';
import { findNearestName } from '../../settings/problem.ts';
import type { Candidate, RecentFerry } from './candidates.ts';
import { applyEdits, type Edit, type EditedFile, isSameValueText } from './edit.ts';
import { type ConfiguredFerry, findLastFerry, formatReferences, type LastFerry } from './interval.ts';
import { type FerryLane, ferryLane, RISKS, type Risk } from './settings.ts';

/** The highest risk of the changes: `high` for a scale knob, the configured risk for a candidate's knob, otherwise `medium`. */
export function assessRisk(
  changes: readonly KnobChange[],
  lane: { readonly candidates: readonly Pick<Candidate, 'path' | 'risk'>[]; readonly scaleKnobs: readonly string[] },
): Risk {
  const risks = changes.map(({ path, knob }): Risk => {
    if (lane.scaleKnobs.includes(path) || lane.scaleKnobs.includes(knob)) return 'high';
    const known = lane.candidates.find((candidate) => candidate.path === path);
    return known?.risk ?? 'medium';
  });
  return RISKS.findLast((risk) => risks.includes(risk)) ?? 'low';
}

/** Title and body of the issue that asks for the objective; `date` is the day of the ferry. */
export function renderObjectiveQuestion(asked: {
  readonly lane: string;
  readonly date: string;
  readonly until: Instant;
  readonly last: LastFerry | null;
  readonly configured: ConfiguredFerry | null;
}): { readonly title: string; readonly body: string } {
  const { lane, date, until, last, configured } = asked;
  return {
    title: `What is the ${lane} ferry of ${date} for?`,
    body: `Nobody has said what the ferry of today is for, so nothing is edited yet. Answer here with one line until ${utcTime(until)} UTC; without an answer it is proposed then as the normal integration check of lane ${code(lane)}.

- \`/propose objective="integration"\` for the normal integration check now, with a candidate of the lab's list
- \`/propose objective="regression: …"\` to confirm or rule out a regression by running the same configuration again
- \`/propose learning_rate=4e-3 objective="integration: …"\` for a change of your own; the knobs are those of the experiment file
- \`/hold lane=${lane} date=${date} reason="…"\` for no ferry today

Whoever asks for a ferry here cannot approve its launch, unless the lab says that one person is enough.

### How the last one ended

${formatReferences(last, configured)}
`,
  };
}

/** Explains why a proposal uses the usual objective: the question got no answer, or there was no time to ask. */
export function describeUnanswered(unanswered: Unanswered): string {
  return unanswered.issue === null
    ? 'Nobody was asked what it is for: there was no time left in the day to wait for an answer.'
    : `Nobody answered #${unanswered.issue} by ${unanswered.until.slice(11, 16)} UTC, so it is the normal check.`;
}

/** The objective if the lab's default is `integration` and no person gives another (policy DF-03). */
export const USUAL_OBJECTIVE: Objective = { kind: 'integration', text: 'normal daily integration check' };

/** Reads the given text. Without a text, uses the lab's default objective, if the lab has one. */
export function readFerryObjective(said: string | null, lane: LaneConfig): ObjectiveReading {
  if (said !== null) return readObjective(said);
  return ferryLane(lane).objective === 'integration'
    ? { kind: 'clear', objective: USUAL_OBJECTIVE }
    : // rule AG-15
      { kind: 'unclear', why: 'nothing-said' };
}

/** The question for a person who knows how the last ferry ended (policy DF-39). Null if the day has no time left for an answer. */
export function objectiveQuestion(asked: ObjectiveQuestionInput): ReturnType<Asks['question']> {
  const { date, laneName, runs } = asked;
  const until = answerDeadline(ferryLane(asked.lane), asked);
  if (until === null) return null;
  const last = findLastFerry(runs, `${date}~`);
  const given = ferryLane(asked.lane).lastFerry;
  return { ...renderObjectiveQuestion({ lane: laneName, date, until, last, configured: given }), until };
}

/** The deadline of the answer: the configured hour or the minimum wait. Null if it is too late for a ferry on the same day. */
function answerDeadline(
  { objectiveBy, objectiveWaitMinutes }: FerryLane,
  { date, now }: Pick<ObjectiveQuestionInput, 'date' | 'now'>,
): Instant | null {
  const hour = fromRfc3339(`${date}T${objectiveBy}:00Z`) ?? now;
  const until = addMs(now, Math.max(hour - now, objectiveWaitMinutes * MINUTE_MS));
  const end = fromRfc3339(`${addDays(date, 1)}T00:00:00Z`) ?? until;
  return until <= now || addMs(until, LATE_LOOK_MS) > end ? null : until;
}

const MINUTE_MS = 60_000;
/** GitHub's cron can run up to an hour late, and the run after the question must still be on the same day. */
const LATE_LOOK_MS = 60 * MINUTE_MS;

/**
 * The first word decides in `integration: …` and `regression: …`. Other text is clear if it names exactly one of the two and
 * has no negation, which could reverse the meaning. The text is kept verbatim.
 */
function readObjective(text: string): ObjectiveReading {
  const said = text.trim();
  const declared = DECLARED.exec(said)?.[1]?.toLowerCase();
  if (declared === 'integration' || declared === 'regression')
    return { kind: 'clear', objective: { kind: declared, text: said } };
  const named = (['integration', 'regression'] as const).filter((kind) => NAMED[kind].test(said));
  const [kind] = named;
  if (kind === undefined) return { kind: 'unclear', why: 'names-neither' };
  if (named.length > 1) return { kind: 'unclear', why: 'names-both' };
  if (NEGATION.test(said)) return { kind: 'unclear', why: 'negated' };
  return { kind: 'clear', objective: { kind, text: said } };
}

const DECLARED = /^(integration|regression)(?:\s*:|$)/i;
const NAMED = { integration: /\bintegration\b/i, regression: /\bregressions?\b/i } as const;
const NEGATION = /\b(?:no|not|never|without|neither|nor|instead)\b|n['’]t\b/i;

function listUsedNames({ names, settings }: ExperimentFile): ReadonlySet<string> {
  return new Set([...names, ...settings.flatMap((setting) => setting.names ?? [])]);
}

/** Rejects powers and shifts, which can produce a number that fills the memory, and calls, which read more than the file. */
const TOO_MUCH_TEXT = /\*\*|<<|\w\s*\(/;

/**
 * Tries one edit. It writes a value, not code (policy DF-10): one line, one expression, and no identifier that the file does not have.
 * `isString`: the value is text.
 */
async function tryEdit(
  file: ExperimentFile,
  { path, after }: Edit,
  read: ReadSource,
): Promise<Result<{ readonly isString: boolean }, 'unchanged' | 'refused'>> {
  if (after.trim() === '' || /[\n\r]/.test(after)) return fail('refused');
  const edited = await applyEdits(file, [{ path, after }], read);
  if (!edited.ok) return edited;
  const now = await read(edited.value.text);
  const value = now.kind === 'read' ? valueAt(now, path) : null;
  if (value === null) return fail('refused');
  const isString = value.isString === true;
  const known = listUsedNames(file);
  const isPlain = (isString || !TOO_MUCH_TEXT.test(after)) && (value.names ?? []).every((name) => known.has(name));
  return isPlain ? ok({ isString }) : fail('refused');
}

/** Why nothing was edited, as `/propose` posts it. */
type EditRefusal = Facts<Answers['propose-edit-refused']>;

function refuseEdit(why: EditRefusal['why'], name: string, about = ''): Result<never, EditRefusal> {
  return fail({ why, name, about });
}

/** Finds a knob by its path, then by its bare name, then by the end of its path. A name that fits two knobs is refused. */
function resolveKnob(name: string, knobs: readonly Knob[]): Result<Knob, EditRefusal> {
  const asked = displayPath(name);
  const fits: readonly ((knob: Knob) => boolean)[] = [
    (knob) => displayPath(knob.path) === asked,
    (knob) => knob.knob === asked,
    (knob) => displayPath(knob.path).endsWith(`.${asked}`),
  ];
  for (const fit of fits) {
    const found = knobs.filter(fit);
    const [knob] = found;
    if (found.length > 1)
      return refuseEdit('ambiguous-knob', name, found.map(({ path }) => displayPath(path)).join('\n'));
    if (knob !== undefined) return ok(knob);
  }
  return refuseEdit('unknown-knob', name, suggestKnob(asked, knobs) ?? '');
}

/**
 * Removes the quotes around dict keys, which people omit. A key that a command line accepts only in quotes
 * (it contains a blank or an equals sign) keeps them.
 */
export function displayPath(path: string): string {
  return path.replace(/\[(["'])([^"'\]\s=\u2018-\u201f\u00ab\u00bb]*)\1\]/gu, '[$2]');
}

function suggestKnob(asked: string, knobs: readonly Knob[]): string | null {
  const names = knobs.map((knob) => knob.knob);
  return (
    findNearestName(asked, [...new Set(names)]) ??
    findNearestName(asked, [...new Set(knobs.map((knob) => displayPath(knob.path)))])
  );
}

/** Writes all requested values or none; `file` must parse. `knobsMax` null: the lab only warns about too many knobs. */
export async function applyRequestedKnobs(
  file: ExperimentFile,
  read: ReadSource,
  asked: readonly (readonly [name: string, value: string])[],
  knobsMax: number | null,
): Promise<Result<EditedFile, EditRefusal>> {
  if (knobsMax !== null && asked.length > knobsMax)
    return refuseEdit('over-budget', String(asked.length), String(knobsMax));
  const knobs = readKnobs(file);
  const edits: Edit[] = [];
  for (const [name, value] of asked) {
    const knob = resolveKnob(name, knobs);
    if (!knob.ok) return knob;
    const { path, value: before, isString } = knob.value;
    if (edits.some((other) => other.path === path)) return refuseEdit('repeated-knob', name, displayPath(path));
    // Try each edit separately first, so that the refusal names the edit that does not fit.
    let after = value.trim();
    let alone = await tryEdit(file, { path, after }, read);
    // The command parser removes quotes. If the file has a string, put a bare text in quotes.
    if (isString && (alone.ok ? !alone.value.isString : alone.error === 'refused')) {
      after = quoted(value, before);
      alone = await tryEdit(file, { path, after }, read);
    }
    if (!alone.ok)
      return alone.error === 'unchanged'
        ? refuseEdit('unchanged', name, before)
        : refuseEdit('value-refused', name, value);
    edits.push({ path, after });
  }
  const all = await applyEdits(file, edits, read);
  const [name, value] = asked[0] ?? ['', ''];
  return all.ok ? all : refuseEdit('value-refused', name, value);
}

/** In quotes that every format reads in the same way; those of the file, if nothing has to be escaped. */
function quoted(value: string, before: string): string {
  return before.endsWith("'") && !/['\\]/.test(value)
    ? `'${value}'`
    : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** One edit of the proposer. `before`, if given, must equal the value in the file. */
type ProposedEdit = Edit & { readonly before: string | null };

type ProposerBounds = {
  readonly knobsMax: number;
  readonly scaleKnobs: readonly string[];
  readonly recent: readonly RecentFerry[];
};

/** Returns the edited file, or the first error. The delta of the result is exactly the edits (`applyEdits`). */
export async function validateProposedEdits(
  file: ExperimentFile,
  read: ReadSource,
  edits: readonly ProposedEdit[],
  { knobsMax, scaleKnobs, recent }: ProposerBounds,
): Promise<Result<EditedFile, string>> {
  if (edits.length > knobsMax) return fail(`too-many-edits ${edits[0]?.path ?? ''}`);
  const knobs = readKnobs(file);
  for (const { path, before, after } of edits) {
    const knob = knobs.find((one) => one.path === path);
    if (knob === undefined) return fail(`unknown-path ${path}`);
    if (before !== null && !isSameValueText(before, knob.value)) return fail(`other-before ${path}`);
    if (scaleKnobs.includes(path) || scaleKnobs.includes(knob.knob)) return fail(`scale-knob ${path}`);
    const alone = await tryEdit(file, { path, after }, read);
    if (!alone.ok && alone.error === 'refused') return fail(`value-refused ${path}`);
    if (hasFailedRecently(path, after, recent)) return fail(`failed-before ${path}`);
  }
  const edited = await applyEdits(
    file,
    edits.map(({ path, after }) => ({ path, after })),
    read,
  );
  return edited.ok ? edited : fail(`edit-refused ${edits[0]?.path ?? ''}`);
}

/** Whether a run with this value failed recently; such a value is not proposed again unasked. */
function hasFailedRecently(path: string, value: string, recent: readonly RecentFerry[]): boolean {
  return recent.some(
    (ferry) =>
      ferry.outcome === 'failed' &&
      ferry.changes.some(
        (change) => change.path === path && change.after !== null && isSameValueText(change.after, value),
      ),
  );
}
