/** What is left of a config that the schema refuses: its sound parts, so that one mistake does not hide all others. */

import type { Part } from './rules/rule.ts';
import { configSchema, type LabConfig } from './schema.ts';
import { isAbout } from './shape-misfits.ts';

/** `config` has a stand-in where a part is unsound: nobody may look there. */
export type SoundParts = { readonly config: LabConfig; readonly unsound: ReadonlySet<Part> };

type Issues = NonNullable<ReturnType<typeof configSchema.safeParse>['error']>['issues'];

/** Null where nothing can be made of it. */
export function soundPartsOf(value: unknown, issues: Issues): SoundParts | null {
  const unsound = new Set<Part>();
  const keep = (part: Part, source: unknown, key: string): [string, unknown][] => {
    if (issues.some((issue) => isAbout(issue, part))) unsound.add(part);
    else return own(source, key);
    return own(STAND_IN, part);
  };
  const daily = firstOf(own(firstOf(own(value, 'lanes')), 'daily'));
  const top = TOP_PARTS.flatMap((part) => keep(part, value, part));
  const lane = LANE_KEYS.flatMap((key) =>
    keep(`lanes.daily.${key}`, daily, key).map(([name, found]) => [name.replace('lanes.daily.', ''), found]),
  );
  const mended = { ...Object.fromEntries(top), lanes: { daily: Object.fromEntries(lane) } };
  const parsed = configSchema.safeParse(mended);
  return parsed.success ? { config: parsed.data, unsound } : null;
}

function own(source: unknown, key: string): [string, unknown][] {
  if (typeof source !== 'object' || source === null) return [];
  return Object.entries(source).filter(([name]) => name === key);
}

function firstOf(entries: readonly (readonly [string, unknown])[]): unknown {
  return entries[0]?.[1];
}

const shape = configSchema.shape;
// `Object.keys` forgets the names that the schemas' types know.
const TOP_PARTS = Object.keys(shape).filter((key) => key !== 'lanes') as Exclude<Part, `lanes.${string}`>[];
const LANE_KEYS = Object.keys(shape.lanes.shape.daily.shape) as (keyof LabConfig['lanes']['daily'])[];

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
  'lanes.daily.experiment': 'x.py',
  'lanes.daily.cluster': 'x',
  'lanes.daily.runName': 'x',
  'lanes.daily.command': ['x'],
  'lanes.daily.ships': ['x'],
  'lanes.daily.scope': ['x'],
  'lanes.daily.outputRoot': 'x',
  'lanes.daily.tracker': { kind: 'none', entity: '', project: '' },
  'lanes.daily.finalStep': null,
};
