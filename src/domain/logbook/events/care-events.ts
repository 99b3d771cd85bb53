/** Changes of the cluster and what a scan of it found: what each event of it carries. */

import type { DiskScan } from '../../care/disk-scan.ts';
import type {
  ConsentSource,
  MutationEvidence,
  MutationOutcome,
  MutationProposal,
} from '../../care/mutation.ts';
import type { Digest } from '../../ids.ts';

export type CareEventData = {
  /** A change of the cluster, shown to people before anybody may consent (docs/decisions/0014-consent-as-a-type.md). */
  readonly 'mutation-proposed': {
    readonly proposal: MutationProposal;
    readonly digest: Digest;
    readonly evidence: MutationEvidence;
  };
  /** `proposal` is the digest of what was consented to. */
  readonly consented: { readonly proposal: Digest; readonly source: ConsentSource };
  /** The runner's claim: pushed before it calls anything, and never twice. `consent` is the entry that it rests on. */
  readonly 'mutation-begun': {
    readonly proposal: Digest;
    readonly consent: number;
    readonly workflowRun: number;
  };
  readonly 'mutation-ended': {
    readonly proposal: Digest;
    readonly outcome: MutationOutcome;
    readonly code: string;
    readonly detail: { readonly [name: string]: string | number };
  };
  /** What a scan of a cluster's worker disks found (policy AG-16). */
  readonly 'disk-scanned': DiskScan;
};
