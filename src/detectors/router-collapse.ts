/** Experts of which few get all the tokens. */

import { seriesDetector } from './series-detector.ts';

export const routerCollapse = seriesDetector('router-collapse', 'measures', [
  'router-entropy',
  'expert-load',
]);
