/** Reads the logbook's marks (signed tags), and decides which marks are genuine and what they vouch for. */

import type { GitReader } from '../domain/git.ts';
import { type Instant, type Sha, toRfc3339 } from '../domain/values.ts';
import { type ComposedRun, createSigners } from '../logbook/append.ts';
import {
  buildMarkMessage,
  buildMarkName,
  containsDecision,
  endsRun,
  isGenuineMark,
  type Mark,
  readMark,
} from '../logbook/mark.ts';
import type { GoodFile } from '../logbook/segments.ts';
import type { LabConfig } from '../run/lane.ts';
import type { Lab } from './lab.ts';

/** Entries without a mark before the next append adds one. It bounds the history that a new process reads. */
const ENTRIES_PER_MARK_MAX = 256;

/** A genuine mark, and the commit of its tag: the first commit with the entry. */
export type SeenMark = { readonly mark: Mark; readonly commit: Sha; readonly parents: readonly Sha[] };

/** Reads the genuine marks whose names begin like this, from the last fetch. Each tag is verified once. */
export type MarkReader = (prefixes: readonly string[]) => Promise<readonly SeenMark[]>;

/** Reads marks with the keys of one config. Ignores tags that are unsigned, malformed, or from another repository. */
export function createMarkReader(
  lab: Pick<Lab, 'repository' | 'hash' | 'verifySignature'>,
  config: Pick<LabConfig, 'keys'>,
  git: GitReader,
): MarkReader {
  const judged = new Map<string, Mark | null>();
  const verifyMark = (name: string, message: string): Mark | null => {
    const mark = readMark(name, message);
    return mark !== null && isGenuineMark(mark, lab.repository, config.keys, lab) ? mark : null;
  };
  return async (prefixes) => {
    const found: SeenMark[] = [];
    for (const { name, message, commit, parents } of await git.tagTexts(prefixes)) {
      const key = `${name}\n${message}`;
      const mark = judged.get(key) ?? (judged.has(key) ? null : verifyMark(name, message));
      judged.set(key, mark);
      if (mark !== null) found.push({ mark, commit, parents });
    }
    return found;
  };
}

export type MarkTag = { readonly run: string; readonly name: string; readonly message: string };

export type Marking = {
  readonly lab: Lab;
  readonly config: LabConfig;
  readonly cached: ReadonlyMap<string, Pick<GoodFile, 'events'>>;
  readonly record: { readonly head: Sha | null; readonly broken: readonly { readonly run: string }[] };
  /** Sequence number of the newest marked entry of each file. */
  readonly markedAt: ReadonlyMap<string, number>;
};

/** Creates marks for appended entries: after each decision, and after many entries without a mark. */
export function createDueMarks(
  { lab, config, cached, record, markedAt }: Marking,
  growing: readonly Pick<ComposedRun, 'run' | 'appended'>[],
  at: Instant,
): readonly MarkTag[] {
  const signers = createSigners(lab.signingKeys, config.keys, at);
  return growing.flatMap(({ run, appended }): readonly MarkTag[] => {
    const [first] = cached.get(run)?.events ?? appended;
    const last = appended.at(-1);
    const signer = last === undefined ? undefined : signers[last.role];
    if (first === undefined || last === undefined || signer === undefined) return [];
    const isDue = containsDecision(appended) || last.seq - (markedAt.get(run) ?? -1) >= ENTRIES_PER_MARK_MAX;
    if (!isDue) return [];
    const { seq, hash, role } = last;
    const statement = {
      v: 1,
      repository: lab.repository,
      run,
      seq,
      hash,
      firstEntryAt: first.at,
      at: toRfc3339(at),
      base: record.head,
      brokenFiles: record.broken.map((one) => one.run),
      role,
      keyId: signer.keyId,
      ...(endsRun(appended) ? { isComplete: true as const } : {}),
    } as const;
    return [{ run, name: buildMarkName(statement), message: buildMarkMessage(statement, signer, lab.hash) }];
  });
}
