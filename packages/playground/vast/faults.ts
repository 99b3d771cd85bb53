/** What the rehearsed Vast.ai does wrong on request: each fault strikes so many of the requests that it concerns. */

import { matchesGlob } from '../faults/glob.ts';

export type VastFault = {
  readonly kind: /** 429 as plain text, and no Retry-After. */
    | 'too-many'
    /** 500 as plain text. */
    | 'server-error'
    /** 200 with nothing in it. */
    | 'empty'
    /** The answer of an address that was retired. */
    | 'deprecated'
    /** Nothing was done, and the connection breaks off. */
    | 'lost-request'
    /** It was done, and the connection breaks off. */
    | 'lost-answer'
    /** The connection breaks off, and it is done later. */
    | 'late'
    /** It was done, and the answer says that it failed, with the id of what was made. */
    | 'failed-but-done'
    /** The answer says that it was done, and it was not. */
    | 'said-but-not-done';
  /** `METHOD /path`, where `*` stands for anything. */
  readonly route: string;
  readonly times: number;
  /** How late, for `late`. */
  readonly delayMs?: number;
};

/** The faults that are on. */
export function createFaults() {
  let armed: readonly VastFault[] = [];
  return {
    arm: (fault: VastFault): void => {
      armed = [...armed, fault];
    },
    clear: (): void => {
      armed = [];
    },
    /** The fault that strikes this request, which has one strike less from now on. */
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
