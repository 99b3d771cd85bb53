/** An adopted run: a job that somebody has launched by hand is watched, and launched again where its failure asks for it and people approve. */

import { type Responses, USUAL_RESPONSES } from '../../domain/failure-class.ts';
import { covers } from '../../domain/launch/whole-tree.ts';
import type { Kind } from '../../run/kind.ts';
import { entrypointKnown } from './gates/entrypoint-known.ts';
import { settingsOf, sourceOf } from './launched-again.ts';
import { adoptionLane, adoptionSettings } from './settings.ts';

const OBJECTIVE = { kind: 'production', text: '' } as const;
const BY_HAND = {
  kind: 'nothing',
  code: 'nothing-due',
  why: 'a job that is there is taken over with /watch',
} as const;

/** Of the attempts that were approved; after the job that somebody launched by hand, nothing is started by itself. */
const RESPONSES: Responses = { ...USUAL_RESPONSES, stopped: 'ask' };

export const adoptionKind: Kind = {
  name: 'adoption',
  settings: adoptionSettings,
  rules: [],
  settingsOf: () => ({}),
  change: null,
  fixable: () => [],
  readText: () => ({
    risk: null,
    objectiveKind: null,
    linksLastFerry: false,
    hasDeltaTable: false,
    mismatches: [],
    boxes: [],
  }),
  mends: (lane) => {
    const { fixScope } = adoptionLane(lane);
    return fixScope.length === 0 ? null : (path) => fixScope.some((folder) => covers(folder, path));
  },
  fixer: (lane) => adoptionLane(lane).fixer,
  gates: { gates: [entrypointKnown], remedies: () => [] },
  policy: () => ({}),
  responses: RESPONSES,
  adopts: { settings: settingsOf, source: sourceOf },
  judge: ({ status, lastStep, totalSteps }) => {
    const result = status === 'SUCCEEDED' ? 'pass' : 'fail';
    const steps = { expectedStep: totalSteps, lastStep, stepOutcome: result } as const;
    return { result, statusOk: result === 'pass', ...steps, rows: [], comparedWith: [] };
  },
  proposals: {
    usual: OBJECTIVE,
    objective: () => ({ kind: 'clear', objective: OBJECTIVE }),
    question: () => null,
    plan: async () => BY_HAND,
    planOfBegun: async () => BY_HAND,
  },
  closing: { log: null, proposal: () => 'leave' },
};
