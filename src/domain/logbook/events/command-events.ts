/** What people said and what it holds back: what each event of it carries. */

import type { Surface } from '../../command.ts';
import type { Digest } from '../../ids.ts';
import type { RecordedTarget } from '../../launch/hold.ts';
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
  readonly held: RecordedTarget & { readonly reason: string };
  readonly released: RecordedTarget;
};
