/** Brings the shipped files to the cluster: as a package under the name of its content, uploaded once. */

import { hash } from 'node:crypto';
import type { JobSpec } from '../../../domain/engine.ts';
import { type Taker, zipTree } from '../../package-files.ts';
import { type Answer, ask, lastLine, type NoAnswer, noAnswer } from './ask.ts';
import type { RestSettings } from './settings.ts';

/** The dashboard takes no larger body (ray_constants.DASHBOARD_CLIENT_MAX_SIZE). */
const RAY_PACKAGE_BYTES_MAX = 100 * 1024 * 1024;

export type Shipped =
  | { readonly kind: 'shipped'; readonly uri: string }
  | {
      readonly kind: 'rejected';
      readonly code: 'no-working-directory' | 'refused';
      readonly message: string;
    }
  | NoAnswer;

/** What it says of itself where a package is too large or holds what it would not unpack. */
export const RAY: Taker = { name: 'Ray', zipBytesMax: RAY_PACKAGE_BYTES_MAX };

/** Of the 64 digits of a SHA-256: enough that no two trees of a lab share a name. */
const NAME_DIGITS = 40;

/**
 * `PUT /api/packages/gcs/{name}`, unless the head has it (ray-project/ray, job_head.py, upload_package). The name says
 * the content, so a doubled or lost upload changes nothing. Looking also keeps it on the head until the job starts:
 * Ray drops packages that nobody uses after ten minutes.
 */
export async function shipPackage(
  settings: RestSettings,
  { workingDirectory, files }: Pick<JobSpec, 'workingDirectory' | 'files'>,
): Promise<Shipped> {
  const zip = await zipTree(workingDirectory, files ?? null, RAY);
  if (zip.kind === 'refused') return { kind: 'rejected', code: zip.code, message: zip.message };
  const name = `_ray_pkg_${hash('sha256', zip.bytes, 'hex').slice(0, NAME_DIGITS)}.zip`;
  const path = `api/packages/gcs/${name}`;
  const shipped = { kind: 'shipped', uri: `gcs://${name}` } as const;
  const there = await ask(settings, { method: 'GET', path });
  if (there.kind === 'unknown') return there;
  if (isYes(there)) return shipped;
  const put = await ask(settings, { method: 'PUT', path, body: zip.bytes });
  if (isYes(put)) return shipped;
  // The answer may be what was lost, not the upload.
  const again = await ask(settings, { method: 'GET', path });
  if (isYes(again)) return shipped;
  if (put.kind === 'unknown') return put;
  const message = `the package of ${zip.bytes.length} bytes was refused: ${put.status}: ${lastLine(settings, put.text)}`;
  // Ray's own words; a gateway's error may be gone at the next try.
  const isFinal = put.status === 413 || (put.status === 500 && put.contentType.startsWith('text/plain'));
  return isFinal ? { kind: 'rejected', code: 'refused', message } : noAnswer('lost', message);
}

/** Ray says yes with nothing at all; a page with 200 is another program's. */
function isYes(answer: Answer): boolean {
  return answer.kind === 'answer' && answer.status === 200 && answer.text === '';
}
