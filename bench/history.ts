/** What past runs cost a process: a fresh start, an idle poll and an append beside 50 and 2,500 past runs, on real git. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { checkpointRecord } from '../src/app/control/repository.ts';
import type { CommitRequest, GitReader, GitWriter, TagText } from '../src/domain/git.ts';
import type { EventDraft } from '../src/domain/logbook/define.ts';
import { brandAs, type Instant, isInstant, isRunId, isSha, isTreeId, type Sha } from '../src/domain/values.ts';
import { matchPrefixes } from '../src/host/git/read.ts';
import { textBlobId } from '../src/host/git/tree-on-disk.ts';
import { keys, listFerryEvents, observed, RUN } from '../test/logbook/sample-logbook.ts';
import { type RecordProcess, recordProcess } from '../test/support/record-lab.ts';
import { type ScratchRemote, scratchRemote, serveRemote } from './git-remote.ts';
import { type Result, resultWithBar, resultWithoutBar } from './measure.ts';

const FEW = 50;
const MANY = 2_500;
const LANES = ['canary', 'daily', 'nightly'] as const;
const DAY_MS = 24 * 60 * 60_000;
const END_MS = Date.parse('2026-11-21T09:00:00.000Z');
const KEYS = keys.map((key) => ({ ...key, from: '2020-01-01T00:00:00Z' }));
const BRANCH = 'refs/heads/ferrybot/logbook';
/** Fresh processes, polls and appends per record; the quickest counts. */
const TRIES = 5;
/** Linux counts the time of programs in ticks of ten milliseconds, which is as much as one poll costs. */
const POLLS = 10;

type Costs = { readonly begin: number; readonly poll: number; readonly append: number };

/** Processor milliseconds of node and its git programs, without GitHub's. Both records are measured in turns, so that a noisy machine disturbs both. */
export async function measureHistory(): Promise<readonly Result[]> {
  const [few, many] = [await serveRemote(await recordWith(FEW)), await serveRemote(await recordWith(MANY))];
  try {
    const costs = { few: await measured(few), many: await measured(many) };
    for (let turn = 1; turn < TRIES; turn += 1) {
      costs.few = least(costs.few, await measured(few));
      costs.many = least(costs.many, await measured(many));
    }
    return (['begin', 'poll', 'append'] as const).flatMap((name) => [
      resultWithoutBar(`history-${FEW}-${name}`, costs.few[name], 'ms CPU'),
      resultWithoutBar(`history-${MANY}-${name}`, costs.many[name], 'ms CPU'),
      resultWithBar(`history-${name}`, costs.many[name] / costs.few[name], `times ${FEW} past runs`, '<=', 1.5),
    ]);
  } finally {
    few.remove();
    many.remove();
  }
}

function least(a: Costs, b: Costs): Costs {
  return { begin: Math.min(a.begin, b.begin), poll: Math.min(a.poll, b.poll), append: Math.min(a.append, b.append) };
}

let step = 1;

async function measured(remote: ScratchRemote): Promise<Costs> {
  const now = brandAs(END_MS, isInstant);
  const fresh = recordProcess(remote, now, KEYS);
  const begin = await cpuMs(() => fresh.store.load());
  const { runs, broken } = fresh.store.current();
  const live = runs.filter(({ end }) => end === null);
  if (live.length !== LANES.length || broken.length > 0)
    throw new Error(`${live.length} live runs, ${broken.length} broken`);
  const polls = await cpuMs(async () => {
    for (let turn = 0; turn < POLLS; turn += 1) await fresh.store.load();
  });
  const [one] = live;
  step += 1;
  const drafts = [observed(step)];
  const append = await cpuMs(async () => {
    const result = await fresh.store.append([{ run: one?.run ?? 'journal', drafts }], now);
    if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
  });
  return { begin, poll: polls / POLLS, append };
}

/** Includes git and the programs that git waited for. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const since = spentMs();
  await work();
  return spentMs() - since;
}

function spentMs(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const children = Number(fields[13]) + Number(fields[14]);
  const own = process.cpuUsage();
  return (own.user + own.system) / 1_000 + children * 10;
}

/** A record of three daily lanes with this many sealed runs, a checkpoint for each month, and one live run per lane. */
async function recordWith(past: number): Promise<ScratchRemote> {
  const remote = scratchRemote();
  const record = importer(remote.url.replace('file://', ''));
  const days = Math.ceil(past / LANES.length);
  let month = '';
  let process: RecordProcess | null = null;
  for (let day = 0; day <= days; day += 1) {
    const at = brandAs(END_MS - (days - day) * DAY_MS, isInstant);
    const date = new Date(at).toISOString().slice(0, 10);
    if (process === null || date.slice(0, 7) !== month) {
      month = date.slice(0, 7);
      process = recordProcess({ client: () => record.git }, at, KEYS);
      await process.store.load();
      await checkpointRecord(process.open);
    }
    for (const lane of LANES) await play(process, `ferry-${lane}-${date.replaceAll('-', '')}`, at, day < days);
  }
  await record.end();
  return remote;
}

