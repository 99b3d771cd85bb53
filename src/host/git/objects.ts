/** Git objects: one long-lived `git cat-file` reads them, and new ones are written as loose objects without a process. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import { type GitType, objectHead, objectId } from './tree-on-disk.ts';

export type GitObject = { readonly type: string; readonly bytes: Buffer };

export type GitObjects = {
  /** The objects by id. Fetches missing ones together; omits those that stay missing or exceed `bytesMax`. */
  readonly read: (ids: readonly string[], bytesMax?: number) => Promise<ReadonlyMap<string, GitObject>>;
  /** Fetches the missing objects together. By itself, git would request each one separately. */
  readonly fetchMissing: (ids: readonly string[]) => Promise<void>;
  /** Returns the id. Format: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects. */
  readonly write: (type: GitType, bytes: Uint8Array) => Promise<string>;
};

export type ObjectsOptions = {
  readonly directory: string;
  /** Called once, before anything else. */
  readonly ready: () => Promise<void>;
  /** Without credentials; git must not fetch by itself. */
  readonly env: Readonly<Record<string, string>>;
  /** Fetches objects by id. Failures are ignored, because reading reports what is still missing. */
  readonly fetch: (ids: readonly string[]) => Promise<void>;
};

/** Keeps one answer in memory small. */
const OBJECTS_READ_AT_ONCE = 256;

/** Reads and writes the objects of one repository. */
export function createObjects({ directory, ready, env, fetch }: ObjectsOptions): GitObjects {
  const ask = createCatFile(directory, env);
  const listMissing = async (ids: readonly string[]): Promise<readonly string[]> => {
    await ready();
    const found = await Promise.all(ids.map(async (id) => [id, await ask('info', id)] as const));
    return found.flatMap(([id, answer]) => (answer === null ? [id] : []));
  };
  const fetchMissing = async (ids: readonly string[]): Promise<void> => {
    const missing = await listMissing([...new Set(ids)]);
    if (missing.length > 0) await fetch(missing);
  };
  return {
    fetchMissing,
    read: async (ids, bytesMax = limits.logbookFileBytesMax) => {
      const all = [...new Set(ids)];
      await fetchMissing(all);
      const found = new Map<string, GitObject>();
      for (let at = 0; at < all.length; at += OBJECTS_READ_AT_ONCE) {
        const some = all.slice(at, at + OBJECTS_READ_AT_ONCE).map(async (id) => {
          // Anyone with push access can push huge objects.
          const info = await ask('info', id);
          const object = info === null || info.size > bytesMax ? null : await ask('contents', id);
          if (object !== null) found.set(id, object);
        });
        await Promise.all(some);
      }
      return found;
    },
    write: async (type, bytes) => {
      await ready();
      const id = objectId(type, bytes);
      const path = join(directory, 'objects', id.slice(0, 2), id.slice(2));
      try {
        if (existsSync(path)) return id;
        await mkdir(dirname(path), { recursive: true });
        const draft = `${path}.${randomUUID()}`;
        const data = await promisify(deflate)(Buffer.concat([objectHead(type, bytes.length), bytes]));
        await writeFile(draft, data, { mode: 0o444, flag: 'wx', flush: true });
        await rename(draft, path);
      } catch (cause) {
        if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
        throw new GitError('failed', `a git object could not be written: ${cause.message}`, { cause });
      }
      return id;
    },
  };
}

type Answer = GitObject & { readonly size: number };
type Command = 'info' | 'contents';
type Waiting = {
  readonly command: Command;
  readonly done: (answer: Answer | null) => void;
  readonly failed: (error: Error) => void;
};

type Program = ChildProcessByStdio<Writable, Readable, null>;

/** An open program takes four megabytes, and a server has hundreds of repositories. */
const CAT_FILE_IDLE_MS = 5_000;

/**
 * Asks one `git cat-file --batch-command`. It starts with the first question, ends when it is idle, and does not keep this process alive.
 * Null: missing.
 */
function createCatFile(
  directory: string,
  env: Readonly<Record<string, string>>,
): (command: Command, id: string) => Promise<Answer | null> {
  let program: Program | null = null;
  let waiting: Waiting[] = [];
  let idle: NodeJS.Timeout | undefined;
  const end = (): void => {
    program?.stdin.end();
    program = null;
  };
  const answers = createBatchParser(
    () => waiting[0]?.command,
    (answer) => {
      waiting.shift()?.done(answer);
      if (waiting.length > 0 || program === null) return;
      keepAlive(program, 'unref');
      idle = setTimeout(end, CAT_FILE_IDLE_MS).unref();
    },
  );
  const start = (): Program => {
    const child = spawn('git', ['--git-dir', directory, 'cat-file', '--batch-command'], {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const fail = (): void => {
      if (program !== child) return;
      program = null;
      answers.reset();
      const lost = waiting;
      waiting = [];
      for (const { failed } of lost) failed(new GitError('unreadable', 'git cat-file ended'));
    };
    child.stdout.on('data', answers.take);
    child.stdin.on('error', fail);
    child.once('error', fail);
    child.once('close', fail);
    return child;
  };
  return (command, id) =>
    new Promise((done, failed) => {
      if (!/^[0-9a-f]{40}$/.test(id)) return done(null);
      clearTimeout(idle);
      program ??= start();
      waiting.push({ command, done, failed });
      keepAlive(program, 'ref');
      const { stdin } = program;
      // Sends the ids of one turn in one write.
      stdin.cork();
      stdin.write(`${command} ${id}\n`);
      process.nextTick(() => stdin.uncork());
    });
}

/** The pipes are sockets, which also keep a process alive. */
function keepAlive(program: Program, how: 'ref' | 'unref'): void {
  program[how]();
  for (const pipe of [program.stdin, program.stdout])
    if (how in pipe) (pipe as Readable & { ref(): void; unref(): void })[how]();
}

/** Splits the output into answers: a line with id, type and size, then for `contents` the bytes and a newline. */
function createBatchParser(
  expected: () => Command | undefined,
  deliver: (answer: Answer | null) => void,
): { readonly take: (chunk: Buffer) => void; readonly reset: () => void } {
  let chunks: Buffer[] = [];
  let wanted = 0;
  let head: { readonly type: string; readonly size: number } | null = null;
  const reset = (): void => {
    chunks = [];
    wanted = 0;
    head = null;
  };
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    if (chunks.reduce((sum, { length }) => sum + length, 0) < wanted) return;
    let rest = Buffer.concat(chunks);
    while (true) {
      if (head === null) {
        const end = rest.indexOf('\n');
        if (end === -1) break;
        const [, type = '', size = ''] = rest.toString('utf8', 0, end).split(' ');
        rest = rest.subarray(end + 1);
        const isThere = size !== '';
        if (isThere && expected() === 'contents') head = { type, size: Number(size) };
        else deliver(isThere ? { type, size: Number(size), bytes: Buffer.alloc(0) } : null);
        continue;
      }
      if (rest.length <= head.size) break;
      const { size } = head;
      deliver({ ...head, bytes: rest.subarray(0, size) });
      head = null;
      rest = rest.subarray(size + 1);
    }
    chunks = rest.length === 0 ? [] : [rest];
    wanted = head === null ? 0 : head.size + 1;
  };
  return { take, reset };
}
