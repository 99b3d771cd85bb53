/** A z-loss that grows at once: the logits run away before the loss shows it. */

import { seriesDetector } from './series-detector.ts';

export const zLoss = seriesDetector('z-loss', 'measures', ['z-loss']);
