/** Gradients that have exploded. */

import { seriesDetector } from './series-detector.ts';

export const gradientNorm = seriesDetector('gradient-norm', 'measures', ['grad-norm']);
