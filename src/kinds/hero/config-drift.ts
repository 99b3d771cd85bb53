/** Blocks settings and files that differ from the previous attempt, unless the contract lists them (policy HR-32, HR-33, HR-36, HR-45). */

import { fieldNames, readValue } from '../../contracts/fields.ts';
import { findBucket } from '../../delta/config-delta.ts';
import type { FileChange } from '../../domain/facts.ts';
import type { KnobChange } from '../../domain/launch/change-facts.ts';
import { readImageReference } from '../../domain/launch/contract.ts';
import type { Manifest } from '../../domain/launch/manifest.ts';
import { limits } from '../../domain/limits.ts';
import { cutText } from '../../domain/values.ts';
import { defineGate, type EarlierRun, ifKnown, type Judgement, judgements } from '../../gates/gate.ts';
import { FIELDS, type FieldName } from './contract/fields.ts';

/** `value`: a setting with its location. `code`: a file. `telling`: only reporting. The contract can list any of `names`. */
type CodeChange = {
  readonly affects: 'telling' | 'value' | 'code';
  /** The text that people see. */
  readonly shown: string;
  /** Each of these names identifies the change. */
  readonly names: readonly string[];
};

const VALUE_CHARACTERS = 40;

/** Text for people, logs, and tests; no job reads these files. */
const NO_PART = /\.(md|rst|log)$|(^|\/)(tests?|docs)\/|(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/i;
/** Reporting and evaluation files start with one of these words or end with one of `TELLING_LAST`; they do not train. */
const LOGGING_FIRST = new Set([
  ...['log', 'logs', 'logging', 'logger', 'tracker', 'trackers', 'tracking', 'wandb', 'telemetry'],
  ...['profiler', 'profiling', 'eval', 'evals', 'evaluation', 'evaluator'],
]);
const LOGGING_LAST = new Set(['logging', 'logger', 'tracker']);

/** Empty if the file cannot affect a job. A change that ferrybot cannot classify counts as code that trains. */
export function listCodeChanges({ path, delta }: FileChange): readonly CodeChange[] {
  // rule HR-36
  if (NO_PART.test(path) || delta?.kind === 'none') return [];
  // rule HR-45
  if (delta?.kind === 'knobs') return delta.changes.map((change) => toCodeChange(path, change));
  const line = delta === null ? '' : `, line ${delta.line}`;
  // rule HR-32
  return [{ affects: isLoggingPath(path) ? 'telling' : 'code', shown: `${path}${line}`, names: [path] }];
}

function toCodeChange(path: string, { path: knob, before, after }: KnobChange): CodeChange {
  const of = (value: string | null): string => cutText(value ?? 'nothing', VALUE_CHARACTERS);
  return {
    affects: isLoggingPath(path) || findBucket(knob) === 'observability' ? 'telling' : 'value',
    shown: `${path}: ${knob} (${of(before)} → ${of(after)})`,
    names: [path, `${path}: ${knob}`],
  };
}

function isLoggingPath(path: string): boolean {
  const name = path.split('/').at(-1)?.toLowerCase() ?? '';
  const stem = name.endsWith('.py') ? name.slice(0, -'.py'.length) : '';
  if (/\W/.test(stem)) return false;
  const words = stem.split('_').filter((word) => word !== '');
  return LOGGING_FIRST.has(words[0] ?? '') || (words.length > 1 && LOGGING_LAST.has(words.at(-1) ?? ''));
}

const configDriftAnswer = judgements('config-drift');

/** Fields that each attempt may change: the fixed code and the description of the changes. */
const EXPECTED: readonly FieldName[] = ['commit', 'branch', 'changes'];
/** Fields that a new run changes from the run it continues; the command is compared as launched, without these names. */
const IDENTITY: readonly FieldName[] = [
  ...(['slug', 'trackerId', 'trackerName', 'sourceRun', 'initializeFrom'] as const),
  ...(['outputRoot', 'checkpointRoot', 'temporaryRoot', 'command'] as const),
];

/** Parts that a lane or a cluster can also decide, with the label of the contract field if there is one. */
const PARTS: readonly (readonly [name: string, of: (manifest: Manifest) => unknown])[] = [
  [FIELDS.resume.label, ({ resume }) => resume.policy],
  ['Checkpoint retention', ({ retention }) => retention],
  ['Cluster', ({ cluster }) => cluster],
  ['Engine', ({ policy }) => policy['lane.engine']],
  ['Cluster settings', ({ policy }) => policy['lane.launcher']],
  // Files are compared only in the paths shipped now, so this part finds a path that is no longer shipped.
  ['Shipped paths', ({ trees }) => Object.keys(trees).toSorted()],
  ['Passed secrets', ({ policy }) => policy['lane.passSecrets']],
];
const SAME_RUN_PARTS: typeof PARTS = [
  [FIELDS.command.label, ({ command }) => command],
  [FIELDS.outputRoot.label, ({ outputRoot }) => outputRoot],
  [FIELDS.trackerId.label, ({ tracker }) => tracker],
  [FIELDS.checkpointRoot.label, ({ resume }) => resume.roots],
];
const OTHER_RUN_PARTS: typeof PARTS = [
  [FIELDS.command.label, withoutIdentityNames],
  [FIELDS.trackerId.label, ({ tracker: { kind, entity, project } }) => [kind, entity, project]],
];

/** Training settings and shipped files must equal those before, unless listed as intended changes (policy HR-32, HR-33, HR-45). */
export const configDrift = defineGate('config-drift', ({ ranBefore = null, manifest, change, contract }) => {
  if (ranBefore === null) return configDriftAnswer.pass('as-before');
  return ifKnown(ranBefore, (before) =>
    ifKnown(manifest, (now) => {
      if (keepsIdentityNames(before, now)) return configDriftAnswer.block('old-names', 'author');
      return ifKnown(change, ({ sinceAttempt }) => {
        const said = contract === undefined ? null : readValue(contract.recorded, 'changes');
        const code = (sinceAttempt ?? []).flatMap(listCodeChanges);
        const changes = [...listDrift(before, now).map(settingChange), ...code];
        return judgeDrift(changes, listExpectedNames(said ?? ''), before.isOfAnotherRun);
      });
    }),
  );
});

/** Whether the issue still has the command of the other run, with its names: here that is a different command. */
function keepsIdentityNames({ manifest: before, isOfAnotherRun }: EarlierRun, now: Manifest): boolean {
  return (
    isOfAnotherRun &&
    toText(before.command) === toText(now.command) &&
    toText(withoutIdentityNames(before)) !== toText(withoutIdentityNames(now))
  );
}

function listDrift({ manifest: before, isOfAnotherRun }: EarlierRun, now: Manifest): readonly string[] {
  const expected = [...EXPECTED, ...containerDrift(before, now), ...(isOfAnotherRun ? IDENTITY : [])];
  const parts = [...PARTS, ...(isOfAnotherRun ? OTHER_RUN_PARTS : SAME_RUN_PARTS)];
  return [...new Set([...contractDrift(before, now, expected), ...partDrift(before, now, parts)])];
}

/** After a fix, the image of the same name is rebuilt. With the same commit, a different image runs different code. */
function containerDrift(before: Manifest, now: Manifest): readonly FieldName[] {
  if (contractText(before, 'commit') === contractText(now, 'commit')) return [];
  const [was, is] = [imageOfManifest(before), imageOfManifest(now)];
  return was === is ? ['bundle', 'builtFrom'] : [];
}

/** The image without its tag and digest. Text that is no image is returned whole. */
function imageOfManifest(manifest: Manifest): string | null {
  const said = contractText(manifest, 'bundle') ?? null;
  const image = said === null ? null : readImageReference(said);
  return image === null ? said : `${image.registry}/${image.repository}`;
}

function contractText({ policy }: Manifest, name: FieldName): string | undefined {
  // The recorded text starts with the source of the value; remove it.
  return policy[`contract.${name}`]?.replace(/^[a-z]+: /, '');
}

/** The command without the run's names and output root. A name must be a whole word: part of another word is no name. */
function withoutIdentityNames({ command, outputRoot, runName, tracker }: Manifest): readonly string[] {
  const names = new Map([
    [tracker.runId, '{tracker}'],
    [runName, '{run}'],
  ]);
  return command.map((part) =>
    part
      .split(outputRoot)
      .map((rest) =>
        rest
          .split(/([^\w.-]+)/)
          .map((word) => names.get(word) ?? word)
          .join(''),
      )
      .join('{outputRoot}'),
  );
}

function settingChange(name: string): CodeChange {
  return { affects: 'value', shown: name, names: [name] };
}

function judgeDrift(changes: readonly CodeChange[], meant: readonly string[], isAnotherRun: boolean): Judgement {
  const isExpected = ({ names }: CodeChange): boolean => names.some((name) => meant.includes(labelFromName(name)));
  const describeChanges = (...touches: readonly CodeChange['affects'][]): readonly string[] =>
    changes.filter((one) => touches.includes(one.affects)).map((one) => one.shown);
  const listUnexpected = (touches: CodeChange['affects']): readonly string[] =>
    changes.filter((one) => one.affects === touches && !isExpected(one)).map((one) => one.shown);
  const [values, code] = [listUnexpected('value'), listUnexpected('code')];
  if (values.length > 0) return configDriftAnswer.block('drift', 'author', listFirst([...values, ...code]));
  // Changed training code is the reason for a separate run. A changed setting may still be a mistake, so it blocks above.
  if (code.length > 0 && isAnotherRun)
    return configDriftAnswer.pass('as-another-run', listFirst(describeChanges('value', 'code')));
  if (code.length > 0) return configDriftAnswer.block('may-train-otherwise', 'author', listFirst(code));
  if (describeChanges('value', 'code').length > 0)
    return configDriftAnswer.pass('meant', listFirst(describeChanges('value', 'code')));
  const beside = describeChanges('telling');
  return beside.length > 0
    ? configDriftAnswer.pass('beside-training', listFirst(beside))
    : configDriftAnswer.pass('as-before');
}

/** Limits the list, because a merge may bring hundreds of files. */
function listFirst(all: readonly string[]): { readonly names: readonly string[] } {
  const more = all.length - limits.shownRowsMax;
  return { names: more <= 0 ? all : [...all.slice(0, limits.shownRowsMax), `${more} more`] };
}

function contractDrift(before: Manifest, now: Manifest, expected: readonly FieldName[]): readonly string[] {
  return fieldNames(FIELDS)
    .filter((name) => !expected.includes(name))
    .flatMap((name) => {
      const key = `contract.${name}`;
      return before.policy[key] === now.policy[key] ? [] : [FIELDS[name].label];
    });
}

function partDrift(before: Manifest, now: Manifest, parts: typeof PARTS): readonly string[] {
  return parts.flatMap(([name, of]) => (toText(of(before)) === toText(of(now)) ? [] : [name]));
}

/** Sorts the keys: a recorded manifest has a different key order than a new one. */
function toText(part: unknown): string {
  const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
  return JSON.stringify(isObject ? Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)) : part) ?? '';
}

/** The intended changes in the contract, as a list or on one line; people may add a reason after a name. */
function listExpectedNames(text: string): readonly string[] {
  return text.split(/[,;\n]/).flatMap((part) => {
    const name = part.replace(/^\s*[-*]\s/, '').replaceAll('`', '');
    return [name, name.split(':')[0] ?? ''].map(labelFromName);
  });
}

function labelFromName(name: string): string {
  return name.trim().toLowerCase();
}
