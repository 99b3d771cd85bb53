/** What a watch of one cluster needs. */

import type { Withheld, Witnesses } from '../../watch/look.ts';
import type { CloudOf, EngineOf } from '../lab.ts';
import type { TrackerOf } from '../trackers.ts';
import type { MetricsReader } from './look.ts';

export type WatchInput = {
  readonly cluster: string;
  /** A unique name of this process. */
  readonly holder: string;
  readonly engineOf: EngineOf;
  readonly cloudOf: CloudOf;
  readonly readMetrics: MetricsReader;
  readonly trackerOf: TrackerOf;
  /** The disk of this machine; null if unknown. */
  readonly diskOf: () => Promise<Witnesses['disk']>;
  readonly redact: (text: string) => string;
  readonly withheld?: Withheld | undefined;
  /** Frees memory after steps that allocate much. */
  readonly saveMemory: () => void;
};
