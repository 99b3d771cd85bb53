/** The rented machines of a run, as the watch sees and destroys them: what each event about them carries. Money is whole millionths of a dollar. */

import type { Digest } from '../../ids.ts';
import type { MachineStatus, RentalOffer } from '../../rented.ts';

/**
 * Why a machine is destroyed. `orphan`: no live run is known for it. `double`: an older one runs the same job. `ended`: its job
 * is over. `idle`: no step for too long. `lifetime`, `cost`: a cap. `asked`: a person said so.
 */
export const TEAR_DOWN_REASONS = ['orphan', 'double', 'ended', 'idle', 'lifetime', 'cost', 'asked'] as const;
export type TearDownReason = (typeof TEAR_DOWN_REASONS)[number];

/** The same in words, after *it is destroyed because* or a colon. */
export const TEAR_DOWN_WHY: { readonly [Reason in TearDownReason]: string } = {
  orphan: 'no live run is known for it',
  double: 'an older machine runs the same job',
  ended: 'its job is over',
  idle: 'no step of its job has moved for too long',
  lifetime: 'it has reached its longest life',
  cost: 'its run has reached what it may cost',
  asked: 'a person asked for it',
};

/** One machine at a look. */
export type SeenMachine = {
  readonly instance: number;
  readonly jobId: string;
  /** `gone`: a whole read of the account no longer has it; null: still provisioned. */
  readonly status: MachineStatus | 'gone';
  /** The host's machine that it is on; left out where the account does not say. */
  readonly machine?: string;
  readonly createdAt: string;
  readonly microdollarsPerHour: number;
  readonly microdollarsPerHourStored: number;
  /** What it has cost until this look, and the part of it that was traffic. */
  readonly microdollars: number;
  readonly microdollarsOfTraffic: number;
  /** It may have cost less than that: nobody saw whether its card ran; left out: everything was seen. */
  readonly isEstimated?: boolean;
};

/** Which machine, of which job, on which cluster, and why. */
export type TearDown = {
  readonly instance: number;
  readonly jobId: string;
  readonly cluster: string;
  readonly reason: TearDownReason;
  /** What the machine has cost until then. */
  readonly microdollars: number;
};

export type RentalEventData = {
  /** What would have been rented for a manifest that waits for its approval; `offer` null: nothing fits, or `unread` says why nobody knows. */
  readonly 'offer-seen': {
    readonly digest: Digest;
    readonly offer: RentalOffer | null;
    readonly unread?: string;
  };
  /** A whole read of the account: the machines of this run that are there, and those that are gone since the look before. */
  readonly 'machines-seen': {
    readonly machines: readonly SeenMachine[];
    /** How soon the watch wanted to look again. */
    readonly cadenceMs: number;
  };
  /** Pushed before the account is asked; in the journal where no live run is known. */
  readonly 'tear-down-begun': TearDown;
  /** A whole read of the account, after it was asked, no longer has the machine. */
  readonly 'tear-down-ended': TearDown;
  /** A person wants the machines of the run kept so long, RFC 3339. */
  readonly 'machine-kept': { readonly until: string; readonly reason: string };
  /** A person wants them gone. */
  readonly 'tear-down-asked': { readonly comment: number };
};
