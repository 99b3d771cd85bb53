/** Every file of the logbook held against what is known to have been there: its marks, its history, and what this process saw. */

import type { GitReader } from '../domain/git.ts';
import type { Sha, TreeId } from '../domain/ids.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { droppedEntry, firstLines, type GoodFile } from '../logbook/dropped-entry.ts';
import type { Anchor } from '../logbook/ports.ts';
import { eventsPath, readEvents, runAt } from '../logbook/store/git-store.ts';
import { type BadEntry, verifyLogbook } from '../logbook/verify.ts';
import type { Lab } from './lab.ts';
import { type SeenMark, vouchedFor } from './record-marks.ts';

/** A file as it stands at the head: what is good of it, and the first entry that is not. */
export type ReadFile = GoodFile & { readonly isThere: boolean; readonly bad: BadEntry | null };

/** What a check needs; `backed` remembers for each mark whether its commit has what it says. */
export type Checking = {
  readonly lab: Pick<Lab, 'hash' | 'verifySignature'>;
  readonly config: { readonly keys: readonly PublicKey[] };
  readonly git: GitReader;
  readonly marks: readonly SeenMark[];
  readonly backed: Map<string, GoodFile | null>;
};

/** An entry that was there and is not, and the versions that are known to have had more; the longest is taken. */
export type Loss = { readonly missing: Anchor | null; readonly versions: readonly GoodFile[] };

/** Reads a text as far as it verifies. */
export function goodOf({ lab, config }: Checking, run: string, text: string | null): ReadFile {
  if (text === null) return { run, text: '', events: [], isThere: false, bad: null };
  const { events, bad } = verifyLogbook({
    text,
    run,
    keys: config.keys,
    anchor: null,
    undecodableLine: null,
    hash: lab.hash,
    verifySignature: lab.verifySignature,
  });
  // A file without an anchor of its own is anchored by its marks and its history.
  const fault = bad === null || bad.reason === 'unanchored' ? null : bad;
  return {
    run,
    text: fault === null ? text : firstLines(text, events.length),
    events,
    isThere: true,
    bad: fault,
  };
}

/** The marks of a file whose entry it does not have, though the marked commit has it: a mark alone proves no entry. */
export async function lostMarks(checking: Checking, file: GoodFile): Promise<Loss> {
  const versions: GoodFile[] = [];
  let missing: Anchor | null = null;
  for (const seen of checking.marks) {
    const { run, seq, hash } = seen.mark;
    if (run !== file.run || file.events[seq]?.hash === hash) continue;
    const version = await backing(checking, seen);
    if (version === null) continue;
    versions.push(version);
    if (missing === null || seq > missing.seq) missing = { seq, hash };
  }
  return { missing, versions };
}

/** The longest version that the marks of a file know. */
export async function markedVersion(checking: Checking, run: string): Promise<GoodFile | null> {
  const versions: GoodFile[] = [];
  for (const seen of checking.marks) {
    const version = seen.mark.run === run ? await backing(checking, seen) : null;
    if (version !== null) versions.push(version);
  }
  return longest(versions);
}

/** The file at the marked commit as far as it verifies; null where it does not have the entry. */
export async function backing(checking: Checking, { mark, commit }: SeenMark): Promise<GoodFile | null> {
  const key = `${mark.run} ${mark.hash} ${commit}`;
  const known = checking.backed.get(key);
  if (known !== undefined) return known;
  const file = goodOf(checking, mark.run, await readEvents(checking.git, commit, mark.run));
  const found = file.events[mark.seq]?.hash === mark.hash ? file : null;
  checking.backed.set(key, found);
  return found;
}

/** For each file the ids of its versions since `since` told of it, where that is older than the head. */
export async function versionsSince(
  checking: Checking,
  head: Sha,
  runs: readonly string[],
  since: (run: string) => Sha | null,
): Promise<ReadonlyMap<string, ReadonlySet<TreeId>>> {
  const found = new Map<string, Set<TreeId>>();
  const bases = Map.groupBy(runs, (run) => since(run) ?? vouchedFor(checking.marks, run));
  for (const [base, of] of bases) {
    if (base === head) continue;
    const wanted = new Set(of);
    const query = { from: head, not: base === 'all' ? null : base, paths: of.map(eventsPath) };
    for (const { path, blob } of await checking.git.versions(query)) {
      const run = runAt(path);
      if (run === null || !wanted.has(run)) continue;
      const of = found.get(run) ?? new Set<TreeId>();
      found.set(run, of.add(blob));
    }
  }
  return found;
}

/** The versions of a file that had an entry which it does not have: most are known by their ids to be its beginnings. */
export async function lostVersions(
  checking: Checking,
  file: GoodFile,
  versions: ReadonlySet<TreeId>,
): Promise<Loss> {
  const { lab, config, git } = checking;
  if (versions.size === 0) return { missing: null, versions: [] };
  const own = git.beginningsOf(file.text, versions);
  const others = [...versions].filter((id) => !own.has(id));
  const lost: GoodFile[] = [];
  let missing: Anchor | null = null;
  for (const text of (await git.readBlobs(others)).values()) {
    const dropped = droppedEntry(text, file, config.keys, lab);
    if (dropped === null) continue;
    missing ??= dropped;
    lost.push(goodOf(checking, file.run, text));
  }
  return { missing, versions: lost };
}

/** The version with the most entries. */
export function longest(versions: readonly GoodFile[]): GoodFile | null {
  return versions.reduce<GoodFile | null>(
    (best, one) => (one.events.length > (best?.events.length ?? 0) ? one : best),
    null,
  );
}
