/** How risky an asked-for change is called in its PR (policy DF-17). */

import type { Answers } from '../../commands/decision.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import { type Knob, readKnobs } from '../../delta/config-delta.ts';
import type { Facts } from '../../domain/incidents.ts';
import type { ExperimentFile, KnobChange, ReadFile, Setting } from '../../domain/launch/change-facts.ts';
import type { Objective } from '../../domain/logbook/events/launch-events.ts';
import {
  after,
  dateAfter,
  fail,
  fromRfc3339,
  type Instant,
  ok,
  type Result,
  timeOf,
} from '../../domain/values.ts';
import { code } from '../../render/words.ts';
import type { AskedWhat, Asks, ObjectiveReading, Unanswered } from '../../run/proposing.ts';
import { nearest } from '../../settings/problem.ts';
import type { Candidate, RecentFerry } from './candidates.ts';
import { applyEdits, type Edit, type EditedFile, isSameValueText } from './edit.ts';
import { type GivenFerry, type LastFerry, lastFerryOf, referencesText } from './interval.ts';
import { type FerryLane, ferryLane, RISKS, type Risk } from './settings.ts';

/** The highest of its parts: a change of scale is high, a candidate's knob is what the lab says, any other is medium. */
export function riskOf(
  changes: readonly KnobChange[],
  lane: {
    readonly candidates: readonly Pick<Candidate, 'path' | 'risk'>[];
    readonly scaleKnobs: readonly string[];
  },
): Risk {
  const risks = changes.map(({ path, knob }): Risk => {
    if (lane.scaleKnobs.includes(path) || lane.scaleKnobs.includes(knob)) return 'high';
    const known = lane.candidates.find((candidate) => candidate.path === path);
    return known?.risk ?? 'medium';
  });
  return RISKS.findLast((risk) => risks.includes(risk)) ?? 'low';
}

/** Title and body of the issue that asks; `date` is the day of the ferry. */
export function renderObjectiveQuestion(asked: {
  readonly lane: string;
  readonly date: string;
  readonly until: Instant;
  readonly last: LastFerry | null;
  readonly given: GivenFerry | null;
}): { readonly title: string; readonly body: string } {
  const { lane, date, until, last, given } = asked;
  return {
    title: `What is the ${lane} ferry of ${date} for?`,
    body: `Nobody has said what the ferry of today is for, so nothing is edited yet. Answer here with one line until ${timeOf(until)} UTC; without an answer it is proposed then as the normal integration check of lane ${code(lane)}.

- \`/propose objective="integration"\` for the normal integration check now, with a candidate of the lab's list
- \`/propose objective="regression: …"\` to confirm or rule out a regression by running the same configuration again
- \`/propose learning_rate=4e-3 objective="integration: …"\` for a change of your own; the knobs are those of the experiment file
- \`/hold lane=${lane} date=${date} reason="…"\` for no ferry today

Whoever asks for a ferry here cannot approve its launch, unless the lab says that one person is enough.

### How the last one ended

${referencesText(last, given)}
`,
  };
}

/** That a proposal is the usual one because nobody said anything else. */
export function unansweredText(unanswered: Unanswered): string {
  return unanswered.issue === null
    ? 'Nobody was asked what it is for: there was no time left in the day to wait for an answer.'
    : `Nobody answered #${unanswered.issue} by ${unanswered.until.slice(11, 16)} UTC, so it is the normal check.`;
}

/** What a ferry is for where the lab has a standing objective and nobody says anything else (policy DF-03). */
export const USUAL_OBJECTIVE: Objective = { kind: 'integration', text: 'normal daily integration check' };

/** Where nothing is said, the lab's standing objective counts, if it has one. */
export function ferryObjective(said: string | null, lane: LaneConfig): ObjectiveReading {
  if (said !== null) return readObjective(said);
  return ferryLane(lane).objective === 'integration'
    ? { kind: 'clear', objective: USUAL_OBJECTIVE }
    : // rule AG-15
      { kind: 'unclear', why: 'nothing-said' };
}

