/** Opens a repository for work: fetches, reads the config in force, and loads the verified record under it. */

import type { ConfigHealth } from '../domain/facts.ts';
import { GitError } from '../domain/git.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { listLabelledPulls } from '../github/issues.ts';
import { readThread } from '../github/thread.ts';
import type { Proposes } from '../run/kind.ts';
import { configOfLane, type LabConfig, type LaneScopedConfig, lanesOf } from '../run/lane-scope.ts';
import { publishedHeads } from '../run/published-heads.ts';
import { configFor } from '../run/run-config.ts';
import { type ConfigInForce, configHealthOf, configInForce } from './config-source.ts';
import type { Lab, LabGit } from './lab.ts';
import { readingOf } from './reading.ts';
import { createEventStore, type EventStore } from './record.ts';
import type { Record } from './record-files.ts';

/** Newest ferry threads that are looked at for a card where there is no logbook: one is enough, the newest may have none yet. */
const LOST_LOGBOOK_THREADS_MAX = 3;

/** Problems of a config that stand in the log; the check on the pull request has all of them. */
const CONFIG_PROBLEMS_LOGGED = 20;

export type OpenLab = {
  readonly lab: Lab;
  readonly defaultBranch: string;
  readonly config: LabConfig;
  /** How the newest config of the default branch is; `config` is the last valid one. */
  readonly configHealth: ConfigHealth;
  readonly git: LabGit;
  readonly store: EventStore;
  readonly record: Record;
};

/** A repository opened for the work of one lane. */
export type OpenLane = OpenLab & { readonly config: LaneScopedConfig };

/** A lane whose runs the bot proposes. */
export type ProposingLane = OpenLane & {
  readonly config: { readonly kind: { readonly proposes: Proposes } };
};

/** Whether the bot proposes runs of this lane. */
export function canPropose(open: OpenLane): open is ProposingLane {
  return open.config.kind.proposes !== undefined;
}

/** The same repository for one lane; null where there is no such lane. */
export function openLane(open: OpenLab, laneName: string): OpenLane | null {
  const config = configOfLane(open.config, laneName);
  return config === null ? null : { ...open, config };
}

/** The same repository for the lane of a run. */
export function openForRun(open: OpenLab, state: RunState): OpenLane {
  return { ...open, config: configFor(open.config, state) };
}

export type Opening =
  | { readonly kind: 'open'; readonly open: OpenLab }
  | { readonly kind: 'no-config'; readonly config: Extract<ConfigInForce, { kind: 'none' }> };

/** Keeps what was read between triggers: a new store is made only where the config changed. */
export type LabOpener = { readonly open: () => Promise<Opening> };

/** Before the config is read nobody commits; git wants a name all the same. */
const NOBODY = { name: 'ferrybot', email: 'ferrybot@localhost.invalid' };

/** An opener for one repository; `branch` is its default branch. */
export function createLabOpener(lab: Lab, branch: string): LabOpener {
  const reader = lab.gitAs(NOBODY);
  let hasLooked = false;
  let last: Omit<OpenLab, 'record' | 'configHealth'> | null = null;
  return {
    open: async () => {
      await reader.fetch();
      const found = await configInForce(reader, branch);
      if (found.kind === 'none') return { kind: 'no-config', config: found };
      for (const problem of found.problems.slice(0, CONFIG_PROBLEMS_LOGGED))
        lab.log(`config line ${problem.line}: ${problem.message}`);
      if (last === null || !isSame(last.config, found.config)) {
        const git = lab.gitAs(found.config.git);
        last = {
          lab,
          defaultBranch: branch,
          config: found.config,
          git,
          store: createEventStore(lab, found.config, git, last?.store.current() ?? null),
        };
      }
      const { store } = last;
      // Config and record are of one fetch: every look of a watch would cost two otherwise.
      await store.load(true);
      if (store.current().head === null && store.current().broken.length === 0 && !hasLooked) {
        const thread = await threadOfLostLogbook(lab, found.config);
        if (thread !== null) store.lose(thread);
      }
      // Asked once: from here on the store knows what it has seen.
      hasLooked = true;
      return {
        kind: 'open',
        open: { ...last, configHealth: configHealthOf(found), record: store.current() },
      };
    },
  };
}

/** A file that did not change is read once, and gives the same value: only another one has to be compared. */
function isSame(before: LabConfig, now: LabConfig): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now);
}

/**
 * The newest thread of a run with a card of ours: a card is only written from a record. Null where there is none.
 * Throws `GitError` where GitHub does not tell, because then it is unknown whether a logbook may be begun.
 */
async function threadOfLostLogbook(lab: Lab, config: LabConfig): Promise<number | null> {
  for (const label of new Set(lanesOf(config).map(({ kind }) => kind.name))) {
    const pulls = await listLabelledPulls(lab.client, label, LOST_LOGBOOK_THREADS_MAX);
    if (pulls.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${pulls.why}`);
    for (const number of pulls.value) {
      const read = await readThread(lab.client, number, readingOf(lab, config));
      if (read.kind === 'unknown') throw new GitError('unreadable', `there is no logbook, and ${read.why}`);
      if (publishedHeads(read.value.comments).length > 0) return number;
    }
  }
  return null;
}
