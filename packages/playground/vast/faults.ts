/** Faults of the simulated Vast.ai on request: each strikes a given number of matching requests. */

import { matchesGlob } from '../faults/glob.ts';

export type VastFault = {
  readonly kind: /** 429 as plain text, and no Retry-After. */
    | 'too-many'
    /** 500 as plain text. */
    | 'server-error'
    /** 200 with an empty body. */
    | 'empty'
    /** The answer of a retired address. */
    | 'deprecated'
    /** The request has no effect, and the connection breaks. */
    | 'lost-request'
    /** The request takes effect, and the connection breaks. */
    | 'lost-answer'
    /** The connection breaks, and the request takes effect later. */
    | 'late'
    /** The request takes effect, and the answer reports a failure with the id of the created object. */
    | 'failed-but-done'
    /** The answer reports success, but the request had no effect. */
    | 'said-but-not-done';
  /** `METHOD /path`, where `*` matches anything. */
  readonly route: string;
  readonly times: number;
  /** The delay, for `late`. */
  readonly delayMs?: number;
};

/** The active faults. */
export function createFaults() {
  let armed: readonly VastFault[] = [];
  return {
    arm: (fault: VastFault): void => {
      armed = [...armed, fault];
    },
    clear: (): void => {
      armed = [];
    },
    /** Returns the fault that strikes this request and uses up one of its strikes. */
    strike: (route: string): VastFault | null => {
      const found = armed.find((fault) => matchesGlob(fault.route, route)) ?? null;
      if (found !== null)
        armed = armed.flatMap((fault) => {
          if (fault !== found) return [fault];
          return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
        });
      return found;
    },
  };
}

export type Faults = ReturnType<typeof createFaults>;
