/** Artifacts of a job on the playground's GitHub when its steps are not real programs. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { repoById } from '../../packages/playground/world/lookup.ts';
import { nextId, type World } from '../../packages/playground/world/world.ts';

const DAY_MS = 86_400_000;

/** One artifact of a workflow run, as actions/upload-artifact would leave a file with this text. */
export async function leaveArtifact(world: World, runId: number, name: string, text: string): Promise<void> {
  const run = world.state.runs[runId];
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  const bytes = zipOf('fix.patch', text);
  const now = world.clock.now();
  const id = nextId(world, 'artifacts');
  world.state.artifacts[id] = {
    id,
    repoId: run.repoId,
    runId,
    runAttempt: 1,
    jobId: 0,
    name,
    mimeType: 'application/zip',
    isFinal: true,
    blob: {
      sha: await world.gitOf(repoById(world, run.repoId)).writeBlob(bytes),
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      contentType: 'application/zip',
    },
    createdAtMs: now,
    updatedAtMs: now,
    expiresAtMs: now + 90 * DAY_MS,
  };
}

/** An uncompressed archive of one file. */
export function zipOf(name: string, text: string): Buffer {
  const [content, path] = [Buffer.from(text), Buffer.from(name)];
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(content.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const names = Buffer.alloc(4);
  names.writeUInt16LE(path.length, 0);
  const plain = Buffer.from([20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const file = Buffer.concat([Buffer.from('PK\x03\x04'), plain, sizes, names, path, content]);
  const entry = [Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), plain, sizes, names, Buffer.alloc(14), path];
  const directory = Buffer.concat(entry);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(file.length, 16);
  return Buffer.concat([file, directory, end]);
}
