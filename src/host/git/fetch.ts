/** Fetches by name: the branches that every process needs, the newest part of the record, and other refs when a run asks for them. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FetchRequest, GitError } from '../../domain/git.ts';
import { type GitMirror, gitError } from './mirror.ts';

/** Commits of the record in a new mirror, below each mark. The newest mark is usually a few commits back. */
const RECORD_DEPTH = 64;
const DEEPER = 8;
/** Git's number for the whole history. */
const WHOLE_DEPTH = 0x7fffffff;

export type Fetcher = {
  readonly fetch: (request?: FetchRequest) => Promise<void>;
  /** Fetches a ref, or all refs in a folder, unless the last fetch contained it. Concurrent calls share one fetch. */
  readonly need: (ref: string) => Promise<void>;
  /** Whether these commits of the record lack parents here. */
  readonly isCut: (commits: readonly string[]) => boolean;
  /** Fetches older commits of the record. */
  readonly deepen: (isWhole: boolean) => Promise<void>;
};

type RecordRequest = NonNullable<FetchRequest['record']>;

/** `inTurn`: runs one command at a time, because git rejects concurrent changes of refs. */
export function createFetcher(mirror: GitMirror, inTurn: <T>(task: () => Promise<T>) => Promise<T>): Fetcher {
  const branches = new Set<string>();
  let record: RecordRequest | null = null;
  let marks: string | null = null;
  let depth = RECORD_DEPTH;
  /** Refs that were resolved since the last fetch, and refs that are current. */
  let asked = new Set<string>();
  let current = new Set<string>();
  const run = async (names: readonly string[], options: readonly string[] = []): Promise<void> => {
    if (names.length === 0) return;
    // A pattern, because git fails for an exact name that does not exist, and does not prune it.
    const refspecs = names.map((name) => `+${name}*:${name}*`);
    const args = ['fetch', '--prune', '--no-tags', '--no-write-fetch-head', '--filter=blob:none'];
    const call = { args: [...args, ...options, 'origin', ...refspecs] };
    const result = await mirror.run(call);
    // With a depth, git says this about a repository without a matching ref.
    const isNothing = options.length > 0 && result.exitCode === 1 && result.stderr === '';
    if (!result.ok && !isNothing) {
      mirror.refs.forget();
      throw gitError('unreachable', call, result);
    }
    // Git lists the refs that differ from the mirror's, which do not follow a push.
    if (result.stderr.trim() !== '' || mirror.refs.isOurs()) mirror.refs.forget();
  };
  const fetchRecord = async ({ branch, marks: prefixes, isWhole }: RecordRequest): Promise<void> => {
    const tags = prefixes.map((prefix) => `refs/tags/${prefix}`);
    const isMarked = marks === tags.join();
    const { directory } = mirror.options;
    const isNew = marks === null && ![branch, 'packed-refs'].some((name) => existsSync(join(directory, name)));
    if (isNew) {
      await run([...branches, ...asked]);
      const shallow = isWhole === true ? [] : [`--depth=${depth}`];
      await run([branch, ...tags], shallow);
    } else {
      const before = (await mirror.refs.all()).get(branch);
      const isPushed = mirror.refs.isOurs(branch);
      await run([...branches, ...asked, branch]);
      // A mark is pushed together with an entry.
      if (!isMarked || isPushed || (await mirror.refs.all()).get(branch) !== before) await run(tags);
    }
    marks = tags.join();
  };
  const fetch = async (request: FetchRequest): Promise<void> => {
    for (const branch of request.branches ?? []) branches.add(branch);
    record = request.record ?? record;
    if (record === null) await run([...branches, ...asked]);
    else await fetchRecord(record);
    current = new Set([...branches, ...asked, ...(record === null ? [] : [record.branch])]);
    asked = new Set();
  };
  return {
    fetch: (request = {}) => inTurn(() => fetch(request)),
    need: async (ref) => {
      if (mirror.refs.isOurs(ref)) return;
      asked.add(ref);
      if (current.has(ref)) return;
      await inTurn(async () => {
        const wanted = [...asked].filter((one) => !current.has(one));
        await run(wanted);
        for (const one of wanted) current.add(one);
      });
    },
    isCut: (commits) => {
      const file = join(mirror.options.directory, 'shallow');
      const cut = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return cut !== '' && commits.some((commit) => cut.includes(commit));
    },
    deepen: (isWhole) =>
      inTurn(async () => {
        if (record === null || depth === WHOLE_DEPTH)
          throw new GitError('unreadable', 'the history of the logbook is not complete');
        depth = isWhole ? WHOLE_DEPTH : Math.min(depth * DEEPER, WHOLE_DEPTH);
        await run([record.branch], [`--depth=${depth}`]);
      }),
  };
}
