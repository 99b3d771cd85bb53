/** All verbs: usage and one line each; a verb's code is loaded only when it is asked for. */

import type { VerbIo } from './verb-io.ts';

export type Verb = (args: readonly string[], io: VerbIo) => Promise<number>;
export type VerbEntry = {
  readonly usage: string;
  readonly summary: string;
  /** Options that may be given several times. */
  readonly repeats?: readonly string[];
  /** It has keys in its environment and starts programs of others: its own image shows none of them. */
  readonly holdsKeys?: boolean;
  readonly load: () => Promise<Verb>;
};

export const VERBS: Readonly<Record<string, VerbEntry>> = {
  'read-comment': {
    usage: '< comment.md',
    summary: 'which commands a comment holds, and why a slash word does not fire',
    repeats: ['other-bot'],
    load: async () => (await import('./verbs/read-comment.ts')).readCommentVerb,
  },
  delta: {
    usage: 'BASE.py HEAD.py',
    summary: 'what changed between two versions of an experiment file',
    load: async () => (await import('./verbs/delta.ts')).deltaVerb,
  },
  'read-knobs': {
    usage: 'FILE.py',
    summary: 'the knobs of an experiment file, as /propose takes them',
    load: async () => (await import('./verbs/read-knobs.ts')).readKnobsVerb,
  },
  manifest: {
    usage: 'RUN --dir DIR',
    summary: 'the manifest that was approved for a run, canonical, with its digest',
    load: async () => (await import('./verbs/manifest.ts')).manifestVerb,
  },
  'logbook verify': {
    usage: 'PATH [--keys CONFIG] [--head SEQ:HASH]',
    summary: 'checks a copy of the logbook offline',
    load: async () => (await import('./verbs/logbook-verify.ts')).logbookVerify,
  },
  'logbook show': {
    usage: 'PATH',
    summary: 'tells a run as a person would',
    load: async () => (await import('./verbs/logbook-show.ts')).logbookShow,
  },
  'logbook repair': {
    usage: '[--repo DIR] [--dry-run]',
    summary: 'puts broken files of the record back on their last good entries, in a commit that it pushes',
    load: async () => (await import('./verbs/logbook-repair.ts')).logbookRepair,
  },
  'check-pr': {
    usage: '[--base REF] [--head REF] [--body FILE]',
    summary: 'every launch gate on a local branch, before anyone opens a pull request',
    load: async () => (await import('./verbs/check-pr.ts')).checkPrVerb,
  },
  'check-config': {
    usage: '[FILE]',
    summary: 'whether a .github/ferrybot.yml is valid, with line and column of every problem',
    load: async () => (await import('./verbs/check-config.ts')).checkConfigVerb,
  },
  'check-infra': {
    usage: '[FILE...] [--mount-point PATH]',
    summary: 'set-up commands of cluster files that write where a bucket may not be mounted',
    repeats: ['mount-point'],
    load: async () => (await import('./verbs/check-infra.ts')).checkInfraVerb,
  },
  'disk-scan': {
    usage: 'DIR [--mount-point PATH] [--threshold N] [--warn N]',
    summary: 'what a scan of worker disks means, from its recorded outputs',
    load: async () => (await import('./verbs/disk-scan.ts')).diskScanVerb,
  },
  'bad-node': {
    usage: '[--tpus FILE] < job.log',
    summary: 'whether a log shows a bad TPU node, on which worker, and which machine that is',
    load: async () => (await import('./verbs/bad-node.ts')).badNodeVerb,
  },
  'check-consent': {
    usage: 'PATH --thread N --at TIME < comment.md',
    summary: 'whether a comment would consent to a change of a cluster that a logbook has proposed',
    load: async () => (await import('./verbs/check-consent.ts')).checkConsentVerb,
  },
  backtest: {
    usage: '--config FILE [--logbook DIR]',
    summary: 'which decisions of recorded ferries a changed config would have made otherwise',
    load: async () => (await import('./verbs/backtest.ts')).backtestVerb,
  },
  'read-log': {
    usage: '< job.log',
    summary: 'what a training log says: progress, evals, checkpoints, failure signatures',
    load: async () => (await import('./verbs/read-log.ts')).readLogVerb,
  },
  doctor: {
    usage: '',
    summary: 'what the repository is set up with, what is missing, and what this token cannot see',
    load: async () => (await import('./verbs/doctor.ts')).doctorVerb,
  },
  playground: {
    usage: '[--repo DIR] [--port N]',
    summary:
      'a GitHub on this machine that serves your checkout with ferrybot installed, to try everything on it',
    load: async () => (await import('./verbs/playground.ts')).playgroundVerb,
  },
  serve: {
    usage: '',
    summary: 'runs the GitHub App: webhooks and sweep (settings from the environment)',
    holdsKeys: true,
    load: async () => (await import('./verbs/serve.ts')).serveVerb,
  },
};