/** The question about a ferry, which a person answers who knows how the last one ended (policy DF-39). */
export function objectiveQuestion(asked: AskedWhat): ReturnType<Asks['question']> {
  const { date, laneName, runs } = asked;
  const until = answeredBy(ferryLane(asked.lane), asked);
  if (until === null) return null;
  const last = lastFerryOf(runs, `${date}~`);
  const given = ferryLane(asked.lane).lastFerry;
  return { ...renderObjectiveQuestion({ lane: laneName, date, until, last, given }), until };
}

/** The hour of the config, or some time after the question; never beyond the day, which would have no ferry. */
function answeredBy(
  { objectiveBy, objectiveWaitMinutes }: FerryLane,
  { date, now }: Pick<AskedWhat, 'date' | 'now'>,
): Instant | null {
  const hour = fromRfc3339(`${date}T${objectiveBy}:00Z`) ?? now;
  const until = after(now, Math.max(hour - now, objectiveWaitMinutes * MINUTE_MS));
  const end = fromRfc3339(`${dateAfter(date, 1)}T00:00:00Z`) ?? until;
  return until <= now || after(until, LATE_LOOK_MS) > end ? null : until;
}

const MINUTE_MS = 60_000;
/** A cron of GitHub's comes up to an hour late, and the look after the question still has to be on its day. */
const LATE_LOOK_MS = 60 * MINUTE_MS;

