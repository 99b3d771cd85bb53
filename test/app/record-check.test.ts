/** Every version of a file is continued by the next, judged by what was signed in it: on real git, without any mark. */

import { describe, expect, it } from 'vitest';
import { goodOf, lostVersions, versionsSince } from '../../src/app/record-check.ts';
import { branded, isInstant, isSha, type Sha } from '../../src/domain/ids.ts';
import { limits } from '../../src/domain/limits.ts';
import type { EventDraft } from '../../src/domain/logbook/event.ts';
import { sha256Hex } from '../../src/host/hash.ts';
import { verifyEd25519 } from '../../src/host/keys.ts';
import { composeAppend } from '../../src/logbook/compose.ts';
import { AT_MS, bareRepository } from '../host/git/scratch-repository.ts';
import {
  commandAnswered,
  commandSeen,
  gated,
  keys,
  proposed,
  RUN,
  signers,
} from '../logbook/sample-logbook.ts';

function written(drafts: readonly EventDraft[]): string {
  const context = { at: branded(AT_MS, isInstant), signers, keys, hash: sha256Hex };
  const made = composeAppend({ run: RUN, head: null, state: null }, drafts, context);
  if (!made.ok) throw new Error(made.error.rule);
  return made.value.lines.map((line) => `${line}\n`).join('');
}

const LONG = written([proposed, gated, commandSeen(1, 'status'), commandAnswered(1, 'status-shown')]);
const SHORT = `${LONG.split('\n').slice(0, 2).join('\n')}\n`;

/** Four of them are more than is read in one piece. */
const LARGE = 'a'.repeat(limits.logbookFileBytesMax / 4);

/** What is missing from the last of these versions, each pushed as an ordinary commit on the one before. */
async function missingAfter(...texts: readonly string[]): Promise<number | null> {
  const git = (await bareRepository()).client();
  let head: Sha | null = null;
  for (const text of texts) {
    const pushed = await git.commitAndPush({
      ref: 'refs/heads/ferrybot/logbook',
      expected: head,
      parent: 'expected',
      files: { [`runs/${RUN}/events.jsonl`]: text },
      message: 'm',
      atMs: AT_MS,
    });
    if (pushed.kind !== 'pushed') throw new Error(pushed.kind);
    head = branded(pushed.sha, isSha);
  }
  if (head === null) throw new Error('nothing was pushed');
  const lab = { hash: sha256Hex, verifySignature: verifyEd25519 };
  const checking = { lab, config: { keys }, git, marks: [], backed: new Map() };
  const versions = await versionsSince(checking, head, [{ run: RUN, from: 1, to: 1, since: null }]);
  const file = goodOf(checking, RUN, texts.slice(-1));
  return (await lostVersions(checking, file, versions.get(RUN) ?? new Map())).missing?.seq ?? null;
}

describe('a history', () => {
  it('in which each version continues the one before has lost nothing', async () => {
    expect(await missingAfter(SHORT, LONG)).toBeNull();
  });

  it('in which signed lines were dropped names the first of them', async () => {
    expect(await missingAfter(SHORT, LONG, SHORT)).toBe(2);
  });

  it('in which the file was empty in between, and came back without its end, does too', async () => {
    expect(await missingAfter(LONG, '', SHORT)).toBe(2);
  });

  it('in which a line of junk came and went has lost nothing', async () => {
    expect(await missingAfter(SHORT, `${SHORT}junk\n`, SHORT, LONG)).toBeNull();
  });

  it('in which many large versions came and went has lost nothing', async () => {
    const large = Array.from({ length: 4 }, (_, index) => `${SHORT}${index}${LARGE}\n`);
    expect(await missingAfter(SHORT, ...large, SHORT, LONG)).toBeNull();
  });

  it('in which signed lines came back after they were dropped has lost nothing', async () => {
    expect(await missingAfter(LONG, SHORT, LONG)).toBeNull();
  });
});
