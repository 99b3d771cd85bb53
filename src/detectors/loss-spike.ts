/** A loss that is half above its trend for about ten steps. */

import { seriesDetector } from './series-detector.ts';

export const lossSpike = seriesDetector('loss-spike', 'loss', ['loss']);
