/** Compares the settings of two files with equal code. */

import type { Entry, ExperimentFile, Setting, Value } from '../domain/experiment.ts';

/** A changed, added (`base` null) or removed (`head` null) setting. `line` is in the head. */
export type Change = {
  readonly path: string;
  readonly knob: string;
  readonly base: Value | null;
  readonly head: Value | null;
  readonly line: number;
};

/** `moved`: a setting crossed an expansion, so a different value wins. */
type SettingsDiff =
  | { readonly kind: 'changed'; readonly changes: readonly Change[] }
  | { readonly kind: 'moved'; readonly start: number };

/** In the head's order; removed settings come first in their container. */
export function diffSettings(base: ExperimentFile, head: ExperimentFile): SettingsDiff {
  const old = new Map(base.settings.map((setting) => [idOf(setting), setting]));
  const now = new Set(head.settings.map(idOf));
  const changes: Change[] = [];
  for (const setting of base.settings)
    if (!now.has(idOf(setting))) changes.push(gone(setting, head.places[setting.place] ?? 1));
  for (const setting of head.settings) {
    const before = old.get(idOf(setting));
    if (before === undefined) changes.push(came(setting));
    else if (before.side !== setting.side) return { kind: 'moved', start: setting.start };
    else changes.push(...diffValues(before, setting, setting));
  }
  return { kind: 'changed', changes: changes.toSorted((left, right) => left.line - right.line) };
}

function idOf({ place, key }: Setting): string {
  return `${place} ${key}`;
}

export type Named = { readonly path: string; readonly knob: string };

function gone(value: Value & Named, line: number): Change {
  return { path: value.path, knob: value.knob, base: value, head: null, line };
}

function came(value: Value & Named): Change {
  return { path: value.path, knob: value.knob, base: null, head: value, line: value.line };
}

/** Compares mappings by entry, and lists as a whole unless only mappings in them differ. */
function diffValues(base: Value, head: Value, { path, knob }: Named): readonly Change[] {
  if (base.same === head.same) return [];
  if (!isTakenApart(base, head)) return [{ path, knob, base, head, line: head.line }];
  const named = (entry: Entry): Entry & Named => ({ ...entry, ...partOf(entry, { path, knob }) });
  const old = new Map(base.entries?.map((entry) => [entry.key, entry]));
  const now = new Set(head.entries?.map(({ key }) => key));
  return [
    ...(base.entries ?? []).filter(({ key }) => !now.has(key)).map((entry) => gone(named(entry), head.line)),
    ...(head.entries ?? []).flatMap((entry) => {
      const before = old.get(entry.key);
      return before === undefined ? [came(named(entry))] : diffValues(before, entry, named(entry));
    }),
  ];
}

/** The path and knob of an entry inside a setting. */
export function partOf({ segment, knob }: Entry, whole: Named): Named {
  return { path: whole.path + segment, knob: knob ?? whole.knob + segment };
}

function isTakenApart(base: Value, head: Value): boolean {
  if (base.container !== head.container || base.entries === undefined || head.entries === undefined)
    return false;
  if (base.container === 'dict') return true;
  const { entries } = head;
  return (
    base.entries.length === entries.length &&
    base.entries.every((entry, at) => {
      const other = entries[at];
      return other !== undefined && (entry.same === other.same || isTakenApart(entry, other));
    })
  );
}
