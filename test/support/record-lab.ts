/** A record on real git with any number of processes, and a count of every git call. */

import type { OpenLab } from '../../src/app/open-lab.ts';
import { createEventStore, type EventStore } from '../../src/app/record.ts';
import type { GitReader, GitWriter } from '../../src/domain/git.ts';
import type { EventDraft } from '../../src/domain/logbook/define.ts';
import type { PublicKey } from '../../src/domain/logbook/parts.ts';
import { brandAs, isInstant, isRunId } from '../../src/domain/values.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import type { Remote } from '../host/git/scratch-repository.ts';
import { START_MS, keys as sampleKeys, seededKey } from '../logbook/sample-logbook.ts';

/** The cost of work on the record: never time, which differs between machines. */
export type Cost = {
  /** Git reads and pushes, by name. */
  readonly git: Readonly<Record<string, number>>;
  readonly signaturesVerified: number;
  readonly charactersHashed: number;
  readonly charactersRead: number;
  readonly charactersWritten: number;
  readonly filesWritten: number;
};

export type RecordProcess = {
  readonly store: EventStore;
  /** Control's parts of an open lab that keep the record. */
  readonly open: OpenLab;
  /** Loads and appends; throws on a failure. */
  readonly append: (run: string, drafts: readonly EventDraft[]) => Promise<void>;
  /** The cost of this work for this process. */
  readonly costOf: (work: () => Promise<unknown>) => Promise<Cost>;
};

type Counts = { -readonly [K in keyof Omit<Cost, 'git'>]: number } & { git: Record<string, number> };

const NOW = brandAs(START_MS, isInstant);

/** A new process with its own mirror. */
export function recordProcess(
  remote: Pick<Remote, 'client'>,
  now = NOW,
  keys: readonly PublicKey[] = sampleKeys,
): RecordProcess {
  let counts = zeroCounts();
  const git = countCalls(remote.client(), () => counts);
  // Only the parts of a lab and its config that keeping a record needs.
  const lab = {
    repository: 'lab/models',
    hash: (text: string) => {
      counts.charactersHashed += text.length;
      return sha256Hex(text);
    },
    verifySignature: (...args: Parameters<typeof verifyEd25519>) => {
      counts.signaturesVerified += 1;
      return verifyEd25519(...args);
    },
    signingKeys: { control: seededKey(1), runner: seededKey(2), watch: seededKey(3) },
    log: () => undefined,
    boundary: () => undefined,
    now: () => now,
  };
  const config = { keys, logbookBranch: 'ferrybot/logbook' };
  const store = createEventStore(lab as never, config as never, git as never, null);
  return {
    store,
    open: { store, lab, git } as never,
    append: async (run, drafts) => {
      await store.load();
      const result = await store.append([{ run: run === 'journal' ? run : brandAs(run, isRunId), drafts }], now);
      if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
    },
    costOf: async (work) => {
      counts = zeroCounts();
      await work();
      return counts;
    },
  };
}

function zeroCounts(): Counts {
  return {
    git: {},
    signaturesVerified: 0,
    charactersHashed: 0,
    charactersRead: 0,
    charactersWritten: 0,
    filesWritten: 0,
  };
}

function countCalls(git: GitReader & GitWriter, counts: () => Counts): GitReader & GitWriter {
  const asked = (name: string): void => {
    counts().git[name] = (counts().git[name] ?? 0) + 1;
  };
  const read = (texts: Iterable<string>): void => {
    for (const text of texts) counts().charactersRead += text.length;
  };
  const counting = Object.entries(git).map(([name, method]) => [
    name,
    (...args: readonly never[]): unknown => {
      if (name !== 'beginningsOf' && name !== 'blobIdOf') asked(name);
      return (method as (...given: readonly never[]) => unknown)(...args);
    },
  ]);
  return {
    // Each method with its own arguments; an object of them loses only its type.
    ...(Object.fromEntries(counting) as typeof git),
    readBlobs: async (ids) => {
      asked('readBlobs');
      const found = await git.readBlobs(ids);
      read(found.values());
      return found;
    },
    commitAndPush: async (request) => {
      asked('commitAndPush');
      const texts = Object.values(request.files).filter((text) => text !== null);
      counts().filesWritten += texts.length;
      counts().charactersWritten += texts.join('').length;
      return git.commitAndPush(request);
    },
  };
}
