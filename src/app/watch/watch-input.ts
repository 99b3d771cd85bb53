/** What a watch of one cluster is given: its name, the ways to its engine, and who speaks. */

import type { Withheld, Witnesses } from '../../watch/look.ts';
import type { SeenNotices } from '../control/report-corrupt-logbook.ts';
import type { CloudOf, EngineOf } from '../lab.ts';
import type { Publisher } from '../publisher.ts';
import type { TrackerOf } from '../trackers.ts';
import type { MetricsReader } from './look.ts';

export type WatchInput = {
  readonly cluster: string;
  /** Names this process: two watches never share a holder. */
  readonly holder: string;
  readonly engineOf: EngineOf;
  readonly cloudOf: CloudOf;
  readonly readMetrics: MetricsReader;
  readonly trackerOf: TrackerOf;
  /** The disk of this machine; null where nobody can say. */
  readonly diskOf: () => Promise<Witnesses['disk']>;
  readonly redact: (text: string) => string;
  readonly withheld?: Withheld | undefined;
  readonly publisher: Publisher;
  /** Faults of the logbook that stand in the threads, as far as this process knows; it grows. */
  readonly toldFaults: SeenNotices;
  /** Called wherever a turn leaves much behind: what the looks of a thousand jobs leave need not lie until the next one. */
  readonly saveMemory: () => void;
};
