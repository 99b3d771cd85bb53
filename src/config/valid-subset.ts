/** What is left of a config that the schema refuses: its sound parts, so that one mistake does not hide all others. */

import { laneName } from '../settings/words.ts';
import { kindOf, type LaneKind, type LaneKinds } from './lane-kind.ts';
import type { LanePart, Part } from './rules/rule.ts';
import { type ConfigSchema, configSchema, type LabConfig } from './schema.ts';
import { isAbout } from './schema-errors.ts';

/** Parts that are not in shape: of the file, and by lane of that lane. */
export type InvalidParts = {
  readonly top: ReadonlySet<Part>;
  readonly lanes: ReadonlyMap<string, ReadonlySet<Part>>;
};

/** `config` has a stand-in where a part is unsound: nobody may look there. */
export type ValidSubset = { readonly config: LabConfig; readonly unsound: InvalidParts };

type Issues = readonly NonNullable<ReturnType<ConfigSchema['safeParse']>['error']>['issues'][number][];

/** Null where nothing can be made of it. */
export function validSubset(value: unknown, issues: Issues, kinds: LaneKinds): ValidSubset | null {
  const schema = configSchema(kinds);
  // `Object.keys` forgets the names that the schemas' types know.
  const topParts = Object.keys(schema.shape).filter((key) => key !== 'lanes') as Part[];
  const top = soundOf({ parts: topParts, issues, source: value, above: '', standIn: STAND_IN });
  const lanes = lanesIn(value).map(([name, source]) => {
    const kind = kindIn(source, kinds);
    const above = `lanes.${name}.`;
    return { name, ...soundOf({ parts: partsOf(kind), issues, source, above, standIn: standInOf(kind) }) };
  });
  const named =
    lanes.length > 0
      ? lanes
      : [
          {
            name: 'x',
            ...soundOf({
              parts: partsOf(kinds[0]),
              issues: null,
              source: {},
              above: '',
              standIn: standInOf(kinds[0]),
            }),
          },
        ];
  const mended = {
    ...Object.fromEntries(top.entries),
    lanes: Object.fromEntries(named.map(({ name, entries }) => [name, Object.fromEntries(entries)])),
  };
  const parsed = schema.safeParse(mended);
  if (!parsed.success) return null;
  return {
    config: { ...parsed.data, kinds },
    unsound: { top: top.unsound, lanes: new Map(named.map(({ name, unsound }) => [name, unsound])) },
  };
}

/** `issues` null: nothing of it is sound. `above` stands before the names of the parts in the paths of issues. */
type Looking = {
  readonly parts: readonly Part[];
  readonly issues: Issues | null;
  readonly source: unknown;
  readonly above: string;
  readonly standIn: Readonly<Record<string, unknown>>;
};

function soundOf({ parts, issues, source, above, standIn }: Looking): {
  readonly entries: readonly [string, unknown][];
  readonly unsound: ReadonlySet<Part>;
} {
  const isUnsound = (part: Part): boolean =>
    issues?.some((issue) => isAbout(issue, `${above}${keyOf(part)}`)) ?? true;
  const unsound = new Set(parts.filter(isUnsound));
  const entries = parts.flatMap((part) =>
    (unsound.has(part) ? own(standIn, keyOf(part)) : own(source, keyOf(part))).map(
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

function kindIn(source: unknown, kinds: LaneKinds): LaneKind {
  const said = firstOf(own(source, 'kind'));
  return kindOf(kinds, { kind: typeof said === 'string' ? said : '' });
}

function partsOf({ settings }: LaneKind): readonly LanePart[] {
  return Object.keys(settings.shape).map((key): LanePart => `lane.${key}`);
}

function standInOf(kind: LaneKind): Readonly<Record<string, unknown>> {
  return { kind: kind.name, ...LANE_STAND_IN, ...kind.settingsOf({ experiment: 'x.py' }) };
}

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
};

const LANE_STAND_IN: Readonly<Record<string, unknown>> = {
  cluster: 'x',
  runName: 'x',
  command: ['x'],
  ships: ['x'],
  outputRoot: 'x',
  tracker: { kind: 'none', entity: '', project: '' },
  finalStep: null,
};
