/** What people said and what it holds back: what each event of it carries. */

import type { Surface } from '../../command.ts';
import type { Digest } from '../../ids.ts';
import type { HoldKind, HoldScope } from '../../launch/hold.ts';
import type { Detail } from '../../payload.ts';

export type CommandEventData = {
  readonly 'command-seen': {
    readonly comment: number;
    readonly surface: Surface;
    readonly index: number;
    readonly name: string;
    readonly args: { readonly [name: string]: string };
    readonly thread: number;
    readonly bodyDigest: Digest;
  };
  readonly 'command-answered': {
    readonly comment: number;
    readonly surface: Surface;
    readonly index: number;
    readonly thread: number;
    /** Of the version that wrote it; the commands say what each code carries. */
    readonly code: string;
    readonly detail: Detail;
  };
  /** `date`: the day that a skip leaves out; null for a hold and a freeze, which last until they are released. */
  readonly held: {
    readonly kind: HoldKind;
    readonly scope: HoldScope;
    /** Left out for a hold on one run or on the repository, and in records from before there were several lanes. */
    readonly lane?: string | undefined;
    readonly reason: string;
    readonly date: string | null;
  };
  readonly released: {
    readonly kind: HoldKind;
    readonly scope: HoldScope;
    readonly lane?: string | undefined;
    readonly date: string | null;
  };
};
