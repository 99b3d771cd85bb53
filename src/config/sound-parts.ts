/** What is left of a config that the schema refuses: its sound parts, so that one mistake does not hide all others. */

import { laneName } from '../settings/words.ts';
import { laneSchema } from './lane-schema.ts';
import type { LanePart, Part } from './rules/rule.ts';
import { configSchema, type LabConfig } from './schema.ts';
import { isAbout } from './shape-misfits.ts';

/** Parts that are not in shape: of the file, and by lane of that lane. */
export type UnsoundParts = {
  readonly top: ReadonlySet<Part>;
  readonly lanes: ReadonlyMap<string, ReadonlySet<Part>>;
};

/** `config` has a stand-in where a part is unsound: nobody may look there. */
export type SoundParts = { readonly config: LabConfig; readonly unsound: UnsoundParts };

type Issues = NonNullable<ReturnType<typeof configSchema.safeParse>['error']>['issues'];

/** Null where nothing can be made of it. */
export function soundPartsOf(value: unknown, issues: Issues): SoundParts | null {
  const top = soundOf({ parts: TOP_PARTS, issues, source: value, above: '' });
  const lanes = lanesIn(value).map(([name, source]) => ({
    name,
    ...soundOf({ parts: LANE_PARTS, issues, source, above: `lanes.${name}.` }),
  }));
  const named =
    lanes.length > 0
      ? lanes
      : [{ name: 'x', ...soundOf({ parts: LANE_PARTS, issues: null, source: {}, above: '' }) }];
  const mended = {
    ...Object.fromEntries(top.entries),
    lanes: Object.fromEntries(named.map(({ name, entries }) => [name, Object.fromEntries(entries)])),
  };
  const parsed = configSchema.safeParse(mended);
  if (!parsed.success) return null;
  return {
    config: parsed.data,
    unsound: { top: top.unsound, lanes: new Map(named.map(({ name, unsound }) => [name, unsound])) },
  };
}

/** `issues` null: nothing of it is sound. `above` stands before the names of the parts in the paths of issues. */
type Looking = {
  readonly parts: readonly Part[];
  readonly issues: Issues | null;
  readonly source: unknown;
  readonly above: string;
};

function soundOf({ parts, issues, source, above }: Looking): {
  readonly entries: readonly [string, unknown][];
  readonly unsound: ReadonlySet<Part>;
} {
  const isUnsound = (part: Part): boolean =>
    issues?.some((issue) => isAbout(issue, `${above}${keyOf(part)}`)) ?? true;
  const unsound = new Set(parts.filter(isUnsound));
  const entries = parts.flatMap((part) =>
    (unsound.has(part) ? own(STAND_IN, part) : own(source, keyOf(part))).map(
      ([, found]): [string, unknown] => [keyOf(part), found],
    ),
  );
  return { entries, unsound };
}

function keyOf(part: Part): string {
  return part.replace('lane.', '');
}

/** The lanes whose names may stand there. */
function lanesIn(value: unknown): readonly [string, unknown][] {
  const lanes = firstOf(own(value, 'lanes'));
  if (typeof lanes !== 'object' || lanes === null) return [];
  return Object.entries(lanes).filter(([name]) => laneName.safeParse(name).success);
}

function own(source: unknown, key: string): [string, unknown][] {
  if (typeof source !== 'object' || source === null) return [];
  return Object.entries(source).filter(([name]) => name === key);
}

function firstOf(entries: readonly (readonly [string, unknown])[]): unknown {
  return entries[0]?.[1];
}

// `Object.keys` forgets the names that the schemas' types know.
const TOP_PARTS = Object.keys(configSchema.shape).filter((key) => key !== 'lanes') as Part[];
const LANE_PARTS = Object.keys(laneSchema.shape).map((key) => `lane.${key}`) as LanePart[];

/** Values for parts that have no default; no rule ever sees them. */
const STAND_IN: Readonly<Record<string, unknown>> = {
  version: 1,
  git: { name: 'x', email: 'x@lab.example' },
  keys: [
    {
      id: 'x',
      role: 'control',
      public: `${'A'.repeat(43)}=`,
      from: '2000-01-01T00:00:00Z',
      until: '2001-01-01T00:00:00Z',
    },
  ],
  clusters: {},
  'lane.experiment': 'x.py',
  'lane.cluster': 'x',
  'lane.runName': 'x',
  'lane.command': ['x'],
  'lane.ships': ['x'],
  'lane.scope': ['x'],
  'lane.outputRoot': 'x',
  'lane.tracker': { kind: 'none', entity: '', project: '' },
  'lane.finalStep': null,
};