/**
 * `integration: …` and `regression: …` decide by their first word; other text decides by naming exactly one of the two,
 * without a *not* that could turn its meaning round. The text is kept as it was said.
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

function namesIn({ names, settings }: ExperimentFile): ReadonlySet<string> {
  return new Set([...names, ...settings.flatMap((setting) => setting.names ?? [])]);
}

/** A power or a shift of literals can be a number that fills the memory, and a call reads more than the file. */
const TOO_MUCH = /\*\*|<<|\w\s*\(/;

/**
 * A bounded edit writes values, not code (policy DF-10): one line, one expression. `names` are
 * those that it may use.
 */
async function isPlainValue(text: string, names: ReadonlySet<string>, read: ReadFile): Promise<boolean> {
  const value = await writtenValue(text, read);
  if (value === null || (value.isString !== true && TOO_MUCH.test(text))) return false;
  return (value.names ?? []).every((name) => names.has(name));
}

/** Whether a text is one string literal without anything to fill in. */
async function isPlainString(text: string, read: ReadFile): Promise<boolean> {
  return (await writtenValue(text, read))?.isString === true;
}

/** The text as the value of an assignment that is a whole file; null where it would be more, or no value. */
async function writtenValue(text: string, read: ReadFile): Promise<Setting | null> {
  if (text.trim() === '' || /[\n\r]/.test(text)) return null;
  const file = await read(`_ = ${text}\n`);
  if (file.kind === 'unparsable' || file.code.length !== 1) return null;
  const [setting] = file.settings;
  return setting?.path === '_' ? setting : null;
}

/** Why nothing was edited, as `/propose` answers it. */
type EditRefusal = Facts<Answers['propose-edit-refused']>;

function refused(why: EditRefusal['why'], name: string, about = ''): Result<never, EditRefusal> {
  return fail({ why, name, about });
}

/** The knob of a name. The longer spelling wins over the shorter; what fits two knobs alike is never guessed. */
function resolveKnob(name: string, knobs: readonly Knob[]): Result<Knob, EditRefusal> {
  const asked = spelledPath(name);
  const fits: readonly ((knob: Knob) => boolean)[] = [
    (knob) => spelledPath(knob.path) === asked,
    (knob) => knob.knob === asked,
    (knob) => spelledPath(knob.path).endsWith(`.${asked}`),
  ];
  for (const fit of fits) {
    const found = knobs.filter(fit);
    const [knob] = found;
    if (found.length > 1)
      return refused('ambiguous-knob', name, found.map(({ path }) => spelledPath(path)).join('\n'));
    if (knob !== undefined) return ok(knob);
  }
  return refused('unknown-knob', name, suggestion(asked, knobs) ?? '');
}

/**
 * A path without the quotes around the keys of dicts, which people leave out; a key that a command line takes only in
 * quotes (with a blank or an equals sign in it) keeps them.
 */
export function spelledPath(path: string): string {
  return path.replace(/\[(["'])([^"'\]\s=\u2018-\u201f\u00ab\u00bb]*)\1\]/gu, '[$2]');
}

function suggestion(asked: string, knobs: readonly Knob[]): string | null {
  const names = knobs.map((knob) => knob.knob);
  return (
    nearest(asked, [...new Set(names)]) ??
    nearest(asked, [...new Set(knobs.map((knob) => spelledPath(knob.path)))])
  );
}

/** Writes all of the asked values or none. The file parses. `knobsMax` null: the lab only warns of too many. */
export async function askedChange(
  file: ExperimentFile,
  read: ReadFile,
  asked: readonly (readonly [name: string, value: string])[],
  knobsMax: number | null,
): Promise<Result<EditedFile, EditRefusal>> {
  if (knobsMax !== null && asked.length > knobsMax)
    return refused('over-budget', String(asked.length), String(knobsMax));
  const knobs = readKnobs(file);
  const names = namesIn(file);
  const edits: Edit[] = [];
  for (const [name, value] of asked) {
    const knob = resolveKnob(name, knobs);
    if (!knob.ok) return knob;
    const { path, value: before, isString } = knob.value;
    if (edits.some((other) => other.path === path)) return refused('repeated-knob', name, spelledPath(path));
    const after = isString ? await stringText(value, before, read) : value.trim();
    if (!(await isPlainValue(after, names, read))) return refused('value-refused', name, value);
    // Each for itself first, so that the answer names the one that does not fit.
    const alone = await applyEdits(file, [{ path, after }], read);
    if (!alone.ok)
      return alone.error === 'unchanged'
        ? refused('unchanged', name, before)
        : refused('value-refused', name, value);
    edits.push({ path, after });
  }
  const all = await applyEdits(file, edits, read);
  const [name, value] = asked[0] ?? ['', ''];
  return all.ok ? all : refused('value-refused', name, value);
}

/** A command's quotes are gone when it is read: where the file has a string, a bare text stands for one. */
async function stringText(value: string, before: string, read: ReadFile): Promise<string> {
  if (await isPlainString(value, read)) return value.trim();
  const quote = before.trim().endsWith("'") ? "'" : '"';
  return `${quote}${value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** What it proposes; `before`, where it says one, has to be what the file says. */
type ProposedEdit = Edit & { readonly before: string | null };

type ProposerBounds = {
  readonly knobsMax: number;
  readonly scaleKnobs: readonly string[];
  readonly recent: readonly RecentFerry[];
};

/** The edited file, or the first thing that is wrong. The result's delta is exactly the edits (`applyEdits`). */
export async function checkProposedEdits(
  file: ExperimentFile,
  read: ReadFile,
  edits: readonly ProposedEdit[],
  { knobsMax, scaleKnobs, recent }: ProposerBounds,
): Promise<Result<EditedFile, string>> {
  if (edits.length > knobsMax) return fail(`too-many-edits ${edits[0]?.path ?? ''}`);
  const knobs = readKnobs(file);
  const names = namesIn(file);
  for (const { path, before, after } of edits) {
    const knob = knobs.find((one) => one.path === path);
    if (knob === undefined) return fail(`unknown-path ${path}`);
    if (before !== null && !isSameValueText(before, knob.value)) return fail(`other-before ${path}`);
    if (scaleKnobs.includes(path) || scaleKnobs.includes(knob.knob)) return fail(`scale-knob ${path}`);
    if (!(await isPlainValue(after, names, read))) return fail(`value-refused ${path}`);
    if (hasFailed(path, after, recent)) return fail(`failed-before ${path}`);
  }
  const edited = await applyEdits(
    file,
    edits.map(({ path, after }) => ({ path, after })),
    read,
  );
  return edited.ok ? edited : fail(`edit-refused ${edits[0]?.path ?? ''}`);
}

/** A value after which a run failed is not proposed again unasked. */
function hasFailed(path: string, value: string, recent: readonly RecentFerry[]): boolean {
  return recent.some(
    (ferry) =>
      ferry.outcome === 'failed' &&
      ferry.changes.some(
        (change) => change.path === path && change.after !== null && isSameValueText(change.after, value),
      ),
  );
}
