/** The gates that only ferries have, one a file. */

import type { OwnGates } from '../../../gates/gate.ts';
import { budget } from './budget.ts';
import { deltaDeclared } from './delta-declared.ts';
import { deltaReadable } from './delta-readable.ts';
import { identicalRerun } from './identical-rerun.ts';
import { lastFerryLinked } from './last-ferry-linked.ts';
import { ferryRemedies } from './remedies.ts';
import { riskPresent } from './risk-present.ts';
import { scaleStable } from './scale-stable.ts';
import { scope } from './scope.ts';

export const FERRY_GATES: OwnGates = {
  gates: [
    scope,
    deltaReadable,
    deltaDeclared,
    budget,
    scaleStable,
    identicalRerun,
    riskPresent,
    lastFerryLinked,
  ],
  remedies: ferryRemedies,
};
