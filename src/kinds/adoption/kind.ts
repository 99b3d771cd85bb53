/** An adopted run: a job that somebody has launched by hand is watched, and launched again where its failure asks for it and people approve. */

import { USUAL_RESPONSES } from '../../domain/failure-class.ts';
import { covers } from '../../domain/launch/whole-tree.ts';
import { defineKind } from '../../run/kind.ts';
import { entrypointKnown } from './gates/entrypoint-known.ts';
import { settingsOf, sourceOf } from './launched-again.ts';
import { adoptionLane, adoptionSettings } from './settings.ts';

export const adoptionKind = defineKind({
  name: 'adoption',
  settings: adoptionSettings,
  rules: [],
  fixes: (lane) => {
    const { fixScope, fixer } = adoptionLane(lane);
    const isInScope = (path: string): boolean => fixScope.some((folder) => covers(folder, path));
    return { fixable: [], mends: fixScope.length === 0 ? null : isInScope, fixer, preApproved: [] };
  },
  gates: [entrypointKnown],
  // Of the attempts that were approved; after the job that somebody launched by hand, nothing is started by itself.
  responses: { ...USUAL_RESPONSES, stopped: 'ask' },
  adopts: { settings: settingsOf, source: sourceOf },
  judge: ({ status, lastStep, totalSteps }) => {
    const result = status === 'SUCCEEDED' ? 'pass' : 'fail';
    const steps = { expectedStep: totalSteps, lastStep, stepOutcome: result } as const;
    return { result, statusOk: result === 'pass', ...steps, rows: [], comparedWith: [] };
  },
});