/** One run, a commit for each of its steps. */
async function play({ store }: RecordProcess, run: string, at: Instant, isOver: boolean): Promise<void> {
  const life: readonly EventDraft[] = JSON.parse(JSON.stringify(listFerryEvents(2)).replaceAll(RUN, run));
  const ends = isOver ? STEPS : STEPS.slice(0, -2);
  for (const [index, end] of ends.entries()) {
    const drafts = life.slice(ends[index - 1] ?? 0, end);
    const result = await store.append([{ run: brandAs(run, isRunId), drafts }], at);
    if (result.kind !== 'appended') throw new Error(JSON.stringify(result));
  }
}

/** Entries after each commit: proposed, approved, claimed, submitted, two observations, ended, sealed. */
const STEPS = [2, 6, 7, 8, 9, 10, 11, 14];

type Importer = { readonly git: GitReader & GitWriter; readonly end: () => Promise<void> };

/** Git for one writer: reads from memory, writes by one `git fast-import`, because twenty thousand pushes take an hour. */
function importer(directory: string): Importer {
  const program = spawn('git', ['--git-dir', directory, 'fast-import', '--quiet', '--force'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ask = asker(program);
  const files = new Map<string, string>();
  const folders = new Map<string, Set<string>>();
  const texts = new Map<string, string>();
  const tags = new Map<string, TagText>();
  let head: Sha | null = null;
  const commit = async ({ files: changes, message, atMs, expected, tags: added = [] }: CommitRequest): Promise<Sha> => {
    const who = `Example Lab <lab@example.org> ${Math.floor(atMs / 1000)} +0000`;
    const lines = [`commit ${BRANCH}`, 'mark :1', `committer ${who}`, data(message)];
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) throw new Error('nothing is deleted here');
      files.set(path, text);
      texts.set(textBlobId(text), text);
      const folder = path.slice(0, path.lastIndexOf('/'));
      folders.set(folder, (folders.get(folder) ?? new Set()).add(path));
      lines.push(`M 100644 inline ${path}`, data(text));
    }
    const sha = brandAs(await ask(`${lines.join('\n')}\nget-mark :1\n`), isSha);
    for (const { name, message: text } of added) {
      program.stdin.write(`tag ${name}\nfrom :1\ntagger ${who}\n${data(`${text}\n`)}\n`);
      tags.set(name, { name, commit: sha, parents: expected === null ? [] : [expected], message: `${text}\n` });
    }
    return sha;
  };
  const git = {
    fetch: async () => undefined,
    resolve: async () => head,
    mergeBase: async (a: Sha) => a,
    versions: async () => [],
    beginningsOf: matchPrefixes,
    blobIdOf: textBlobId,
    tagTexts: async () => [...tags.values()],
    // Never the same, so that each folder is listed.
    treeId: async (_: Sha, path: string) =>
      folders.has(path) ? brandAs(textBlobId(`${path} ${head}`), isTreeId) : null,
    entriesIn: async (_: Sha, wanted: readonly string[]) =>
      wanted.flatMap((folder) =>
        [...(folders.get(folder) ?? [])].map((path) => ({ path, type: 'blob', id: textBlobId(files.get(path) ?? '') })),
      ),
    readBlobs: async (ids: readonly string[]) => new Map(ids.map((id) => [id, texts.get(id) ?? ''])),
    commitAndPush: async (request: CommitRequest) => {
      head = await commit(request);
      return { kind: 'pushed', sha: head };
    },
    deleteTags: async (names: readonly string[]) => {
      for (const name of names) {
        tags.delete(name);
        program.stdin.write(`reset refs/tags/${name}\nfrom ${'0'.repeat(40)}\n\n`);
      }
      return null;
    },
  };
  return {
    // Only what an event store asks.
    git: git as never,
    end: () =>
      new Promise((done, failed) => {
        program.once('close', (code) => (code === 0 ? done() : failed(new Error(`git fast-import: ${code}`))));
        program.stdin.end();
      }),
  };
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

/** Writes commands and returns the line that answers them. */
function asker(program: ChildProcessByStdio<Writable, Readable, null>): (commands: string) => Promise<string> {
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  return async (commands) => {
    program.stdin.write(commands);
    const { value } = await lines.next();
    return String(value);
  };
}
