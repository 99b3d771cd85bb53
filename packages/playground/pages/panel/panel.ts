/** Data and controls of the world's panel: clock, limits, faults, deliveries, logbook, processes. */

import type { Fault } from '../../faults/fault.ts';
import type { RecordedStrike } from '../../faults/strike.ts';
import type { RateWindow } from '../../limits/rate.ts';
import type { SecondaryUsage } from '../../limits/secondary.ts';
import type { Delivery, Usage } from '../../world/state.ts';
import type { Chain } from './verify-chain.ts';

/** A process that belongs to the lab: the App's server, a runner, a job of the engine. */
export type ProcessRow = {
  readonly name: string;
  /** Its current activity, in a few words. */
  readonly doing: string;
  readonly isBusy: boolean;
  /** Process id, if known. */
  readonly pid: number | null;
};

export type PanelFacts = {
  readonly nowMs: number;
  /** How far the clock was moved by hand; null: it cannot be moved. */
  readonly offsetMs: number | null;
  /** Requests by caller since the world started; all workflows count as one. */
  readonly usage: Readonly<Record<string, Usage>>;
  readonly rest: Readonly<Record<string, RateWindow>>;
  readonly graphql: Readonly<Record<string, RateWindow>>;
  readonly secondary: Readonly<Record<string, SecondaryUsage>>;
  readonly faults: readonly Fault[];
  readonly struckCount: Readonly<Record<string, number>>;
  /** Newest first. */
  readonly struck: readonly RecordedStrike[];
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  readonly chains: readonly Chain[];
  readonly processes: readonly ProcessRow[];
};

export type Turned = 'done' | 'impossible';

export type Panel = {
  readonly facts: () => Promise<PanelFacts>;
  readonly advance: (durationMs: number) => Promise<Turned>;
  readonly setFaults: (faults: readonly Fault[]) => Promise<Turned>;
  readonly redeliver: (deliveryId: number) => Promise<Turned>;
};
