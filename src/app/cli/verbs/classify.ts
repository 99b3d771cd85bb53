/** `ferrybot classify < job.log`: why a job failed, and the first response. */

import { createDiagnosis, type EndStatus } from '../../../diagnosis/diagnose.ts';
import { redact } from '../../../host/redactor.ts';
import { redactAndTruncateLine } from '../../../watch/look.ts';
import { logLines } from '../read-argument.ts';
import { answer, EXIT, misused, type VerbIo } from '../verb-io.ts';

const clean = (text: string): string =>
  redactAndTruncateLine({ redact: (one) => redact(one, []) }, text.trim());

const STATUSES: readonly EndStatus[] = ['SUCCEEDED', 'FAILED', 'STOPPED'];

/** Exit 0 if the class is known. `endStatus` is the engine's status, which the log may lack. */
export async function classifyVerb(io: VerbIo, endStatus: string | undefined): Promise<number> {
  const status = STATUSES.find((one) => one === endStatus) ?? null;
  if (endStatus !== undefined && status === null)
    return misused(io, `--end-status is one of ${STATUSES.join(', ')}`);
  const diagnosis = createDiagnosis();
  for await (const line of logLines(io.stdin)) diagnosis.read(line);
  const found = diagnosis.conclude(status);
  const evidence = found.evidence.map(({ line, text }) => ({ line, text: clean(text) }));
  const traceback =
    found.traceback === null ? null : { ...found.traceback, message: clean(found.traceback.message) };
  const words = [
    `${found.class} (${found.confidence} confidence); first response: ${found.response}\n`,
    ...(traceback === null ? [] : [`${traceback.file}:${traceback.line}: ${traceback.message}\n`]),
    ...evidence.map(({ line, text }) => `line ${line}: ${text}\n`),
  ];
  answer(io, { ...found, evidence, traceback }, words.join(''));
  return found.class === 'unknown' ? EXIT.no : EXIT.yes;
}
